package sampling

import (
	"context"
	"crypto/rand"
	"io"

	"confab/internal/llm"
	"confab/schemas"
)

// Gate is asked before every request to a language model whether the tokens that it can cost at most may be spent. Its
// error stops the request; schemas.NotJudged says why (schemas.BudgetSpent, schemas.OptedOut). A gate that
// belongs to one deep evaluation counts for its tenant. Classifiers cost 0 tokens and are asked for all the same.
type Gate func(ctx context.Context, tokens int) error

// EndpointOptions say whom to ask.
type EndpointOptions struct {
	Client *llm.Client
	Gate   Gate      // nil lets everything pass
	Random io.Reader // of marks and planted statements, which nobody may guess; safe for concurrent use. Default: crypto/rand
}

// gatedClient is a client behind its gate.
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

// chat asks within the budget.
func (e gatedClient) chat(ctx context.Context, req llm.Request) (llm.Replies, schemas.Usage, error) {
	if err := e.gate(ctx, e.client.TokensAtMost(req)); err != nil {
		return llm.Replies{}, schemas.Usage{}, err
	}
	replies, err := e.client.Chat(ctx, req)
	used := schemas.Usage{Calls: replies.Calls, PromptTokens: replies.Usage.Prompt, CompletionTokens: replies.Usage.Completion}
	return replies, used, err
}

// judgeTokens is the limit of one reply of a judge: 64 verdicts with a short reason each.
const judgeTokens = 4096

// judge asks for one reply in JSON, at temperature 0, and gives the JSON of it.
func (e gatedClient) judge(ctx context.Context, form *llm.Schema, system, user string) ([]byte, schemas.Usage, error) {
	cold := 0.0
	replies, used, err := e.chat(ctx, llm.Request{
		Messages:    []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Temperature: &cold, MaxTokens: judgeTokens, JSON: form,
	})
	if err != nil {
		return nil, used, err
	}
	body, err := replyJSON(replies.Choices[0])
	return body, used, err
}
