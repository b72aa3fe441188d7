package deep

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab"
	"confab/detectors/confidence"
	"confab/detectors/deep"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/sampling/budget"
	"confab/schemas"
)

// EvaluatorOptions are the dependencies of [NewEvaluator].
type EvaluatorOptions struct {
	Logger  *slog.Logger // may be nil
	Now     func() time.Time
	Explain bool // flags carry the evidence of clear signals, too

	Baselines *confidence.Live // of the fast pass; nil: none

	// Unread is called with each reply of a model that could not be read, and the error that says so. Nil: the logger gets a
	// line a minute, without the reply.
	Unread func(failure error, reply string)
}

// NewEvaluator makes an evaluator of deep evaluations without Kafka. It asks the configured endpoints within the budget of
// one window, which holds for this process alone. Call closeIt after use.
func NewEvaluator(c *config.Config, opts EvaluatorOptions) (e *confab.Evaluator, closeIt func(), err error) {
	if !c.LLM.Enabled() {
		return nil, nil, errors.New("no endpoint: set base_url and model of llm.sampler, llm.judge or llm.verifier")
	}
	clients, err := OpenClients(c, NewMetrics(prometheus.NewRegistry(), &c.LLM))
	if err != nil {
		return nil, nil, err
	}
	ledger := NewRunLedger(c, opts.Now)
	if opts.Unread == nil {
		opts.Unread = logUnread(opts.Logger)
	}
	sessions := newSessionFactory(c, ledger, clients, opts.Unread)
	o, err := evaluation.FastOptions(c, nil, opts.Logger)
	o.Pass = schemas.PassDeep
	if err == nil {
		o.Suite.Explain, o.Deps.Live = opts.Explain, opts.Baselines
		o.Models = func(tenant string, now time.Time) deep.Models {
			return sessions.open(tenant, 0, now).models
		}
		e, err = evaluation.New(c, o)
	}
	if err != nil {
		clients.Close()
		return nil, nil, err
	}
	return e, clients.Close, nil
}

// NewRunLedger makes a budget ledger that writes no log.
func NewRunLedger(c *config.Config, now func() time.Time) *budget.Ledger {
	ledger := budget.NewLedger(LedgerOptions(c, budget.LedgerOptions{
		Partitions: 1, Now: now,
		Open: func(context.Context, int32) (budget.Log, error) { return discardLog{}, nil },
	}))
	ledger.Assign(0)
	return ledger
}

// LedgerOptions returns o with the configured budgets.
func LedgerOptions(c *config.Config, o budget.LedgerOptions) budget.LedgerOptions {
	o.Budget, o.Tenants = c.LLM.Budget, make(map[string]int64)
	for name, t := range c.Tenants {
		if t.LLM.TokensPerWindow != nil {
			o.Tenants[name] = *t.LLM.TokensPerWindow
		}
	}
	o.MetricTenants = append(slices.Collect(maps.Keys(c.Tenants)), schemas.DefaultTenant)
	return o
}

// discardLog is a budget log that discards its entries.
type discardLog struct{}

// Last implements budget.Log.
func (discardLog) Last() map[string][]byte { return nil }

// Append implements budget.Log.
func (discardLog) Append(context.Context, map[string][]byte) error { return nil }

// Close implements budget.Log.
func (discardLog) Close() {}
