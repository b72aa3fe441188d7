package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/sampling"
	"confab/schemas"
)

// NewDeepVerdict builds what makes deep evaluations outside of Kafka: the configured endpoints are asked, and the budget of a
// window holds for this process alone. Close it after use. log may be nil.
func NewDeepVerdict(c *Config, log *slog.Logger, now func() time.Time) (v *Verdict, closeIt func(), err error) {
	if !c.LLM.On() {
		return nil, nil, errors.New("nobody to ask: set base_url and model of llm.sampler, llm.judge or llm.entailer")
	}
	clients, err := openClients(&c.LLM, newDeepMetrics(prometheus.NewRegistry(), &c.LLM))
	if err != nil {
		return nil, nil, err
	}
	ledger, err := c.runLedger(now)
	if err != nil {
		clients.close()
		return nil, nil, err
	}
	base, err := c.suiteOptions(nil, log)
	if err == nil {
		base.deep = true
		v, err = newVerdict(c, base, schemas.PassDeep)
	}
	if err != nil {
		clients.close()
		return nil, nil, err
	}
	v.sessions = &sessions{c.Tenants, ledger, clients}
	return v, clients.close, nil
}

// runLedger is a budget whose books end with the process.
func (c *Config) runLedger(now func() time.Time) (*sampling.Ledger, error) {
	ledger, err := sampling.NewLedger(c.ledgerOptions(sampling.LedgerOptions{
		Partitions: 1, Now: now,
		Open: func(context.Context, int32) (sampling.BudgetLog, error) { return forgotten{}, nil },
	}))
	if err != nil {
		return nil, err
	}
	ledger.Assign(0)
	return ledger, nil
}

// forgotten are books that nobody will read.
type forgotten struct{}

// Last implements sampling.BudgetLog.
func (forgotten) Last() map[string][]byte { return nil }

// Append implements sampling.BudgetLog.
func (forgotten) Append(context.Context, map[string][]byte) error { return nil }

// Close implements sampling.BudgetLog.
func (forgotten) Close() {}
