package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/detectors"
	"confab/internal/llm"
	"confab/sampling"
	"confab/schemas"
)

// look is one deep look: for whom it is taken, what it may spend and what it has learned. It outlives its attempts, so
// that what a server has answered is not paid for again because another one was down. It is used by one goroutine.
type look struct {
	tenant    string
	partition int32
	optedOut  bool
	budget    sampling.Budget
	began     time.Time

	pending []reservation  // of the request under way
	known   map[string]any // answers so far, by what was asked
	cost    float64        // of the detector under way
	down    error          // the last attempt failed for a reason that time may heal
}

type reservation struct {
	grant  sampling.Grant
	tokens int
}

// lookKey finds the look in a context: the detectors between the role and a request know nothing of tenants and budgets.
type lookKey struct{}

func (l *look) in(ctx context.Context) context.Context { return context.WithValue(ctx, lookKey{}, l) }

func lookOf(ctx context.Context) (*look, error) {
	l, ok := ctx.Value(lookKey{}).(*look)
	if !ok {
		return nil, errors.New("a language model is asked outside of a deep look")
	}
	return l, nil
}

// attempts is by how much a request may cost more than its reply: one that times out is asked again, and both may be
// charged. Other failures carry no reply to charge for.
const attempts = 2

// reserve is the gate of every request.
func reserve(ctx context.Context, tokens int) error {
	l, err := lookOf(ctx)
	switch {
	case err != nil:
		return err
	case l.optedOut:
		return schemas.OptedOut
	case tokens == 0:
		return nil
	}
	grant, err := l.budget.Reserve(ctx, l.tenant, l.partition, int64(tokens)*attempts)
	switch {
	case err != nil:
		l.down = err
		return err
	case !grant.OK:
		return schemas.BudgetSpent
	}
	l.pending = append(l.pending, reservation{grant, tokens})
	return nil
}

// desk is an endpoint as what is asked of it is booked.
type desk struct {
	endpoint *Endpoint
	spent    prometheus.Counter
}

// answered is what was said to a question, and what it cost.
type answered[T any] struct {
	value T
	used  schemas.Usage
	cost  float64
}

// inquire asks once in a look. Whoever has opted out is not even looked at. Requests is how many answered requests the
// question takes at most.
func inquire[T any](ctx context.Context, d desk, question string, requests int, of func() (T, schemas.Usage, error)) (v T, used schemas.Usage, err error) {
	l, err := lookOf(ctx)
	switch {
	case err != nil:
		return v, used, err
	case l.optedOut:
		return v, used, schemas.OptedOut
	}
	if a, ok := l.known[question].(answered[T]); ok {
		l.cost += a.cost
		return a.value, a.used, nil
	}
	l.pending = l.pending[:0]
	v, used, err = of()
	cost := d.endpoint.cost(used.PromptTokens, used.CompletionTokens)
	l.cost += cost
	d.spent.Add(cost)
	if l.settle(used, requests, err); err == nil {
		l.known[question] = answered[T]{v, used, cost}
	}
	if c := llm.ClassOf(err); c == llm.Retryable || c == llm.Timeout {
		l.down = err
	}
	return v, used, err
}

// settle tells the budget what was used. Where a request failed on the way, nobody knows what that cost: the tokens stay
// reserved.
func (l *look) settle(used schemas.Usage, requests int, err error) {
	var verdict schemas.NotJudged
	if err != nil && !errors.As(err, &verdict) || used.Calls > max(requests, len(l.pending)) {
		return
	}
	left := used.PromptTokens + used.CompletionTokens
	for i, r := range l.pending {
		mine := min(left, r.tokens)
		if i == len(l.pending)-1 {
			mine = left
		}
		left -= mine
		r.grant.Settle(int64(mine))
	}
	l.pending = l.pending[:0]
}

// questionOf names a question by its content.
func questionOf(kind string, parts ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", parts)
	return kind + string(h.Sum(nil))
}

type resampler struct {
	detectors.Resampler
	desk
}

func (r resampler) Resample(ctx context.Context, in *schemas.Interaction, a schemas.Ask) ([]schemas.FreshAnswer, schemas.Usage, error) {
	requests := 1
	if r.endpoint.IgnoresN {
		requests = a.Answers
	}
	return inquire(ctx, r.desk, questionOf("resample", a), requests, func() ([]schemas.FreshAnswer, schemas.Usage, error) {
		return r.Resampler.Resample(ctx, in, a)
	})
}

type judge struct {
	detectors.Judge
	desk
}

func (j judge) Statements(ctx context.Context, question, answer string) ([]string, schemas.Usage, error) {
	return inquire(ctx, j.desk, questionOf("statements", question, answer), 1, func() ([]string, schemas.Usage, error) {
		return j.Judge.Statements(ctx, question, answer)
	})
}

func (j judge) Verdicts(ctx context.Context, statements, sources []string) ([]schemas.Verdict, schemas.Usage, error) {
	return inquire(ctx, j.desk, questionOf("verdicts", statements, sources), 1, func() ([]schemas.Verdict, schemas.Usage, error) {
		return j.Judge.Verdicts(ctx, statements, sources)
	})
}

type entailer struct {
	detectors.Entailer
	desk
}

func (e entailer) Entail(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	return inquire(ctx, e.desk, questionOf("entail", pairs), 1, func() ([]schemas.Relation, schemas.Usage, error) {
		return e.Entailer.Entail(ctx, pairs)
	})
}

type embedder struct {
	detectors.Embedder
	desk
}

func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error) {
	requests := (len(texts) + embedTexts - 1) / embedTexts
	return inquire(ctx, e.desk, questionOf("embed", texts), requests, func() ([][]float32, schemas.Usage, error) {
		return e.Embedder.Embed(ctx, texts)
	})
}

// embedTexts go into one request of llm.Embed.
const embedTexts = 8

// priced adds what a detector's requests cost to its measures, where prices are known.
type priced struct{ detectors.Detector }

// Detect implements detectors.Detector.
func (p priced) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	l, err := lookOf(ctx)
	if err != nil {
		return detectors.Finding{}, err
	}
	l.cost = 0
	f, err := p.Detector.Detect(ctx, doc)
	if l.cost > 0 {
		f.Measures = append(slices.Clip(f.Measures), detectors.Measure{Name: "cost", Value: l.cost})
	}
	return f, err
}

// pricedEntries are the entries whose detectors count what they cost.
func pricedEntries(list []detectors.Entry) []detectors.Entry {
	for i := range list {
		build := list[i].New
		list[i].New = func(options any, deps detectors.Deps) (detectors.Detector, error) {
			d, err := build(options, deps)
			if err != nil {
				return nil, err
			}
			return priced{d}, nil
		}
	}
	return list
}
