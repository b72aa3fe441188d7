package otlp

import (
	"strings"

	"confab/schemas"
	"confab/schemas/json/scan"
	"confab/schemas/otlp/wire"
)

// prompt reads the messages of the first convention that has some.
func (s *state) prompt(e *wire.Entry) {
	if v := s.fields.values[gaInstructions]; v != nil {
		s.recorded = true
		if raw, ok := s.json(v); !ok || s.readInstructions(raw) != nil {
			s.malformed(schemas.FieldMessages)
		}
	}
	had := len(s.in.Messages)
	found := func() bool { return len(s.in.Messages) > had }
	if s.listOf(gaInput); found() {
		return
	}
	if s.listOf(gaPrompt); found() {
		return
	}
	if s.eventMessages(e); found() {
		return
	}
	for _, list := range []family{oiInputMessages, oiPrompts, tlPrompts} {
		if s.flatMessages(list); found() {
			return
		}
	}
	for _, at := range []slot{postPrompt, tlInput, oiInput} {
		if s.genericInput(at); found() {
			return
		}
	}
}

// readInstructions reads the system prompt: parts, or a text.
func (s *state) readInstructions(raw []byte) *scan.Error {
	defer s.dropParts()
	if !looksLikeJSON(raw) {
		s.parts = append(s.parts, plainText(raw))
		s.addMessage("system", &s.in.Scratch)
		return nil
	}
	r := s.newScanner(raw)
	s.readContent(&r)
	s.keepScratch(&r)
	if r.Err == nil && len(s.parts) > 0 {
		s.addMessage("system", &s.in.Scratch)
	}
	return r.Err
}

// listOf reads a list of messages. A broken one leaves none.
func (s *state) listOf(at slot) {
	v := s.fields.values[at]
	if v == nil {
		return
	}
	s.recorded = true
	before := len(s.in.Messages)
	raw, ok := s.json(v)
	if ok {
		ok = s.readMessages(raw, "user", func(m *message, scratch *[]byte) bool {
			s.addMessage(m.role, scratch)
			return true
		}) == nil
	}
	if !ok && v.Kind != wire.Absent {
		s.in.Messages = s.in.Messages[:before]
		s.malformed(schemas.FieldMessages)
	}
}

// flatMessages reads messages in flattened names.
func (s *state) flatMessages(list family) {
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

// flatMember reads a member of a flattened message into its role or text, or into the parts.
func (s *state) flatMember(it *flatItem, role, text *string) {
	s.recorded = true
	switch strings.TrimPrefix(it.name, "message.") {
	case "role":
		*role, _ = it.value.Text(&s.in.Scratch)
	case "content", "prompt.text", "completion.text":
		if t, ok := it.value.Text(&s.in.Scratch); ok {
			*text = s.contentText(t)
		} else {
			s.malformed(schemas.FieldMessages)
		}
	case "message_content.text", "content.text":
		if t, ok := it.value.Text(&s.in.Scratch); ok && t != "" {
			s.parts = append(s.parts, t)
		}
	case "finish_reason":
		if s.in.FinishReason == "" {
			s.in.FinishReason, _ = it.value.Text(&s.in.Scratch)
		}
	}
}

// genericInput reads an input of which only the text is known: the messages of a request in JSON, or plain text.
func (s *state) genericInput(at slot) {
	v := s.fields.values[at]
	if v == nil {
		return
	}
	s.recorded = true
	raw, ok := s.json(v)
	if !ok {
		return
	}
	if looksLikeJSON(raw) {
		if raw = memberOf(raw, "messages"); raw == nil || raw[0] != '[' {
			return
		}
	}
	before := len(s.in.Messages)
	if s.readMessages(raw, "user", func(m *message, scratch *[]byte) bool {
		s.addMessage(m.role, scratch)
		return true
	}) != nil {
		s.in.Messages = s.in.Messages[:before]
	}
}

// answer reads the answer of the first convention that has one. The answer of an empty first choice, such as a call of a
// tool, is empty.
func (s *state) answer(e *wire.Entry) {
	for _, at := range []slot{gaOutput, gaCompletion} {
		if s.answerOf(at) {
			return
		}
	}
	if s.choiceEvent(e) {
		return
	}
	for _, list := range []family{oiOutputMessages, oiChoices, tlCompletions} {
		if s.flatAnswer(list) {
			return
		}
	}
	for _, at := range []slot{postAnswer, tlOutput, oiOutput} {
		if s.genericOutput(at) {
			return
		}
	}
}

// fault notes the first reason why an answer cannot be read.
func (s *state) fault(err *scan.Error) {
	if s.first == nil {
		s.first = &scan.Error{Reason: err.Reason, Field: "answer", Offset: err.Offset, Detail: "an attribute with the answer: " + err.Detail}
	}
}

// answerOf reads the first of the messages in a slot.
func (s *state) answerOf(at slot) bool {
	v := s.fields.values[at]
	if v == nil {
		return false
	}
	s.recorded = true
	raw, ok := s.json(v)
	if !ok {
		if v.Kind != wire.String || len(raw) > 0 {
			s.fault(&scan.Error{Reason: scan.ReasonWrongType, Detail: "expected text or messages"})
		}
		return false
	}
	return s.readAnswer(raw)
}

// readAnswer reads the first message as the answer and reports whether there is one.
func (s *state) readAnswer(raw []byte) bool {
	found := false
	err := s.readMessages(raw, "assistant", func(m *message, scratch *[]byte) bool {
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
func (s *state) flatAnswer(list family) bool {
	items := s.fields.items(list)
	if len(items) == 0 {
		return false
	}
	role, text := "", ""
	for i := 0; i < len(items) && items[i].index == items[0].index; i++ {
		s.flatMember(&items[i], &role, &text)
	}
	if text != "" {
		s.parts = append(s.parts, text)
	}
	s.in.Answer = s.joinParts(&s.in.Scratch)
	s.dropParts()
	if s.in.Answer == redacted {
		s.in.Answer = ""
	}
	return true
}

// genericOutput reads an output of which only the text is known: the completion of a response in JSON, or plain text.
func (s *state) genericOutput(at slot) bool {
	v := s.fields.values[at]
	if v == nil {
		return false
	}
	s.recorded = true
	raw, ok := s.json(v)
	if !ok {
		return false
	}
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
func (s *state) logprobs() {
	var raw []byte
	if v := s.fields.values[postTokens]; v != nil {
		raw, _ = s.json(v)
	} else if v := s.fields.values[oiOutput]; v != nil {
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
