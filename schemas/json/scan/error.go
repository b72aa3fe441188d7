package scan

import (
	"strconv"
	"strings"
)

// Reasons for which a value is refused: a closed set, used as metric labels and in dead letters.
const (
	ReasonSyntax           = "syntax"            // not JSON
	ReasonTrailingBytes    = "trailing_bytes"    // something follows the value
	ReasonTooLarge         = "too_large"         // more bytes than the cap
	ReasonTooDeep          = "too_deep"          // nested deeper than the cap
	ReasonTooMany          = "too_many"          // more items in a list than the cap
	ReasonBadUTF8          = "bad_utf8"          // bytes that are no UTF-8: overlong forms and surrogates too
	ReasonControlCharacter = "control_character" // a raw byte below 0x20 within a string
	ReasonDuplicateKey     = "duplicate_key"     // one object names a key twice
	ReasonCaseVariant      = "case_variant"      // a known top-level name in another case
	ReasonMissingAnswer    = "missing_answer"    // no answer, or null
	ReasonWrongType        = "wrong_type"        // a known field holds another type
	ReasonOutOfRange       = "out_of_range"      // the right type, but no value of the field
	ReasonBadLogprobs      = "bad_logprobs"      // packed logprobs that are no base64 or no whole rows
	ReasonUnmapped         = "unmapped"          // a mapping points at nothing, for a field that must be there
)

// Reasons lists every reason.
func Reasons() []string {
	return []string{
		ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooDeep, ReasonTooMany, ReasonBadUTF8,
		ReasonControlCharacter, ReasonDuplicateKey, ReasonCaseVariant, ReasonMissingAnswer, ReasonWrongType,
		ReasonOutOfRange, ReasonBadLogprobs, ReasonUnmapped,
	}
}

// Error says why and where a value was refused. It never holds text of the value: Field is one of our own names.
type Error struct {
	Reason string // one of Reasons
	Field  string // the top-level field it was met in, "" outside of known ones
	Offset int    // bytes into the value, at or shortly after the fault

	Detail string // what was expected, in our words
}

// Error names the reason, the place and, where there is one, the remedy.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Reason)
	if e.Field != "" {
		b.WriteString(" in " + e.Field)
	}
	b.WriteString(" at byte " + strconv.Itoa(e.Offset))
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}
