package otlp

import (
	"cmp"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
	"confab/schemas"
)

// flatTurn is a message in flattened names.
type flatTurn struct {
	role, text string
	others     bool // it has reasoning or calls of tools
	size       int  // its members
}

// flatMessages reads messages in flattened names.
func (s *recordState) flatMessages(list string) {
	for items := s.fields.items(list); len(items) > 0; {
		m := s.flatTurn(items, nil)
		if items = items[m.size:]; m.text != redacted {
			s.in.Messages = append(s.in.Messages, schemas.Message{Role: usualRole(cmp.Or(m.role, "user")), Content: m.text})
		}
	}
	s.in.Messages = s.in.Messages[:min(len(s.in.Messages), recordformat.MaxMessages)]
}

// usualRole is the usual word for a role.
func usualRole(role string) string {
	switch role {
	case "human":
		return "user"
	case "ai", "model":
		return "assistant"
	}
	return role
}

// flatAnswer reads the answer of a flattened list: the first text, for others are further choices; the last one in a list of
// output items, some of which are reasoning or calls of tools.
func (s *recordState) flatAnswer(list string) bool {
	items := s.fields.items(list)
	if len(items) == 0 {
		return false
	}
	steps := false
	for len(items) > 0 {
		m := s.flatTurn(items, s.unreadable)
		items = items[m.size:]
		steps = steps || m.others && m.text == ""
		if m.text != "" && m.text != redacted && (s.in.Answer == "" || steps) {
			s.in.Answer = m.text
		}
	}
	return true
}

// flatTurn reads the first message of a flattened list. bad takes content that is no text.
func (s *recordState) flatTurn(items []flatItem, bad func(*commonpb.AnyValue)) (m flatTurn) {
	var part flatPart
	for ; m.size < len(items) && items[m.size].index == items[0].index; m.size++ {
		it := &items[m.size]
		if it.part != part.index {
			m.add(s, &part)
			part = flatPart{index: it.part}
		}
		text, ok := textOf(it.value)
		switch name := strings.TrimPrefix(it.name, "message."); name {
		case "role":
			m.role = text
		case "content", "prompt.text", "completion.text":
			m.content(s, text)
			if !ok {
				s.malformed(schemas.FieldMessages)
				if bad != nil {
					bad(it.value)
				}
			}
		case "message_content.type":
			part.reasoning = text == "reasoning" || text == "thinking"
		case "message_content.text", "content.text":
			part.text = text
		case "finish_reason":
			s.in.FinishReason = cmp.Or(s.in.FinishReason, text)
		default:
			m.others = m.others || strings.HasPrefix(name, "tool_calls.") || strings.HasPrefix(name, "reasoning")
		}
	}
	m.add(s, &part)
	s.recorded = s.recorded || m.others
	return m
}

// flatPart is a part of a content in flattened names.
type flatPart struct {
	index     int
	text      string
	reasoning bool
}

// add adds the text of a part.
func (m *flatTurn) add(s *recordState, p *flatPart) {
	switch m.others = m.others || p.reasoning; {
	case p.text == "" || p.reasoning || p.text == redacted:
	case m.text == "":
		m.text, s.recorded = p.text, true
	default:
		m.text += "\n" + p.text
	}
}

// content sets the text of a content, which OpenLLMetry and others may write as JSON of parts.
func (m *flatTurn) content(s *recordState, text string) {
	if s.recorded = s.recorded || text != redacted; text == redacted {
		return
	}
	if m.text = text; len(text) < 2 || text[0] != '[' || !strings.Contains(text[:min(len(text), 200)], `"type"`) {
		return
	}
	var in schemas.Interaction
	if raw := appendMessage(nil, "user", bytesOf(text)); s.api.Request(append(raw, ']'), &in) == nil && len(in.Messages) > 0 {
		m.text = in.Messages[0].Content
	}
}
