package json

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"time"

	"confab/schemas"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// mappedInteraction reads an object with our names, but for the fields that the map has found.
func (s *interactionReader) mappedInteraction() {
	if s.Peek() != '{' {
		s.WrongType("an object with the names of an interaction")
		return
	}
	s.members()
}

// request reads what an API was asked, for the fields that are empty.
func (s *interactionReader) request() {
	none := len(s.in.Messages) == 0
	s.refuseWhole(llmapi.Request(s.Source(), s.in))
	s.pending.unread = none && len(s.in.Messages) == 0
}

// response reads what an API answered, for the fields that are empty. One of an unknown form is unread.
func (s *interactionReader) response() {
	answer := s.in.Answer
	raw := s.Source()
	if isEmpty(raw) {
		s.pending.unread = true
		return
	}
	asked := s.in.Model
	if s.pending.seen&(1<<findField("model", 0)) == 0 {
		s.in.Model = "" // the response knows better which one answered
	}
	r, err := llmapi.Response(raw, s.in)
	s.in.Model = cmp.Or(s.in.Model, asked)
	if s.refuseWhole(err); s.Err != nil {
		return
	}
	if s.pending.unread = !r.Answered; s.pending.unread {
		s.skipped = r.Form == llmapi.FormError
		s.pending.foreign = true
		return
	}
	s.pending.answered = true
	if s.markSeen("answer"); answer != "" {
		s.in.Answer = answer
	}
	s.dropAnswer()
}

// mappedTools reads tools or calls in our form, else in that of an API.
func (s *interactionReader) mappedTools(own func(*interactionReader), api func([]byte, *schemas.Interaction)) {
	start, n, isList, malformed := s.Mark(), len(s.in.Tools)+len(s.in.Calls), s.Peek() == '[', s.in.Malformed
	own(s)
	none := func() bool { return len(s.in.Tools)+len(s.in.Calls) == n }
	if bad := s.Err; isList && (bad == nil && none() || bad != nil && bad.Reason == scan.ReasonWrongType) {
		named := s.in.Malformed
		s.Rewind(start)
		s.in.Malformed = malformed
		if api(s.Source(), s.in); none() {
			s.Err, s.in.Malformed = bad, named
		}
	}
}

// isEmpty reports whether a value is an object or a list without items, also as text.
func isEmpty(raw []byte) bool {
	raw = bytes.TrimSpace(bytes.Trim(raw, `"`))
	return string(raw) == "{}" || string(raw) == "[]"
}

// dropAnswer removes the answer from the end of the messages, where a conversation was read both as request and as response.
func (s *interactionReader) dropAnswer() {
	if n := len(s.in.Messages) - 1; n > 0 && s.in.Messages[n].Content == s.in.Answer && (s.in.Messages[n].Role == "assistant" || strings.Contains(s.in.Answer, " ")) {
		s.in.Messages = s.in.Messages[:n]
	}
}

// refuseWhole keeps the fault of a value that was read as a whole.
func (s *interactionReader) refuseWhole(err error) {
	if bad, ok := errors.AsType[*scan.Error](err); ok && s.Err == nil {
		s.Err = bad
	}
}

// clear empties a field that its map leaves out.
func (s *interactionReader) clear(field string) {
	if name, ok := strings.CutPrefix(field, attributePrefix); ok {
		delete(s.in.Attributes, name)
		return
	}
	switch text := interactionFields[findField(field, 0)].text; {
	case text != nil:
		*text(s.in) = ""
	case field == "occurred_at":
		s.in.OccurredAt = time.Time{}
	case field == "streamed":
		s.in.Streamed = false
	default:
		s.in.ClearField(field)
	}
}
