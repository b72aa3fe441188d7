package scan

import (
	"strconv"
	"strings"
)

// Reasons of refusal: a closed set, used as metric labels and in dead letters.
const (
	ReasonSyntax           = "syntax"            // not JSON
	ReasonTrailingBytes    = "trailing_bytes"    // something follows the value
	ReasonTooLarge         = "too_large"         // larger than the limit
	ReasonTooDeep          = "too_deep"          // nested deeper than the limit
	ReasonTooMany          = "too_many"          // more list items than the limit
	ReasonBadUTF8          = "bad_utf8"          // not UTF-8, including overlong forms and surrogates
	ReasonControlCharacter = "control_character" // a raw byte below 0x20 in a string
	ReasonDuplicateKey     = "duplicate_key"     // a repeated key in one object
	ReasonCaseVariant      = "case_variant"      // a known top-level name in another case
	ReasonMissingAnswer    = "missing_answer"    // no answer, or null
	ReasonWrongType        = "wrong_type"        // a known field of another type
	ReasonOutOfRange       = "out_of_range"      // a value outside the field's range
	ReasonBadLogprobs      = "bad_logprobs"      // packed log probabilities that are not base64 of whole rows
	ReasonUnmapped         = "unmapped"          // a required field of a mapping is missing
	ReasonBadFrame         = "bad_frame"         // Avro without a magic byte or a positive schema id
	ReasonBadSchema        = "bad_schema"        // an unsupported schema of an Avro writer
)

// Reasons lists every reason.
func Reasons() []string {
	return []string{
		ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooDeep, ReasonTooMany, ReasonBadUTF8,
		ReasonControlCharacter, ReasonDuplicateKey, ReasonCaseVariant, ReasonMissingAnswer, ReasonWrongType,
		ReasonOutOfRange, ReasonBadLogprobs, ReasonUnmapped, ReasonBadFrame, ReasonBadSchema,
	}
}

// Error is a refusal. It holds no text of the value.
type Error struct {
	Reason string // one of Reasons
	Field  string // the known top-level field, "" outside of them
	Offset int    // byte offset, at or shortly after the fault; 0 also where it is not known, as in Avro

	Detail string // what was expected, in fixed words
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Reason)
	if e.Field != "" {
		b.WriteString(" in " + e.Field)
	}
	if e.Offset > 0 {
		b.WriteString(" at byte " + strconv.Itoa(e.Offset))
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}
