package sampling

import (
	"context"

	"confab/internal/llm"
	"confab/schemas"
)

// Gate is asked before every request to a language model whether the tokens that it can cost at most may be spent. Its
// error stops the request; schemas.NotJudged says why (schemas.BudgetSpent, schemas.OptedOut). Whose tokens they are, the
// context tells that the caller gave.
type Gate func(ctx context.Context, tokens int) error

// endpoint is a client behind its gate.
type endpoint struct {
	client *llm.Client
	gate   Gate
}

func (e endpoint) pass(ctx context.Context, tokens int) error {
	if e.gate == nil {
		return nil
	}
	return e.gate(ctx, tokens)
}

// chat asks within the budget.
func (e endpoint) chat(ctx context.Context, req llm.Request) (llm.Replies, schemas.Usage, error) {
	if err := e.pass(ctx, e.client.TokensAtMost(req)); err != nil {
		return llm.Replies{}, schemas.Usage{}, err
	}
	replies, err := e.client.Chat(ctx, req)
	return replies, usage(replies.Calls, replies.Usage), err
}

func usage(calls int, u llm.Usage) schemas.Usage {
	return schemas.Usage{Calls: calls, PromptTokens: u.Prompt, CompletionTokens: u.Completion}
}
