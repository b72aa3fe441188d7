package otlp

import (
	"cmp"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// promptPlaces are where conventions have the prompt.
//
//nolint:gochecknoglobals // a read-only table
var promptPlaces = []struct {
	at   string
	read func(s *recordState, e *entry, at string)
}{
	{"gen_ai.input.messages", (*recordState).listOf},
	{"gen_ai.prompt", (*recordState).listOf},
	{"", (*recordState).eventMessages},
	{"llm.input_messages.", (*recordState).flatMessages},
	{"llm.prompts.", (*recordState).flatMessages},
	{"gen_ai.prompt.", (*recordState).flatMessages},
	{"llm.request.prompt", (*recordState).plainPrompt},
	{"traceloop.entity.input", (*recordState).genericInput},
	{"input.value", (*recordState).genericInput},
}

// prompt reads the messages of the first convention that has some.
func (s *recordState) prompt(e *entry) {
	if v := s.fields.at("gen_ai.system_instructions"); v != nil {
		s.recorded = true
		if raw, ok := s.json(v); !ok || s.readInstructions(raw) != nil {
			s.malformed(schemas.FieldMessages)
		}
	}
	had := len(s.in.Messages)
	for i := 0; i < len(promptPlaces) && len(s.in.Messages) == had; i++ {
		promptPlaces[i].read(s, e, promptPlaces[i].at)
	}
}

// readInstructions reads the system prompt: parts, or a text.
func (s *recordState) readInstructions(raw []byte) *scan.Error {
	defer s.dropParts()
	if !looksLikeJSON(raw) {
		s.parts = append(s.parts, plainText(raw))
		s.addMessage("system", &s.in.Scratch)
		return nil
	}
	s.readContent(s.openText(raw), 0)
	err := s.closeText()
	if err == nil && len(s.parts) > 0 {
		s.addMessage("system", &s.in.Scratch)
	}
	return err
}

// plainPrompt reads a prompt that is a text, whatever it looks like.
func (s *recordState) plainPrompt(_ *entry, at string) {
	if v := s.fields.at(at); v != nil {
		s.recorded = true
		if text, ok := textOf(v); ok && isText(text) {
			s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: text})
		}
	}
}

// looksLikeMessages reports whether JSON begins like messages. Older GenAI has prompts and answers as plain text, too, which
// may be JSON.
func looksLikeMessages(raw []byte) bool {
	if !looksLikeJSON(raw) {
		return false
	}
	head := recordformat.StringView(raw[:min(len(raw), 200)])
	return strings.Contains(head, `"role"`) || strings.Contains(head, `"content"`) || strings.Contains(head, `"parts"`)
}

// listOf reads a list of messages. A broken one leaves none.
func (s *recordState) listOf(e *entry, at string) {
	v := s.fields.at(at)
	if v == nil {
		return
	}
	s.recorded = true
	raw, ok := s.json(v)
	if ok && at == "gen_ai.prompt" && !looksLikeMessages(raw) {
		s.plainPrompt(e, at)
		return
	}
	if !ok || s.addMessages(raw, "user") != nil {
		s.malformed(schemas.FieldMessages)
	}
}

// addMessages reads messages into the prompt. A broken list leaves none.
func (s *recordState) addMessages(raw []byte, plainRole string) *scan.Error {
	before := len(s.in.Messages)
	err := s.readMessages(raw, plainRole, func(m *spanMessage, scratch *[]byte) bool {
		s.recorded = s.recorded || len(s.parts) > 0
		s.addMessage(m.role, scratch)
		return true
	})
	if err != nil {
		s.in.Messages = s.in.Messages[:before]
	}
	return err
}

// flatMessages reads messages in flattened names.
func (s *recordState) flatMessages(_ *entry, list string) {
	for items := s.fields.items(list); len(items) > 0; s.dropParts() {
		n, role := s.flatMessage(items, nil)
		s.addMessage(cmp.Or(role, "user"), &s.in.Scratch)
		items = items[n:]
	}
}

// flatMessage reads the first message of a flattened list into the parts. It returns the number of its members. bad takes
// content that is no text.
func (s *recordState) flatMessage(items []flatItem, bad func(*commonpb.AnyValue)) (n int, role string) {
	text := ""
	for ; n < len(items) && items[n].index == items[0].index; n++ {
		if !s.flatMember(&items[n], &role, &text) && bad != nil {
			bad(items[n].value)
		}
	}
	if text != "" {
		s.parts = append(s.parts, text)
	}
	return n, role
}

// flatMember reads a member of a flattened message into its role or text, or into the parts; false for content that is no
// text.
func (s *recordState) flatMember(it *flatItem, role, text *string) bool {
	t, ok := textOf(it.value)
	switch name := strings.TrimPrefix(it.name, "message."); name {
	case "role":
		*role = t
	case "content", "prompt.text", "completion.text":
		if !ok {
			s.malformed(schemas.FieldMessages)
			return false
		}
		*text = s.contentText(t)
		s.recorded = s.recorded || t != redacted
	case "message_content.text", "content.text":
		if t != "" {
			s.parts = append(s.parts, t)
			s.recorded = s.recorded || t != redacted
		}
	case "finish_reason":
		s.in.FinishReason = cmp.Or(s.in.FinishReason, t)
	default:
		s.recorded = s.recorded || strings.HasPrefix(name, "tool_calls.")
	}
	return true
}

// genericInput reads an input of which only the text is known: the messages of a request in JSON, or plain text.
func (s *recordState) genericInput(_ *entry, at string) {
	v := s.fields.at(at)
	if v == nil {
		return
	}
	raw, ok := s.json(v)
	if !ok || string(raw) == redacted {
		return
	}
	s.recorded = true
	if looksLikeJSON(raw) {
		if raw = memberOf(raw, "messages"); raw == nil || raw[0] != '[' {
			return
		}
	}
	_ = s.addMessages(raw, "user") // it need not be messages
}
