// Package sampling decides which interactions get a deep evaluation, and provides its language model calls. [Sampler]
// picks a fixed share of the high-stakes interactions by a keyed hash of their event id: every replica and every replay
// picks the same ones, and without the salt an id that is not picked cannot be chosen. [Resampler], [Judge],
// [Verifier], [Comparer] and [Embedder] implement the interfaces of the deep detectors; prompts, fences around
// untrusted text and strict parsing of replies are here. Every request passes a [Gate], which enforces budgets.
package sampling

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/llm"
	"confab/schemas"
)

// Gate is called before every request to a language model with the most tokens that it can use. An error stops the
// request; schemas.NotJudged is the reason (schemas.BudgetSpent, schemas.OptedOut). Requests to a verifier pass 0 tokens.
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

// judgePrompt is what a judge is told, before the data.
type judgePrompt struct {
	form   *llm.Schema
	system string
	rules  string // of the operator
}

// judgeTokens limits a reply of a judge: 64 verdicts with a short reason each.
const judgeTokens = 4096

// judge requests one JSON reply at temperature 0 and reads its JSON. write writes the data between new marks. A reply that cannot be read
// is an *[UnreadableError].
func (e gatedClient) judge(ctx context.Context, p judgePrompt, write func(b *strings.Builder, mark string), read func(body []byte) error) (schemas.Usage, error) {
	mark, err := newMark(e.random)
	if err != nil {
		return schemas.Usage{}, err
	}
	var b strings.Builder
	write(&b, mark)
	cold := 0.0
	replies, used, err := e.chat(ctx, llm.Request{
		Messages:    []llm.Message{{Role: llm.System, Text: formatPrompt(p.system, mark, p.rules)}, {Role: llm.User, Text: strings.TrimSpace(b.String())}},
		Temperature: &cold, MaxTokens: judgeTokens, JSON: p.form,
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

// Embedder calls the embedder endpoint. It implements deep.Embedder and is safe for concurrent use.
type Embedder struct{ gatedClient }

// NewEmbedder returns an embedder.
func NewEmbedder(o EndpointOptions) *Embedder { return &Embedder{newEndpoint(o)} }

// Embed requests the vectors of the texts. Its budget is the number of bytes: a token has at least one byte.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error) {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	if err := e.gate(ctx, size); err != nil {
		return nil, schemas.Usage{}, err
	}
	out, err := e.client.Embed(ctx, texts)
	return out.Vectors, schemas.Usage{Calls: out.Calls, PromptTokens: out.Usage.Prompt}, err
}

// NotJudged is the reason for a deep evaluation without a verdict: a metric label and the reason of a signal.
type NotJudged string

// The reasons.
const (
	NotJudgedBudget      NotJudged = "budget"            // a token limit is reached
	NotJudgedError       NotJudged = "error"             // the server or the budget log failed, or the evaluation was cancelled
	NotJudgedOptOut      NotJudged = "opt_out"           // the tenant has opted out
	NotJudgedCompromised NotJudged = "judge_compromised" // the judge accepted the canary statement
	NotJudgedUnreadable  NotJudged = "judge_unreadable"  // the judge's reply does not have the requested form
)

// NotJudgedReasons lists every reason.
func NotJudgedReasons() []NotJudged {
	return []NotJudged{NotJudgedBudget, NotJudgedError, NotJudgedOptOut, NotJudgedCompromised, NotJudgedUnreadable}
}

// NotJudgedMetrics counts deep evaluations without a verdict. Every series exists from the start.
type NotJudgedMetrics struct{ total *prometheus.CounterVec }

// NewNotJudgedMetrics registers confab_not_judged_total{reason} with reg.
func NewNotJudgedMetrics(reg prometheus.Registerer) *NotJudgedMetrics {
	m := &NotJudgedMetrics{promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_not_judged_total", Help: "Sampled interactions without a verdict of a deep detector, by reason: budget, error, judge_compromised, judge_unreadable, opt_out.",
	}, []string{"reason"})}
	for _, r := range NotJudgedReasons() {
		m.total.WithLabelValues(string(r))
	}
	return m
}

// Inc adds one.
func (m *NotJudgedMetrics) Inc(reason NotJudged) { m.total.WithLabelValues(string(reason)).Inc() }
