package otlp

import (
	"cmp"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// prompt reads the messages of the first convention that has some.
func (s *recordState) prompt(e *entry) {
	if v := s.fields.at("gen_ai.system_instructions"); v != nil {
		s.recorded = true
		if raw, ok := s.json(v); !ok || s.readInstructions(raw) != nil {
			s.malformed(schemas.FieldMessages)
		}
	}
	had := len(s.in.Messages)
	found := func() bool { return len(s.in.Messages) > had }
	if s.listOf("gen_ai.input.messages"); found() {
		return
	}
	if s.listOf("gen_ai.prompt"); found() {
		return
	}
	if s.eventMessages(e); found() {
		return
	}
	for _, list := range []string{"llm.input_messages.", "llm.prompts.", "gen_ai.prompt."} {
		if s.flatMessages(list); found() {
			return
		}
	}
	if s.plainPrompt("llm.request.prompt"); found() {
		return
	}
	for _, at := range []string{"traceloop.entity.input", "input.value"} {
		if s.genericInput(at); found() {
			return
		}
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
func (s *recordState) plainPrompt(at string) {
	if v := s.fields.at(at); v != nil {
		s.recorded = true
		if text, ok := textOf(v); ok && isText(text) {
			s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: text})
		}
	}
}

// plainAnswer reads an answer that is a text, whatever it looks like.
func (s *recordState) plainAnswer(at string) bool {
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
func (s *recordState) listOf(at string) {
	v := s.fields.at(at)
	if v == nil {
		return
	}
	s.recorded = true
	raw, ok := s.json(v)
	if ok && at == "gen_ai.prompt" && !looksLikeMessages(raw) {
		s.plainPrompt(at)
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
func (s *recordState) flatMessages(list string) {
	items := s.fields.items(list)
	for from := 0; from < len(items); {
		to := from
		role, text := "", ""
		for ; to < len(items) && items[to].index == items[from].index; to++ {
			s.flatMember(&items[to], &role, &text)
		}
		from = to
		if text != "" {
			s.parts = append(s.parts, text)
		}
		if role == "" {
			role = "user"
		}
		s.addMessage(role, &s.in.Scratch)
		s.dropParts()
	}
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
func (s *recordState) genericInput(at string) {
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
