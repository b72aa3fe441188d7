package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// checkChat answers POST /v1/check/chat: a request of an API of language models with its response, whole or streamed. Each
// choice is checked, and the strictest result is the answer. What is wrong with the request is a refusal; a response that
// cannot be read follows on_failure.
func (s *Server) checkChat(q *webRequest) error {
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

// chat is the body of a request to check a response. Members that it does not have are nil.
type chat struct {
	tenant                     string
	request, response, sources []byte
}

// readChat reads a body strictly. The error is a *scan.Error or a refusal.
func readChat(raw []byte) (*chat, error) {
	in := scan.New(json.DefaultMaxDepth)
	in.Start(raw)
	in.End()
	in.Object("an object with request and response")
	find := func(names ...string) (value []byte) {
		for _, name := range names {
			at, variant := in.Find(0, name)
			if variant { // other readers may ignore case
				in.Fault(scan.ReasonCaseVariant, "names are written in lower case")
			}
			if c := in.Kind(at); value == nil && c != 0 && c != 'n' {
				value = in.BytesSince(at)
			}
		}
		return value
	}
	c := &chat{request: find("request"), response: find("response"), sources: find("sources", "context", "contexts", "documents")}
	if at, _ := in.Find(0, "tenant"); at >= 0 {
		in.Pos = at
		c.tenant = in.OptionalText()
	}
	switch {
	case in.Err != nil:
		return nil, in.Err
	case c.response == nil || string(c.response) == `""`:
		return nil, errNoResponse
	}
	return c, nil
}

// checkChoices checks every answer of the response. The error is a refusal.
func (s *Server) checkChoices(ctx context.Context, q *webRequest, c *chat, o *checkOptions) (strictest checkResult, err error) {
	answers, err := llmapi.Read(c.response)
	if err != nil {
		return s.unchecked(ctx, q, o, "", unreadable(err)), nil
	}
	if form := answers.Form(); form == "" || form == llmapi.FormText || form == llmapi.FormError {
		return s.unchecked(ctx, q, o, "", errResponse), nil
	}
	if answers.Len() == 0 {
		return s.withoutText(ctx, q, o, nil), nil
	}
	asked, err := s.asked(c, answers)
	if err != nil {
		return strictest, err
	}
	for i := range answers.Len() {
		res, err := s.checkChoice(ctx, q, o, asked, func(in *schemas.Interaction) (llmapi.Reading, error) { return answers.Fill(i, in) })
		if err != nil {
			return res, err
		}
		if i == 0 || res.rank() > strictest.rank() {
			strictest = res
		}
	}
	return strictest, nil
}

// asked is what all choices answer: the request, and sources beside it.
func (s *Server) asked(c *chat, answers *llmapi.Answers) (*schemas.Interaction, error) {
	in := new(schemas.Interaction)
	in.Reset()
	if c.sources != nil && s.plain.DecodeField(schemas.FieldSources, c.sources, in) != nil {
		in.Malformed = append(in.Malformed, schemas.FieldSources)
	}
	return in, answers.FillRequest(c.request, in)
}

// unreadable is the failure of a response that holds what cannot be read.
func unreadable(err error) *apiProblem {
	if bad, ok := errors.AsType[*scan.Error](err); ok && (bad.Reason == scan.ReasonTooLarge || bad.Reason == scan.ReasonTooMany) {
		return errResponseLarge
	}
	return errResponse
}

// checkChoice checks the answer to what was asked that fill fills in. The error is a refusal.
func (s *Server) checkChoice(ctx context.Context, q *webRequest, o *checkOptions, asked *schemas.Interaction, fill func(*schemas.Interaction) (llmapi.Reading, error)) (checkResult, error) {
	select {
	case <-ctx.Done(): // also if the client has gone
		return s.unchecked(ctx, q, o, "", errDeadline), nil
	default:
	}
	in := new(*asked)
	in.Messages, in.Sources, in.Tools = slices.Clone(in.Messages), slices.Clone(in.Sources), slices.Clone(in.Tools)
	in.Calls, in.Malformed, in.Scratch = slices.Clone(in.Calls), slices.Clone(in.Malformed), nil
	reading, err := fill(in)
	switch {
	case err != nil:
		return s.unchecked(ctx, q, o, "", unreadable(err)), nil
	case isMalformed(in):
		return checkResult{}, errMalformed
	case in.Answer == "":
		return s.withoutText(ctx, q, o, reading.Unread), nil
	}
	records.SetTenant(in, q.tenant)
	return s.measure(ctx, q, in, o, reading.Unread), nil
}

// withoutText is the result of a choice that has no text of an answer: it passes with a mark if it has nothing, or calls of
// tools alone, and follows on_failure if it has something else, such as reasoning or speech.
func (s *Server) withoutText(ctx context.Context, q *webRequest, o *checkOptions, unread []string) (res checkResult) {
	for _, what := range unread {
		if what != llmapi.UnreadTools {
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
