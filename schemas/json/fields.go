package json

import (
	"math"
	"strconv"
	"strings"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// interactionField is a known top-level name of an interaction. Exactly one of text and read is set; null counts as
// absent.
type interactionField struct {
	name string
	text func(*schemas.Interaction) *string
	read func(*interactionReader)
}

// interactionFields are in the order of the published schema, which most producers follow.
//
//nolint:gochecknoglobals // a read-only table
var interactionFields = [...]interactionField{
	{name: "interaction_id", text: func(in *schemas.Interaction) *string { return &in.ID }},
	{name: "tenant", text: func(in *schemas.Interaction) *string { return &in.Tenant }},
	{name: "service", text: func(in *schemas.Interaction) *string { return &in.Service }},
	{name: "operation", text: func(in *schemas.Interaction) *string { return &in.Operation }},
	{name: "provider", text: func(in *schemas.Interaction) *string { return &in.Provider }},
	{name: "model", text: func(in *schemas.Interaction) *string { return &in.Model }},
	{name: "occurred_at", read: (*interactionReader).occurredAt},
	{name: "trace_id", text: func(in *schemas.Interaction) *string { return &in.TraceID }},
	{name: "span_id", text: func(in *schemas.Interaction) *string { return &in.SpanID }},
	{name: "conversation_id", text: func(in *schemas.Interaction) *string { return &in.ConversationID }},
	{name: "tags", read: (*interactionReader).tags},
	{name: "messages", read: (*interactionReader).messages},
	{name: "prompt", read: (*interactionReader).prompt},
	{name: "answer", read: (*interactionReader).answer},
	{name: "finish_reason", text: func(in *schemas.Interaction) *string { return &in.FinishReason }},
	{name: "streamed", read: (*interactionReader).streamed},
	{name: "temperature", read: (*interactionReader).temperature},
	{name: schemas.FieldUserFeedback, read: (*interactionReader).userFeedback},
	{name: "user_feedback_by", text: func(in *schemas.Interaction) *string { return &in.UserFeedbackBy }},
	{name: "sources", read: (*interactionReader).sources},
	{name: "response_schema", text: func(in *schemas.Interaction) *string { return &in.ResponseSchema }},
	{name: "attributes", read: (*interactionReader).attributes},
	{name: "tools", read: (*interactionReader).tools},
	{name: "tool_calls", read: (*interactionReader).toolCalls},
	{name: "top_k", read: (*interactionReader).topK},
	{name: "token_logprobs", read: func(s *interactionReader) { s.pending.packed = s.OptionalText() }},
	{name: "logprobs", read: (*interactionReader).logprobs},
}

// FieldNames returns the known top-level names of an interaction, in the order of the published schema.
func FieldNames() []string {
	names := make([]string, len(interactionFields))
	for i := range interactionFields {
		names[i] = interactionFields[i].name
	}
	return names
}

// findField returns the index of a name in interactionFields, -1 for an unknown one. The search starts at an index and
// wraps around, so that members in schema order are found at once.
func findField(name string, at int) int {
	for range interactionFields {
		if at >= len(interactionFields) {
			at = 0
		}
		if interactionFields[at].name == name {
			return at
		}
		at++
	}
	return -1
}

func (s *interactionReader) prompt() { s.pending.prompt = s.text() }

func (s *interactionReader) answer() {
	s.in.Answer = s.OptionalText()
	s.pending.answered = true
}

// temperature reads a number; any negative one means unknown.
func (s *interactionReader) temperature() {
	if s.in.Temperature = s.number(); s.in.Temperature < 0 {
		s.in.Temperature = schemas.UnknownTemperature
	}
}

// topK reads a whole number.
func (s *interactionReader) topK() {
	n := s.number()
	if n < 0 || n > recordformat.MaxTopK || n != math.Trunc(n) {
		s.Fault(scan.ReasonOutOfRange, "expected a whole number within the field's bounds")
		return
	}
	s.pending.topK = int(n)
}

// streamed reads true or false, also in a text.
func (s *interactionReader) streamed() {
	if s.Peek() != '"' {
		s.in.Streamed = s.Bool()
		return
	}
	switch strings.ToLower(s.Text()) {
	case "true":
		s.in.Streamed = true
	case "false":
	default:
		s.Fault(scan.ReasonWrongType, "expected true or false")
	}
}

// tags reads a list of texts, or one text. A malformed tag is left out.
func (s *interactionReader) tags() {
	if s.Peek() == '"' {
		s.in.Tags = append(s.in.Tags, s.Text())
		return
	}
	l := s.List(recordformat.MaxTags, "a list of strings")
	for s.More(&l) {
		if c := s.Peek(); c == '"' || c == '-' || c-'0' <= 9 {
			s.in.Tags = append(s.in.Tags, s.text())
		} else {
			s.addMalformed(s.Field)
			s.Skip()
		}
	}
}

// attributes reads an object of strings. Numbers and booleans keep their source text; null is absent, and another value is left
// out.
func (s *interactionReader) attributes() {
	if s.in.Attributes == nil {
		s.in.Attributes = make(map[string]string)
	}
	o := s.Object("an object of strings")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		c := s.Peek()
		start := s.Pos
		switch {
		case c == '"':
			s.in.Attributes[name] = s.Text()
		case c == '-' || c-'0' <= 9 || c == 't' || c == 'f':
			s.Skip()
			s.in.Attributes[name] = s.Since(start)
		case !s.Null():
			s.addMalformed(s.Field)
			s.Skip()
		}
		if len(s.in.Attributes) > recordformat.MaxAttributes {
			s.Fault(scan.ReasonTooMany, "")
		}
	}
}

// occurredAt reads an RFC 3339 string or a number since 1970, whose magnitude tells its unit; 0 is the unknown time.
func (s *interactionReader) occurredAt() {
	n, ok := s.timeNumber()
	if !ok {
		s.timeText()
		return
	}
	if ms, ok := recordformat.MillisOf(n); !ok {
		s.Fault(scan.ReasonOutOfRange, "not a time since 1970 in seconds, milli-, micro- or nanoseconds")
	} else if ms != 0 && s.Err == nil {
		s.in.OccurredAt = time.UnixMilli(ms).UTC()
	}
}

// timeNumber reads a number, or one in a text; false for another text, which is not consumed.
func (s *interactionReader) timeNumber() (n float64, ok bool) {
	if s.Peek() != '"' {
		if c := s.Peek(); c != '-' && c-'0' > 9 {
			s.WrongType("an RFC 3339 string or a number since 1970")
			return 0, true
		}
		return s.Float(), true
	}
	start := s.Mark()
	text := s.Text()
	if strings.Trim(text, "0123456789.") == "" { // not tried on other texts, as an error allocates
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n, true
		}
	}
	if s.Err != nil {
		return 0, true
	}
	s.Rewind(start)
	return 0, false
}

// timeText reads an RFC 3339 string.
func (s *interactionReader) timeText() {
	text := s.Text() + s.clock
	t, ok := parseTime(text, s.zone, s.order)
	if s.Err != nil {
		return
	}
	if ms := t.UnixMilli(); !ok || ms < recordformat.MinMillis || ms > recordformat.MaxMillis {
		s.in.UnreadTime, s.in.UnreadOrder = text, s.order
		s.Fault(scan.ReasonOutOfRange, "expected RFC 3339 with a zone, such as 2026-11-21T10:00:00Z; set time_zone of the input for times without one")
		return
	}
	s.in.OccurredAt = t
}
