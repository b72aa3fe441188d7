package sampling

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"confab/internal/llm"
	"confab/schemas"
)

// Gate is called before every request to a language model with the most tokens that it can use. An error stops the
// request; schemas.NotJudged is the reason (schemas.BudgetSpent, schemas.OptedOut). Classifier requests pass 0 tokens.
type Gate func(ctx context.Context, tokens int) error

// EndpointOptions configure an endpoint.
type EndpointOptions struct {
	Client *llm.Client
	Gate   Gate      // nil allows everything
	Random io.Reader // of marks and canary statements, which must be unpredictable; safe for concurrent use. Default: crypto/rand
}

// gatedClient is a client with its gate.
type gatedClient struct {
	client *llm.Client
	gate   Gate
	random io.Reader
}

func newEndpoint(o EndpointOptions) gatedClient {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Gate == nil {
		o.Gate = func(context.Context, int) error { return nil }
	}
	return gatedClient{o.Client, o.Gate, o.Random}
}

// chat sends the request if the gate allows it.
func (e gatedClient) chat(ctx context.Context, req llm.Request) (llm.Replies, schemas.Usage, error) {
	if err := e.gate(ctx, e.client.TokensAtMost(req)); err != nil {
		return llm.Replies{}, schemas.Usage{}, err
	}
	replies, err := e.client.Chat(ctx, req)
	used := schemas.Usage{Calls: replies.Calls, PromptTokens: replies.Usage.Prompt, CompletionTokens: replies.Usage.Completion}
	return replies, used, err
}

// judgeTokens limits a reply of a judge: 64 verdicts with a short reason each.
const judgeTokens = 4096

// judge requests one JSON reply at temperature 0 and reads its JSON. A reply that cannot be read is an *[UnreadableError].
func (e gatedClient) judge(ctx context.Context, form *llm.Schema, system, user string, read func(body []byte) error) (schemas.Usage, error) {
	cold := 0.0
	replies, used, err := e.chat(ctx, llm.Request{
		Messages:    []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Temperature: &cold, MaxTokens: judgeTokens, JSON: form,
	})
	if err != nil {
		return used, err
	}
	reply := replies.Choices[0]
	body, err := replyJSON(reply)
	if err == nil {
		err = read(body)
	}
	if errors.Is(err, schemas.JudgeUnreadable) {
		err = &UnreadableError{reply.Text}
	}
	return used, err
}
