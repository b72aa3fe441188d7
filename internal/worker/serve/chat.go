package serve

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/chatstream"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// checkChat answers POST /v1/check/chat: a request of OpenAI's chat completions with its response, whole or streamed. Each
// choice is checked, and the strictest result is the answer. What is wrong with the request is a refusal; a response that
// cannot be read follows on_failure.
func (s *Server) checkChat(q *webRequest) error {
	if q.lines {
		return errNoLines
	}
	o, err := s.optionsOf(q)
	if err != nil {
		return err
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	c, err := readChat(raw)
	if err != nil {
		return err
	}
	if err := s.admit(q, c.tenant); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(q.Context(), o.deadline)
	defer cancel()
	res, err := s.checkChoices(ctx, q, c, &o)
	if err != nil {
		return err
	}
	s.reply(q, &res)
	return nil
}

// chat is the body of a request to check a chat completion.
type chat struct {
	tenant   string
	record   []byte // an object without its end: the members of the body besides these and the response, later a part of it, too
	response []byte // nil if it is a text
	text     string
}

// readChat reads a body strictly. The error is a *scan.Error or a refusal.
func readChat(raw []byte) (*chat, error) {
	c := &chat{record: append(make([]byte, 0, len(raw)+256), '{')}
	in := scan.New(json.DefaultMaxDepth)
	in.Start(raw)
	o := in.Object("an object with request and response")
	for name, ok := in.Next(&o); ok; name, ok = in.Next(&o) {
		switch name {
		case "tenant":
			c.tenant = in.OptionalText()
		case "response":
			c.readResponse(&in)
		default:
			in.Peek()
			start := in.Pos
			in.Skip()
			c.record = append(append(append(strconv.AppendQuote(c.record, name), ':'), in.BytesSince(start)...), ',')
		}
	}
	in.End()
	switch {
	case in.Err != nil:
		return nil, in.Err
	case c.text == "" && c.response == nil:
		return nil, errNoResponse
	}
	return c, nil
}

func (c *chat) readResponse(in *scan.Scanner) {
	if in.Peek() == '"' {
		c.text = in.Text()
	} else if start := in.Pos; !in.Null() {
		in.Skip()
		c.response = in.BytesSince(start)
	}
}

// completion returns the response as a whole. The error is one of chatstream.
func (c *chat) completion() (*chatstream.Completion, error) {
	response := c.response
	if response == nil {
		response = []byte(c.text)
	}
	if c.response == nil || chatstream.IsTranscript(response) {
		stream, err := chatstream.Assemble(response)
		if err != nil {
			return nil, err
		}
		if response, err = stream.Completion(); err != nil {
			return nil, err
		}
	}
	return chatstream.ReadCompletion(response)
}

// isStream reports whether the response was streamed.
func (c *chat) isStream() bool { return c.response == nil || c.response[0] == '[' }

// checkChoices checks every choice. The error is a refusal.
func (s *Server) checkChoices(ctx context.Context, q *webRequest, c *chat, o *checkOptions) (strictest checkResult, err error) {
	response, err := c.completion()
	if err == nil && !isAbsent(response.Members["error"]) && response.Len() > 0 {
		err = chatstream.ErrNoChunk
	}
	if err != nil {
		return s.unchecked(ctx, q, o, "", unreadable(err)), nil
	}
	if response.Len() == 0 {
		return s.withoutText(ctx, q, o, nil), nil
	}
	c.record = appendResponse(c.record, response.Members)
	for i := range response.Len() {
		res, err := s.checkChoice(ctx, q, c, o, func() (chatstream.Choice, error) { return response.Choice(i) })
		if err != nil {
			return res, err
		}
		if i == 0 || res.rank() > strictest.rank() {
			strictest = res
		}
	}
	return strictest, nil
}

// unreadable is the failure of a response that holds what cannot be read.
func unreadable(err error) *apiProblem {
	if errors.Is(err, chatstream.ErrLarge) {
		return errResponseLarge
	}
	return errResponse
}

func isAbsent(value stdjson.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// checkChoice checks one choice. Its record is written over that of the choice before. The error is a refusal.
func (s *Server) checkChoice(ctx context.Context, q *webRequest, c *chat, o *checkOptions, read func() (chatstream.Choice, error)) (checkResult, error) {
	choice, err := read()
	switch {
	case err != nil:
		return s.unchecked(ctx, q, o, "", unreadable(err)), nil
	case choice.Text == "":
		return s.withoutText(ctx, q, o, choice.Unread), nil
	}
	in := new(schemas.Interaction)
	err = s.presets["openai"].Decode(appendChoice(c.record, &choice), in)
	if err != nil && choice.Logprobs != nil { // they cost themselves alone
		choice.Logprobs = nil
		in = new(schemas.Interaction)
		err = s.presets["openai"].Decode(appendChoice(c.record, &choice), in)
	}
	switch {
	case err != nil:
		return checkResult{}, err
	case isMalformed(in):
		return checkResult{}, errMalformed
	}
	in.Streamed = in.Streamed || c.isStream()
	records.SetTenant(in, q.tenant)
	return s.measure(ctx, q, in, o, choice.Unread), nil
}

// appendResponse appends the beginning of a response: what the preset reads of it, where it has the right type.
func appendResponse(head []byte, members map[string]stdjson.RawMessage) []byte {
	head = append(head, `"response":{"id":`...)
	if id := members["id"]; len(id) > 0 && (id[0] == '"' || id[0] >= '0' && id[0] <= '9') {
		head = append(append(append(head, '"'), bytes.Trim(id, `"`)...), `",`...)
	} else {
		head = append(head, `"",`...) // the interaction is named after its content
	}
	for name, kinds := range map[string]string{
		"model": `"`, "system_fingerprint": `"`, "previous_response_id": `"`, "created": "-0123456789", "temperature": "0123456789", "metadata": "{",
	} {
		if value := members[name]; len(value) > 0 && slices.Contains([]byte(kinds), value[0]) {
			head = append(append(append(strconv.AppendQuote(head, name), ':'), value...), ',')
		}
	}
	return head
}

// appendChoice appends the rest of a record: one choice, and the end.
func appendChoice(head []byte, choice *chatstream.Choice) []byte {
	head = append(append(head, `"choices":[{"message":{"content":`...), encodeJSON(choice.Text)...)
	head = append(append(head, `},"finish_reason":`...), encodeJSON(choice.Finish)...)
	if choice.Logprobs != nil {
		head = append(append(head, `,"logprobs":`...), choice.Logprobs...)
	}
	return append(head, "}]}}"...)
}

// withoutText is the result of a choice that has no text of an answer: it passes with a mark if it has nothing, or calls of
// tools alone, and follows on_failure if it has something else, such as reasoning or speech.
func (s *Server) withoutText(ctx context.Context, q *webRequest, o *checkOptions, unread []string) (res checkResult) {
	for _, what := range unread {
		if what != chatstream.UnreadTools {
			return s.unchecked(ctx, q, o, "", &apiProblem{http.StatusServiceUnavailable, what, "the response holds " + what + ", which is not read, and no text", 0})
		}
	}
	reason := "no_text"
	if len(unread) > 0 {
		reason = unread[0]
	}
	res = checkResult{status: http.StatusOK, decision: "no_text", checked: schemas.CheckedNone, reasons: []string{reason}, unread: unread}
	res.body = uncheckedBody(q.tenant, "", &res, "the response holds no text of an answer")
	s.audit(ctx, q, &schemas.Flag{Tenant: q.tenant, Action: o.evaluator.Policy.Action(q.tenant)}, &res)
	return res
}
