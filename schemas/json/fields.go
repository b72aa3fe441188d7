package json

import (
	"confab/schemas"
	"confab/schemas/json/scan"
)

// field is one known top-level name of an interaction. Exactly one of text and read is set; null counts as absent.
type field struct {
	name string
	text func(*schemas.Interaction) *string
	read func(*reader)
}

// fields are in the order of the published schema, which is the order in which producers tend to write them.
//
//nolint:gochecknoglobals // a read-only table
var fields = [...]field{
	{name: "interaction_id", text: func(in *schemas.Interaction) *string { return &in.ID }},
	{name: "tenant", text: func(in *schemas.Interaction) *string { return &in.Tenant }},
	{name: "service", text: func(in *schemas.Interaction) *string { return &in.Service }},
	{name: "operation", text: func(in *schemas.Interaction) *string { return &in.Operation }},
	{name: "provider", text: func(in *schemas.Interaction) *string { return &in.Provider }},
	{name: "model", text: func(in *schemas.Interaction) *string { return &in.Model }},
	{name: "occurred_at", read: (*reader).occurredAt},
	{name: "trace_id", text: func(in *schemas.Interaction) *string { return &in.TraceID }},
	{name: "span_id", text: func(in *schemas.Interaction) *string { return &in.SpanID }},
	{name: "conversation_id", text: func(in *schemas.Interaction) *string { return &in.ConversationID }},
	{name: "tags", read: (*reader).tags},
	{name: "messages", read: (*reader).messages},
	{name: "prompt", read: (*reader).prompt},
	{name: "answer", read: (*reader).answer},
	{name: "finish_reason", text: func(in *schemas.Interaction) *string { return &in.FinishReason }},
	{name: "streamed", read: func(s *reader) { s.in.Streamed = s.Flag() }},
	{name: "temperature", read: (*reader).temperature},
	{name: "sources", read: (*reader).sources},
	{name: "response_schema", text: func(in *schemas.Interaction) *string { return &in.ResponseSchema }},
	{name: "attributes", read: (*reader).attributes},
	{name: "top_k", read: func(s *reader) { s.pending.topK = int(s.Integer(0, MaxTopK)) }},
	{name: "token_logprobs", read: func(s *reader) { s.pending.packed = s.Optional() }},
	{name: "logprobs", read: (*reader).logprobs},
}

// FieldNames lists the known top-level names of an interaction, in the order of the published schema.
func FieldNames() []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return names
}

// findField is the place of a name in fields, -1 when it is not there. The search begins at a place and goes around,
// so that members in our order are found at once.
func findField(name string, at int) int {
	for range fields {
		if at >= len(fields) {
			at = 0
		}
		if fields[at].name == name {
			return at
		}
		at++
	}
	return -1
}

func (s *reader) prompt() { s.pending.prompt = s.Optional() }

func (s *reader) answer() {
	s.in.Answer = s.Optional()
	s.pending.answered = true
}

// temperature reads a number; every negative one says unknown.
func (s *reader) temperature() {
	if s.in.Temperature = s.Float(); s.in.Temperature < 0 {
		s.in.Temperature = schemas.UnknownTemperature
	}
}

func (s *reader) tags() {
	l := s.List(MaxTags, "a list of strings")
	for s.More(&l) {
		if s.Peek() != '"' {
			s.WrongType("a string")
			return
		}
		s.in.Tags = append(s.in.Tags, s.Text())
	}
}

// attributes reads an object of strings. Numbers and booleans keep the text they are written in; null is absent.
func (s *reader) attributes() {
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
			s.WrongType("a string")
		}
		if len(s.in.Attributes) > MaxAttributes {
			s.Fault(scan.ReasonTooMany, "")
		}
	}
}
