package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sashabaranov/go-openai"
)

const (
	defaultMaxTokens    = 512
	maxChoices          = 128
	maxTop              = 20
	maxTemperature      = 2
	maxCompletionTokens = "max_completion_tokens"

	// anyModel is the model name for go-openai, which has no rule for it.
	anyModel = "model"
)

// prepare validates a request, applies defaults and redacts.
func (c *Client) prepare(r Request) (Request, error) {
	if r.N == 0 {
		r.N = 1
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = defaultMaxTokens
	}
	if fault := r.invalidReason(); fault != "" {
		return r, &Error{Op: "chat", Class: Refused, Detail: fault}
	}
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		r.Messages[i].Text = c.redact(r.Messages[i].Text)
	}
	return r, nil
}

// invalidReason says why a request is invalid, "" when it is valid.
func (r Request) invalidReason() string {
	t := r.Temperature
	for _, f := range []struct {
		wrong bool
		what  string
	}{
		{len(r.Messages) == 0, "no message"},
		{r.N < 1 || r.N > maxChoices, fmt.Sprintf("the number of replies is not 1 to %d", maxChoices)},
		{r.MaxTokens < 0, "max_tokens is negative"},
		{t != nil && !(*t >= 0 && *t <= maxTemperature), fmt.Sprintf("the temperature is not 0 to %d", maxTemperature)},
		{r.TopLogprobs < 0 || r.TopLogprobs > maxTop, fmt.Sprintf("top_logprobs is not 0 to %d", maxTop)},
		{r.TopLogprobs > 0 && !r.Logprobs, "top_logprobs comes without logprobs"},
		{r.JSON != nil && (r.JSON.Name == "" || !json.Valid(r.JSON.Schema)), "the schema has no name, or is not JSON"},
	} {
		if f.wrong {
			return f.what
		}
	}
	return ""
}

func promptBytes(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}

// chatCall is the call for a request; its read fills reply.
func (c *Client) chatCall(req Request, omitted map[string]bool, reply *chatReply) apiCall {
	return apiCall{
		op: "chat",
		send: func(ctx context.Context, via openai.HTTPDoer) error {
			api := c.api
			api.HTTPClient = via
			_, err := openai.NewClientWithConfig(api).CreateChatCompletion(ctx, buildChatRequest(req, omitted))
			return err
		},
		amend: func(body []byte) ([]byte, error) { return c.amend(body, req, omitted) },
		read: func(body []byte) (err error) {
			*reply, err = readChat(body)
			return err
		},
	}
}

// amend adds to a body what the library would drop, refuse by model name, or has deprecated.
func (c *Client) amend(body []byte, req Request, omitted map[string]bool) ([]byte, error) {
	var built map[string]json.RawMessage // raw, so that a schema keeps its order and a seed its digits
	if err := json.Unmarshal(body, &built); err != nil {
		return nil, err
	}
	fields := make(map[string]any, len(built)+2)
	for name, value := range built {
		fields[name] = value
	}
	fields["model"] = c.model
	delete(fields, "stream") // false is the default, and some servers do not know the name
	// The older name first: servers that do not know the newer one ignore it and would not limit the reply.
	if omitted[maxTokens] {
		fields[maxCompletionTokens] = req.MaxTokens
	} else {
		fields[maxTokens] = req.MaxTokens
	}
	if t := req.Temperature; t != nil && !omitted[temperature] {
		fields[temperature] = *t
	}
	return json.Marshal(fields)
}

// buildChatRequest converts a request for the library.
func buildChatRequest(r Request, omitted map[string]bool) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: anyModel}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	if r.N > 1 && !omitted[choices] {
		out.N = r.N
	}
	if r.Seed != nil && !omitted[seed] {
		out.Seed = r.Seed
	}
	if out.LogProbs = r.Logprobs && !omitted[logprobs]; out.LogProbs && !omitted[topLogprobs] {
		out.TopLogProbs = r.TopLogprobs
	}
	if r.JSON != nil && !omitted[responseFormat] {
		out.ResponseFormat = responseFormatFor(*r.JSON, omitted[jsonSchema])
	}
	return out
}

// responseFormatFor asks for JSON of a schema, or for any JSON object.
func responseFormatFor(s Schema, anyObject bool) *openai.ChatCompletionResponseFormat {
	if anyObject {
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: s.Name, Schema: s.Schema, Strict: true},
	}
}

// wants reports whether the request sets a parameter that Replies.Omitted names.
func (r Request) wants(param string) bool {
	switch param {
	case temperature:
		return r.Temperature != nil
	case logprobs:
		return r.Logprobs
	case topLogprobs:
		return r.Logprobs && r.TopLogprobs > 0
	case seed:
		return r.Seed != nil
	default:
		return r.JSON != nil
	}
}
