package avro

import "strings"

// Reasons for which a value or a schema is refused: a closed set, used as metric labels and in dead letters. Those that
// schemas/json has too mean the same.
const (
	ReasonBadFrame      = "bad_frame"      // no magic byte and positive schema id in front
	ReasonBadSchema     = "bad_schema"     // the writer's schema is one that we do not decode with
	ReasonSyntax        = "syntax"         // bytes that the schema cannot have written
	ReasonTrailingBytes = "trailing_bytes" // something follows the value
	ReasonTooLarge      = "too_large"      // more bytes than MaxBytes
	ReasonTooMany       = "too_many"       // more items in a list than the cap
	ReasonBadUTF8       = "bad_utf8"       // a string that is no UTF-8
	ReasonDuplicateKey  = "duplicate_key"  // one map names a key twice
	ReasonMissingAnswer = "missing_answer" // no answer, or null
	ReasonWrongType     = "wrong_type"     // a known field of a type that cannot be read as ours
	ReasonOutOfRange    = "out_of_range"   // the right type, but no value of the field
	ReasonBadLogprobs   = "bad_logprobs"   // packed logprobs that are no whole rows
)

// Reasons lists every reason.
func Reasons() []string {
	return []string{
		ReasonBadFrame, ReasonBadSchema, ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooMany, ReasonBadUTF8,
		ReasonDuplicateKey, ReasonMissingAnswer, ReasonWrongType, ReasonOutOfRange, ReasonBadLogprobs,
	}
}

// Error says why a value or a schema was refused. It never holds text of a value: Field is one of our own names.
type Error struct {
	Reason string // one of Reasons
	Field  string // the top-level field it was met in, "" outside of known ones

	detail string // what was expected, in our words; of a schema also the words of the schema
}

// Error names the reason, the field and, where there is one, the remedy.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Reason)
	if e.Field != "" {
		b.WriteString(" in " + e.Field)
	}
	if e.detail != "" {
		b.WriteString(": " + e.detail)
	}
	return b.String()
}
