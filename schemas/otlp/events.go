package otlp

import (
	"cmp"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas"
)

// eventMessages reads the messages of older events: those of the span, or the log records of the same span.
func (s *recordState) eventMessages(e *entry) {
	var list []byte
	add := func(role string, v *commonpb.AnyValue) {
		raw, ok := s.json(v)
		switch {
		case !ok && v.GetStringValue() != "" || v.GetBytesValue() != nil:
			s.malformed(schemas.FieldMessages)
		case !ok:
		case !looksLikeJSON(raw):
			list = appendMessage(list, role, raw)
		default:
			s.openText(raw)
			if err := s.closeText(); err != nil {
				s.broken(err, len(raw))
			} else {
				list = appendMessage(list, role, raw)
			}
		}
	}
	for _, event := range e.events {
		if role, ok := roleOfEvent(event.GetName()); ok {
			if v := eventContent(event, "content", "gen_ai.prompt", "gen_ai.event.content", "message"); v != nil {
				add(role, v)
			}
		}
	}
	if e.log {
		s.logMessages(e, add)
	}
	if list != nil {
		s.request(append(list, ']'), formMessages)
		s.recorded = s.recorded || slices.ContainsFunc(s.in.Messages, func(m schemas.Message) bool { return m.Content != "" })
	}
}

// logMessages gives the messages in log records of the same span.
func (s *recordState) logMessages(e *entry, add func(role string, v *commonpb.AnyValue)) {
	list := s.trace.messagesOf(e)
	for _, at := range list[:min(len(list), maxEvents)] {
		if s.events++; s.events > maxJoinedEvents {
			s.malformed(schemas.FieldMessages)
			return
		}
		other := &s.batch.entries[at]
		if role, ok := roleOfEvent(eventOf(other)); ok {
			if v := bodyOf(other); v != nil {
				add(role, v)
			}
		}
	}
}

// appendMessage appends a message to a list in JSON that is not closed yet: raw if it is one, else one with that content.
func appendMessage(list []byte, role string, raw []byte) []byte {
	list = append(list, "[,"[min(len(list), 1)])
	quoted := appendQuoted(nil, role)
	switch {
	case !looksLikeJSON(raw):
		raw = appendQuoted(nil, plainText(raw))
	case memberOf(raw, "role") != nil:
		return append(list, raw...)
	case memberOf(raw, "content") != nil || memberOf(raw, "parts") != nil || memberOf(raw, "tool_calls") != nil:
		return append(append(append(append(list, `{"role":`...), quoted...), ','), raw[1:]...)
	}
	list = append(append(append(list, `{"role":`...), quoted...), `,"content":`...)
	return append(append(list, raw...), '}')
}

// roleOfEvent is the role of the message in an older event.
func roleOfEvent(name string) (role string, ok bool) {
	rest, ok := strings.CutPrefix(name, "gen_ai.")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, ".message")
}

// eventOf is the name of a log record's event.
func eventOf(e *entry) string {
	if e.name != "" {
		return e.name
	}
	return attributeText(e.attributes, "event.name")
}

// bodyOf is the body of a log record, or what some write in its place; nil for none.
func bodyOf(e *entry) *commonpb.AnyValue {
	if e.body.GetValue() != nil {
		return e.body
	}
	for _, a := range e.attributes {
		if a.GetKey() == "gen_ai.event.content" {
			return a.GetValue()
		}
	}
	return nil
}

// eventContent is the content of a span's event: the first attribute with one of the keys; nil for none.
func eventContent(event *tracepb.Span_Event, keys ...string) *commonpb.AnyValue {
	for _, a := range event.GetAttributes() {
		if slices.Contains(keys, a.GetKey()) {
			return a.GetValue()
		}
	}
	return nil
}

// choiceEvent reads the answer from an older event: the body of a log record, or the first such event of the span.
func (s *recordState) choiceEvent(e *entry) bool {
	var v *commonpb.AnyValue
	if e.log && eventOf(e) == eventChoice {
		v = bodyOf(e)
	}
	for _, event := range e.events {
		if event.GetName() == eventChoice && v == nil {
			v = eventContent(event, "message", "content", "gen_ai.event.content", "gen_ai.completion")
			reason := attributeText(event.GetAttributes(), "finish_reason")
			s.in.FinishReason = cmp.Or(s.in.FinishReason, reason)
		}
	}
	if v.GetValue() == nil {
		return false
	}
	raw, ok := s.json(v)
	if !ok || !looksLikeJSON(raw) {
		return s.readAnswer(v, formText)
	}
	if memberOf(raw, "message") != nil {
		raw = append(append([]byte(`{"choices":[`), raw...), `]}`...)
	} else {
		raw = append(appendMessage(nil, "assistant", raw), ']')
	}
	answered := s.response(raw, formMessages)
	s.recorded = s.recorded || !e.log || s.in.Answer != ""
	return answered
}

// isFurtherChoice reports the event of a choice after the first, which is the answer.
func (s *recordState) isFurtherChoice(e *entry) bool {
	if !e.log || e.body.GetKvlistValue() == nil || eventOf(e) != eventChoice {
		return false
	}
	n, ok := parseNumber(string(memberOf(appendJSON(nil, e.body), "index")))
	return ok && n > 0
}
