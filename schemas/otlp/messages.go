package otlp

import (
	"cmp"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// spanMessage is a message that is being read. Its texts are in state.parts, the results of tools in state.results.
type spanMessage struct {
	role, finish string
}

// readMessages reads messages of GenAI, of either generation: a list, one object, or a text that is not JSON. Each is given
// to take; false ends the reading. The error is the first fault.
func (s *recordState) readMessages(raw []byte, plainRole string, take func(m *spanMessage, scratch *[]byte) bool) *scan.Error {
	if !looksLikeJSON(raw) {
		if text := plainText(raw); isText(text) {
			s.parts = append(s.parts, text)
			take(&spanMessage{role: plainRole}, &s.in.Scratch)
		}
		s.dropParts()
		return nil
	}
	r := s.openText(raw)
	next := func() bool {
		m := s.readMessage(r, plainRole)
		ok := r.Err == nil && take(&m, &r.Scratch)
		s.dropParts()
		return ok
	}
	if r.Peek() == '{' {
		next()
	} else {
		l := r.List(recordformat.MaxMessages, "a list of messages")
		for r.More(&l) {
			if !next() {
				break
			}
		}
	}
	return s.closeText()
}

// plainText is a text that is not JSON, or the text of a JSON string.
func plainText(raw []byte) string {
	if len(raw) > 1 && raw[0] == '"' {
		r := scan.New(1)
		r.Start(raw)
		text := r.Text()
		if r.End(); r.Err == nil {
			return text
		}
	}
	return recordformat.StringView(raw)
}

func (s *recordState) dropParts() {
	clear(s.parts)
	clear(s.results)
	s.parts, s.results = s.parts[:0], s.results[:0]
}

// readMessage reads one message: an object, or a text.
func (s *recordState) readMessage(r *scan.Scanner, plainRole string) spanMessage {
	m := spanMessage{role: plainRole}
	if r.Peek() == '"' {
		s.parts = append(s.parts, r.Text())
		return m
	}
	o := r.Object("a message")
	for name, ok := r.Next(&o); ok; name, ok = r.Next(&o) {
		switch name {
		case "role":
			m.role = r.OptionalText()
		case "finish_reason":
			m.finish = r.OptionalText()
		case "parts", "content":
			s.readContent(r)
		case "message": // of a choice
			inner := s.readMessage(r, plainRole)
			m.role = inner.role
		default:
			r.Skip()
		}
	}
	return m
}

// readContent reads a text, null, a part or a list of parts.
func (s *recordState) readContent(r *scan.Scanner) {
	switch r.Peek() {
	case '"':
		s.parts = append(s.parts, r.Text())
	case '[':
		l := r.List(recordformat.MaxMessages, "")
		for r.More(&l) {
			s.readPart(r)
		}
	case '{':
		s.readPart(r)
	default:
		r.Skip()
	}
}

// readPart reads one part: a text, or an object with a type.
func (s *recordState) readPart(r *scan.Scanner) {
	if r.Peek() != '{' {
		s.readContent(r)
		return
	}
	var part messagePart
	o := r.Object("")
	for name, ok := r.Next(&o); ok; name, ok = r.Next(&o) {
		part.read(r, name)
	}
	switch part.kind {
	case "", "text", "output_text", "input_text", "refusal":
		if part.text != "" {
			s.parts = append(s.parts, part.text)
		}
	case "tool_call_response", "server_tool_call_response", "tool_result":
		if result := cmp.Or(part.result, part.text, part.other); result != "" && result != "null" {
			s.results = append(s.results, result)
		}
	}
}

// messagePart is a part of a message. Reasoning and calls of tools have none of its texts.
type messagePart struct {
	kind, text, result string
	other              string // content that is not a text, as its source text
}

// read reads a member.
func (p *messagePart) read(r *scan.Scanner, name string) {
	switch name {
	case "type":
		p.kind = r.OptionalText()
	case "text", "content":
		if r.Peek() == '"' {
			p.text = r.Text()
		} else {
			p.other = recordformat.StringView(r.Source())
		}
	case "response", "result":
		if r.Peek() == '"' {
			p.result = r.Text()
		} else {
			p.result = recordformat.StringView(r.Source())
		}
	default:
		r.Skip()
	}
}

// joinParts joins the texts of a message by line breaks.
func (s *recordState) joinParts(scratch *[]byte) string {
	if len(s.parts) == 1 {
		return s.parts[0]
	}
	begin := len(*scratch)
	for i, p := range s.parts {
		if i > 0 {
			*scratch = append(*scratch, '\n')
		}
		*scratch = append(*scratch, p...)
	}
	return recordformat.StringView((*scratch)[begin:])
}

// addMessage appends the message that was read to the prompt, the results of tools as messages of their own.
func (s *recordState) addMessage(role string, scratch *[]byte) {
	text := s.joinParts(scratch)
	if text == redacted {
		return
	}
	if text != "" || len(s.results) == 0 {
		s.in.Messages = append(s.in.Messages, schemas.Message{Role: usualRole(role), Content: text})
	}
	for _, result := range s.results {
		s.in.Messages = append(s.in.Messages, schemas.Message{Role: "tool", Content: result})
	}
	if len(s.in.Messages) > recordformat.MaxMessages {
		s.in.Messages = s.in.Messages[:recordformat.MaxMessages]
	}
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

// contentText returns the text of a content that OpenLLMetry and others write as a text of JSON parts.
func (s *recordState) contentText(text string) string {
	if len(text) < 2 || text[0] != '[' || !strings.Contains(text[:min(len(text), 200)], `"type"`) {
		return text
	}
	r := s.openText(bytesOf(text))
	s.readContent(r)
	r.End()
	err := s.closeText()
	defer s.dropParts()
	if err != nil || len(s.parts) == 0 {
		return text
	}
	return s.joinParts(&s.in.Scratch)
}
