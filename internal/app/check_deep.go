package app

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/detectors"
	"confab/sampling"
	"confab/schemas"
)

// NewDeepEvaluator makes what evaluates deeply outside of Kafka: the configured endpoints are asked, and the budget of a
// window holds for this process alone. Close it after use. log may be nil.
func NewDeepEvaluator(c *Config, log *slog.Logger, now func() time.Time) (e *Evaluator, closeIt func(), err error) {
	if !c.LLM.On() {
		return nil, nil, errors.New("nobody to ask: set base_url and model of llm.sampler, llm.judge or llm.entailer")
	}
	clients, err := openClients(&c.LLM, newDeepMetrics(prometheus.NewRegistry(), &c.LLM))
	if err != nil {
		return nil, nil, err
	}
	ledger, err := runLedger(c, now)
	if err != nil {
		clients.close()
		return nil, nil, err
	}
	sessions := &sessions{c.Tenants, ledger, clients}
	o, err := deepOptions(c, log)
	if err == nil {
		o.Models = func(tenant string, now time.Time) detectors.LanguageModels {
			return sessions.open(tenant, 0, now).models
		}
		e, err = newConfigured(c, o)
	}
	if err != nil {
		clients.close()
		return nil, nil, err
	}
	return e, clients.close, nil
}

// runLedger is a budget whose log ends with the process.
func runLedger(c *Config, now func() time.Time) (*sampling.Ledger, error) {
	ledger, err := sampling.NewLedger(ledgerOptions(c, sampling.LedgerOptions{
		Partitions: 1, Now: now,
		Open: func(context.Context, int32) (sampling.BudgetLog, error) { return forgotten{}, nil },
	}))
	if err != nil {
		return nil, err
	}
	ledger.Assign(0)
	return ledger, nil
}

// ledgerOptions adds what the configuration says.
func ledgerOptions(c *Config, o sampling.LedgerOptions) sampling.LedgerOptions {
	o.Budget, o.Tenants = c.LLM.Budget, make(map[string]int64)
	for name, t := range c.Tenants {
		if t.LLM.TokensPerWindow != nil {
			o.Tenants[name] = *t.LLM.TokensPerWindow
		}
	}
	o.MetricTenants = append(slices.Collect(maps.Keys(c.Tenants)), schemas.DefaultTenant)
	return o
}

// forgotten are books that nobody will read.
type forgotten struct{}

// Last implements sampling.BudgetLog.
func (forgotten) Last() map[string][]byte { return nil }

// Append implements sampling.BudgetLog.
func (forgotten) Append(context.Context, map[string][]byte) error { return nil }

// Close implements sampling.BudgetLog.
func (forgotten) Close() {}
