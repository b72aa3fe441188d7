package otlp

import (
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
	first, end := r.Within(0, '[')
	if r.Kind(0) == '{' {
		end = 1
	}
	for at, n := first, 0; at < end && r.Err == nil; at = r.After(at) {
		if n++; n > recordformat.MaxMessages {
			r.Pos = at
			r.Fault(scan.ReasonTooMany, "")
		}
		m := s.readMessage(r, at, plainRole)
		ok := r.Err == nil && take(&m, &r.Scratch)
		if s.dropParts(); !ok {
			break
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
func (s *recordState) readMessage(r *scan.Scanner, at int, plainRole string) spanMessage {
	m := spanMessage{role: plainRole}
	switch r.Kind(at) {
	case '"':
		s.parts = append(s.parts, r.TextAt(at))
	case '{':
	default:
		r.Pos = at
		r.WrongType("a message")
	}
	for i, end := r.Within(at, '{'); i < end; i = r.After(i + 1) {
		switch value := i + 1; r.NameAt(i) {
		case "role":
			m.role = r.TextAt(value)
		case "finish_reason":
			m.finish = r.TextAt(value)
		case "parts", "content":
			s.readContent(r, value)
		case "message": // of a choice
			m.role = s.readMessage(r, value, plainRole).role
		}
	}
	return m
}

// readContent reads a text, a part or a list of these. Others have none of its texts.
func (s *recordState) readContent(r *scan.Scanner, at int) {
	switch r.Kind(at) {
	case '"':
		s.parts = append(s.parts, r.TextAt(at))
	case '[':
		for i, end := r.Within(at, '['); i < end; i = r.After(i) {
			s.readContent(r, i)
		}
	case '{':
		s.readPart(r, at)
	}
}

// readPart reads an object with a type. Reasoning and calls of tools have none of its texts.
func (s *recordState) readPart(r *scan.Scanner, at int) {
	member := func(names ...string) int {
		for _, name := range names {
			if at, _ := r.Find(at, name); at >= 0 {
				return at
			}
		}
		return -1
	}
	switch r.TextAt(member("type")) {
	case "", "text", "output_text", "input_text", "refusal":
		if text := r.TextAt(member("text", "content")); text != "" {
			s.parts = append(s.parts, text)
		}
	case "tool_call_response", "server_tool_call_response", "tool_result":
		result := member("response", "result", "text", "content")
		text := r.TextAt(result)
		if c := r.Kind(result); c != '"' && c != 'n' {
			text = recordformat.StringView(r.BytesSince(result))
		}
		if text != "" {
			s.results = append(s.results, text)
		}
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
	s.readContent(r, 0)
	r.End()
	err := s.closeText()
	defer s.dropParts()
	if err != nil || len(s.parts) == 0 {
		return text
	}
	return s.joinParts(&s.in.Scratch)
}
