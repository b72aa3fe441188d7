package otlp

import (
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas"
)

// eventMessages reads the messages of older events: those of the span, or the log records of the same span.
func (s *recordState) eventMessages(e *entry, _ string) {
	for _, event := range e.events {
		if role, ok := roleOfEvent(event.GetName()); ok {
			if raw, ok := s.eventContent(event, "content", "gen_ai.prompt", "gen_ai.event.content", "message"); ok {
				_ = s.addMessages(raw, role)
			}
		}
	}
	if !e.log {
		return
	}
	list := s.trace.messagesOf(e)
	for _, at := range list[:min(len(list), maxEvents)] {
		if s.events++; s.events > maxJoinedEvents {
			s.malformed(schemas.FieldMessages)
			return
		}
		other := &s.batch.entries[at]
		role, ok := roleOfEvent(eventOf(other))
		if !ok {
			continue
		}
		if raw, ok := s.bodyOf(other); ok && s.addMessages(raw, role) != nil {
			s.malformed(schemas.FieldMessages)
		}
	}
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

// bodyOf is the body of a log record as JSON.
func (s *recordState) bodyOf(e *entry) ([]byte, bool) {
	if e.body.GetValue() == nil {
		return nil, false
	}
	return s.json(e.body)
}

// eventContent is the content of a span's event, as JSON: the first attribute with one of the keys.
func (s *recordState) eventContent(event *tracepb.Span_Event, keys ...string) (raw []byte, ok bool) {
	for _, a := range event.GetAttributes() {
		if slices.Contains(keys, a.GetKey()) {
			s.recorded = true
			return s.json(a.GetValue())
		}
	}
	return nil, false
}

// choiceEvent reads the answer from an older event: the body of a log record, or an event of the span.
func (s *recordState) choiceEvent(e *entry, _ string) bool {
	if e.log {
		raw, ok := s.bodyOf(e)
		if !ok || eventOf(e) != eventChoice {
			return false
		}
		answered := s.readAnswer(raw)
		s.recorded = s.recorded || s.in.Answer != ""
		return answered
	}
	for _, event := range e.events {
		if event.GetName() != eventChoice {
			continue
		}
		if raw, ok := s.eventContent(event, "message", "content", "gen_ai.event.content", "gen_ai.completion"); ok {
			return s.readAnswer(raw)
		}
	}
	return false
}

// isFurtherChoice reports the event of a choice after the first, which is the answer.
func (s *recordState) isFurtherChoice(e *entry) bool {
	if !e.log || e.body.GetKvlistValue() == nil || eventOf(e) != eventChoice {
		return false
	}
	n, ok := parseNumber(string(memberOf(appendJSON(nil, e.body), "index")))
	return ok && n > 0
}
