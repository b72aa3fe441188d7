package json

import "confab/schemas"

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
	{name: "streamed", read: func(s *reader) { s.in.Streamed = s.flag() }},
	{name: "temperature", read: (*reader).temperature},
	{name: "sources", read: (*reader).sources},
	{name: "response_schema", text: func(in *schemas.Interaction) *string { return &in.ResponseSchema }},
	{name: "attributes", read: (*reader).attributes},
	{name: "top_k", read: func(s *reader) { s.pending.topK = int(s.integer(0, MaxTopK)) }},
	{name: "token_logprobs", read: func(s *reader) { s.pending.packed = s.optional() }},
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

func (s *reader) prompt() { s.pending.prompt = s.optional() }

func (s *reader) answer() {
	s.in.Answer = s.optional()
	s.pending.answered = true
}

// temperature reads a number; every negative one says unknown.
func (s *reader) temperature() {
	if s.in.Temperature = s.float(); s.in.Temperature < 0 {
		s.in.Temperature = schemas.UnknownTemperature
	}
}

func (s *reader) tags() {
	l := s.list(MaxTags, "a list of strings")
	for s.more(&l) {
		if s.peek() != '"' {
			s.wrongType("a string")
			return
		}
		s.in.Tags = append(s.in.Tags, s.text())
	}
}

// attributes reads an object of strings. Numbers and booleans keep the text they are written in; null is absent.
func (s *reader) attributes() {
	if s.in.Attributes == nil {
		s.in.Attributes = make(map[string]string)
	}
	o := s.object("an object of strings")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		c := s.peek()
		start := s.pos
		switch {
		case c == '"':
			s.in.Attributes[name] = s.text()
		case c == '-' || c-'0' <= 9 || c == 't' || c == 'f':
			s.skip()
			s.in.Attributes[name] = s.since(start)
		case !s.null():
			s.wrongType("a string")
		}
		if len(s.in.Attributes) > MaxAttributes {
			s.fault(ReasonTooMany, "")
		}
	}
}
