package otlp

import (
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// answerPlaces are where conventions have the answer.
//
//nolint:gochecknoglobals // a read-only table
var answerPlaces = []struct {
	at   string
	read func(s *recordState, e *entry, at string) bool
}{
	{"gen_ai.output.messages", (*recordState).answerOf},
	{"gen_ai.completion", (*recordState).answerOf},
	{"", (*recordState).choiceEvent},
	{"llm.output_messages.", (*recordState).flatAnswer},
	{"llm.choices.", (*recordState).flatAnswer},
	{flatCompletions, (*recordState).flatAnswer},
	{"llm.response.text", (*recordState).plainAnswer},
	{"traceloop.entity.output", (*recordState).genericOutput},
	{"output.value", (*recordState).genericOutput},
}

// answer reads the answer of the first convention that has one. The answer of an empty first choice, such as a call of a
// tool, is empty.
func (s *recordState) answer(e *entry) {
	for i := range answerPlaces {
		if answerPlaces[i].read(s, e, answerPlaces[i].at) {
			return
		}
	}
}

// ReasonBadAnswer refuses a span whose answer is broken JSON: most often cut off.
const ReasonBadAnswer = "bad_answer"

// fault notes the first reason why an answer cannot be read.
func (s *recordState) fault(err *scan.Error) {
	if s.first != nil {
		return
	}
	s.first = &scan.Error{Reason: err.Reason, Field: "answer", Offset: err.Offset, Detail: "in an attribute with the answer: " + err.Detail}
	if err.Reason == scan.ReasonSyntax {
		s.first.Reason = ReasonBadAnswer
	}
}

// unreadable notes a value that is not a text with an answer. An empty one is no fault.
func (s *recordState) unreadable(v *commonpb.AnyValue) {
	switch v := v.GetValue().(type) {
	case nil, *commonpb.AnyValue_StringValue:
		return
	case *commonpb.AnyValue_BytesValue:
		if !utf8.Valid(v.BytesValue) {
			s.fault(&scan.Error{Reason: scan.ReasonBadUTF8, Detail: "text must be UTF-8"})
			return
		}
	}
	s.fault(&scan.Error{Reason: scan.ReasonWrongType, Detail: "expected text or messages"})
}

// answerOf reads the first of the messages in a slot.
func (s *recordState) answerOf(e *entry, at string) bool {
	v := s.fields.at(at)
	if v == nil {
		return false
	}
	s.recorded = true
	raw, ok := s.json(v)
	if !ok {
		s.unreadable(v)
		return false
	}
	if at == "gen_ai.completion" && !looksLikeMessages(raw) {
		return s.plainAnswer(e, at)
	}
	return s.readAnswer(raw)
}

// readAnswer reads the first message as the answer and reports whether there is one.
func (s *recordState) readAnswer(raw []byte) bool {
	found := false
	err := s.readMessages(raw, "assistant", func(m *spanMessage, scratch *[]byte) bool {
		if found {
			return true // only to check the rest
		}
		found = true
		if s.in.Answer = s.joinParts(scratch); s.in.Answer == redacted {
			s.in.Answer = ""
		}
		if s.in.FinishReason == "" {
			s.in.FinishReason = m.finish
		}
		return true
	})
	if err != nil {
		s.in.Answer = ""
		s.fault(err)
		return false
	}
	return found
}

// flatAnswer reads the first message of a flattened list as the answer.
func (s *recordState) flatAnswer(_ *entry, list string) bool {
	items := s.fields.items(list)
	if len(items) == 0 {
		return false
	}
	s.flatMessage(items, s.unreadable)
	s.in.Answer = s.joinParts(&s.in.Scratch)
	s.dropParts()
	if s.in.Answer == redacted {
		s.in.Answer = ""
	}
	return true
}

// plainAnswer reads an answer that is a text, whatever it looks like.
func (s *recordState) plainAnswer(_ *entry, at string) bool {
	v := s.fields.at(at)
	if v == nil {
		return false
	}
	s.recorded = true
	text, ok := textOf(v)
	if !ok {
		s.unreadable(v)
	} else if text != redacted {
		s.in.Answer = text
	}
	return ok
}

// genericOutput reads an output of which only the text is known: the completion of a response in JSON, or plain text.
func (s *recordState) genericOutput(_ *entry, at string) bool {
	v := s.fields.at(at)
	if v == nil {
		return false
	}
	raw, ok := s.json(v)
	if !ok || string(raw) == redacted {
		return false
	}
	s.recorded = true
	if !looksLikeJSON(raw) {
		if text := plainText(raw); isText(text) {
			s.in.Answer = text
			return true
		}
		return false
	}
	if choice := memberOf(raw, "choices", "0", "message"); choice != nil {
		return s.readAnswer(choice)
	}
	return false
}

// logprobs reads token probabilities: the published post's attribute, or those of a response in OpenAI's shape.
func (s *recordState) logprobs() {
	var raw []byte
	if v := s.fields.at("llm.response.tokens_json"); v != nil {
		raw, _ = s.json(v)
	} else if v := s.fields.at("output.value"); v != nil {
		if out, ok := s.json(v); ok && looksLikeJSON(out) {
			raw = memberOf(out, "choices", "0", "logprobs")
		}
		if raw == nil || raw[0] != '{' {
			return
		}
	} else {
		return
	}
	if len(raw) > 0 && raw[0] == '[' { // the tokens alone
		raw = append(append([]byte(`{"content":`), raw...), '}')
	}
	if len(raw) == 0 || s.d.fields.DecodeField(schemas.FieldLogprobs, raw, s.in) != nil {
		s.malformed(schemas.FieldLogprobs)
	}
}
