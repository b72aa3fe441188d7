package avro

import "strings"

// Reasons of refusal of a value or a schema: a closed set, used as metric labels and in dead letters. Those that
// schemas/json also has mean the same.
const (
	ReasonBadFrame      = "bad_frame"      // no magic byte or no positive schema id
	ReasonBadSchema     = "bad_schema"     // an unsupported writer's schema
	ReasonSyntax        = "syntax"         // bytes that the schema cannot have written
	ReasonTrailingBytes = "trailing_bytes" // something follows the value
	ReasonTooLarge      = "too_large"      // larger than MaxBytes
	ReasonTooMany       = "too_many"       // more list items than the limit
	ReasonBadUTF8       = "bad_utf8"       // a string that is not UTF-8
	ReasonDuplicateKey  = "duplicate_key"  // a repeated key in one map
	ReasonMissingAnswer = "missing_answer" // no answer, or null
	ReasonWrongType     = "wrong_type"     // a known field of an incompatible type
	ReasonOutOfRange    = "out_of_range"   // a value outside the field's range
)

// Reasons lists every reason.
func Reasons() []string {
	return []string{
		ReasonBadFrame, ReasonBadSchema, ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooMany, ReasonBadUTF8,
		ReasonDuplicateKey, ReasonMissingAnswer, ReasonWrongType, ReasonOutOfRange,
	}
}

// Error is a refusal of a value or a schema. It holds no text of a value.
type Error struct {
	Reason string // one of Reasons
	Field  string // the known top-level field, "" outside of them

	detail string // what was expected; of a schema also names in it
}

// Error implements error.
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
