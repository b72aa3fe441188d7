package otlp

import (
	"strings"

	"confab/schemas"
	"confab/schemas/otlp/conventions"
	"confab/schemas/otlp/wire"
)

// eventMessages reads the messages of older events: those of the span, or the log records of the same span.
func (s *recordState) eventMessages(e *wire.Entry) {
	for k := range e.Events {
		if role, ok := roleOfEvent(e.Events[k].Name); ok {
			s.spanEventMessage(&e.Events[k], role)
		}
	}
	if !e.Log {
		return
	}
	list := s.trace.MessagesOf(e)
	for _, at := range list[:min(len(list), maxEvents)] {
		if s.events++; s.events > maxJoinedEvents {
			s.malformed(schemas.FieldMessages)
			return
		}
		other := &s.batch.Entries[at]
		role, ok := roleOfEvent(eventOf(other))
		if !ok {
			continue
		}
		if raw, ok := s.bodyOf(other); ok {
			before := len(s.in.Messages)
			if s.readMessages(raw, role, func(m *spanMessage, scratch *[]byte) bool {
				s.recorded = s.recorded || len(s.parts) > 0
				s.addMessage(m.role, scratch)
				return true
			}) != nil {
				s.in.Messages = s.in.Messages[:before]
				s.malformed(schemas.FieldMessages)
			}
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
func eventOf(e *wire.Entry) string {
	if e.Name != "" {
		return e.Name
	}
	for i := range e.Attributes {
		if e.Attributes[i].Key == "event.name" {
			var scratch []byte
			name, _ := e.Attributes[i].Value.Text(&scratch)
			return name
		}
	}
	return ""
}

// bodyOf is the body of a log record as JSON.
func (s *recordState) bodyOf(e *wire.Entry) ([]byte, bool) {
	if e.Body.Kind == wire.Absent {
		return nil, false
	}
	return s.json(&e.Body)
}

// spanEventMessage reads a message whose content is an attribute of a span's event.
func (s *recordState) spanEventMessage(event *wire.Event, role string) {
	for i := range event.Attributes {
		a := &event.Attributes[i]
		switch a.Key {
		case "content", "gen_ai.prompt", "gen_ai.event.content", "message":
			s.recorded = true
			if raw, ok := s.json(&a.Value); ok {
				_ = s.readMessages(raw, role, func(m *spanMessage, scratch *[]byte) bool {
					s.addMessage(m.role, scratch)
					return true
				})
			}
			return
		}
	}
}

// choiceEvent reads the answer from an older event: the body of a log record, or an event of the span.
func (s *recordState) choiceEvent(e *wire.Entry) bool {
	if e.Log {
		raw, ok := s.bodyOf(e)
		if !ok || eventOf(e) != conventions.EventChoice {
			return false
		}
		answered := s.readAnswer(raw)
		s.recorded = s.recorded || s.in.Answer != ""
		return answered
	}
	for i := range e.Events {
		if e.Events[i].Name != conventions.EventChoice {
			continue
		}
		for k := range e.Events[i].Attributes {
			a := &e.Events[i].Attributes[k]
			switch a.Key {
			case "message", "content", "gen_ai.event.content", "gen_ai.completion":
				s.recorded = true
				if raw, ok := s.json(&a.Value); ok {
					return s.readAnswer(raw)
				}
			}
		}
	}
	return false
}

// isFurtherChoice reports the event of a choice after the first, which is the answer.
func (s *recordState) isFurtherChoice(e *wire.Entry) bool {
	if !e.Log || e.Body.Kind != wire.Map || eventOf(e) != conventions.EventChoice {
		return false
	}
	var scratch []byte
	raw, ok := e.Body.JSON(&scratch)
	if !ok {
		return false
	}
	n, ok := numberOf(memberOf(raw, "index"))
	return ok && n > 0
}
