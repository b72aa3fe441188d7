package json

import (
	"confab/schemas"
	"confab/schemas/json/scan"
)

// isRequired reports whether a malformed value of the field refuses the record: without a sound identity or answer there is
// nothing to evaluate.
func isRequired(field string) bool {
	return field == "answer" || field == "interaction_id" || field == "tenant"
}

// isMalformed reports whether a fault concerns the value of one field alone, unlike faults of the whole record (syntax,
// duplicate names, limits), which refuse it. Limits of log probabilities and of tools concern them alone.
func isMalformed(reason, field string) bool {
	switch reason {
	case scan.ReasonWrongType, scan.ReasonOutOfRange, scan.ReasonBadLogprobs:
		return true
	case scan.ReasonTooMany:
		return field == schemas.FieldLogprobs || field == schemas.FieldTools || field == schemas.FieldToolCalls
	default:
		return false
	}
}

// skipMalformed continues after a malformed value of an optional field, the current one: the field stays empty, its name is
// kept, and the value, which begins at the mark, is skipped with all other checks. entry is the field, or its entry of a map.
func (s *interactionReader) skipMalformed(entry string, start scan.Mark) {
	if s.Err == nil || isRequired(s.Field) || !isMalformed(s.Err.Reason, s.Field) {
		return
	}
	s.Rewind(start)
	s.dropField(entry)
	s.addMalformed(s.Field)
	s.Skip()
}

func (s *interactionReader) addMalformed(field string) {
	if s.in != nil {
		s.in.AddMalformed(field)
	}
}

// dropField removes what a malformed value left in its field.
func (s *interactionReader) dropField(field string) {
	switch field {
	case schemas.FieldLogprobs:
		s.pending.tokens.Reset()
	case schemas.FieldTopK:
		s.pending.badTopK = true
		return
	case schemas.FieldTokenLogprobs: // nothing was set, and logprobs may hold values
		return
	}
	s.in.ClearField(field)
}
