package otlp

import (
	"cmp"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/schemas"
)

// eventMessages reads the messages of older events: those of the span, or the log records of the same span.
func (s *recordState) eventMessages(e *entry) {
	var list []byte
	add := func(role string, v *commonpb.AnyValue) { list = s.addEvent(list, role, v) }
	for _, event := range e.events {
		if role, ok := roleOfEvent(event.GetName()); ok {
			if v := attributeValue(event.GetAttributes(), "content", "gen_ai.prompt", "gen_ai.event.content", "message"); v != nil {
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

// addEvent appends the message of an event to a list in JSON that is not closed yet.
func (s *recordState) addEvent(list []byte, role string, v *commonpb.AnyValue) []byte {
	raw, ok := s.json(v)
	if !ok {
		if v.GetBytesValue() != nil {
			s.malformed(schemas.FieldMessages)
		}
		return list
	}
	if looksLikeJSON(raw) {
		if err := checkJSON(raw); err != nil {
			s.broken(err, len(raw))
			return list
		}
	}
	return appendMessage(list, role, raw)
}

// logMessages gives the messages in log records of the same span.
func (s *recordState) logMessages(e *entry, add func(role string, v *commonpb.AnyValue)) {
	list := s.trace.messages[spanKey{e.trace, e.span}]
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
	return cmp.Or(e.name, attributeText(e.attributes, "event.name"))
}

// bodyOf is the body of a log record, or what some write in its place; nil for none.
func bodyOf(e *entry) *commonpb.AnyValue {
	if e.body.GetValue() != nil {
		return e.body
	}
	return attributeValue(e.attributes, "gen_ai.event.content")
}

// choiceEvent reads the answer from an older event: the body of a log record, or the first such event of the span.
func (s *recordState) choiceEvent(e *entry) bool {
	var v *commonpb.AnyValue
	if e.log && eventOf(e) == eventChoice {
		v = bodyOf(e)
	}
	for _, event := range e.events {
		if event.GetName() == eventChoice && v == nil {
			v = attributeValue(event.GetAttributes(), "message", "content", "gen_ai.event.content", "gen_ai.completion")
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
