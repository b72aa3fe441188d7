package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/sampling"
	"confab/schemas"
)

func sampleTopics(c *Config) []string {
	t := c.Kafka.Topics
	return []string{t.Sampled, t.Incidents, t.Budget, t.DLQ}
}

func (w *worker) buildSample() (*role, error) {
	c := w.Config
	metrics := newDeepMetrics(w.Registry, &c.LLM)
	clients, err := openClients(&c.LLM, metrics)
	if err != nil {
		return nil, err
	}
	w.closers = append(w.closers, clients.close)
	ledger, err := w.openLedger()
	if err != nil {
		return nil, err
	}
	base, err := c.suiteOptions(nil, w.Logger)
	if err != nil {
		return nil, err
	}
	base.Metrics = w.suiteMetrics
	base.deep = true
	verdict, err := newVerdict(c, base, schemas.PassDeep)
	if err != nil {
		return nil, err
	}
	r := &role{name: RoleSample}
	s := &sample{
		sessions: &sessions{c.Tenants, ledger, clients}, timeout: c.LLM.LookTimeout, patience: c.LLM.Patience, publisher: w.publisher(),
		now: w.Now, notJudged: metrics.notJudged, waiting: make(map[int32]waitingSession),
		busyUntil: r.busyUntil,
	}
	s.verdict.Store(verdict)
	w.reloadInto(&s.verdict)
	r.loop, err = consumer.New(w.sampleLoop(s, ledger))
	return r, err
}

func (w *worker) sampleLoop(s *sample, ledger *sampling.Ledger) consumer.Options[*schemas.Interaction] {
	c := w.Config
	opts := loopOptions[*schemas.Interaction](w, RoleSample)
	opts.Topics = []string{c.Kafka.Topics.Sampled}
	opts.MaxBatch = 1 // a retry repeats one deep evaluation at most
	opts.Workers = c.LLM.Workers
	opts.Waits, opts.SlowRecord = true, c.LLM.LookTimeout+time.Second
	codec := newSampledCodec(c.Kafka.Inputs, w.clusterID, int(c.Kafka.MaxRecordBytes))
	codec.writers = newWriters(w.registry)
	opts.Codec, opts.Handler = codec, s
	opts.OnAssigned = func(_ string, partition int32) { ledger.Assign(partition) }
	opts.OnRevoked = func(_ string, partition int32) {
		s.forget(partition)
		ctx, cancel := context.WithTimeout(context.Background(), min(giveBackTime, c.stopTime()))
		defer cancel()
		ledger.Release(ctx, partition)
	}
	return opts
}

// giveBackTime is how long the rest of a block may take to be given back: the group waits meanwhile.
const giveBackTime = 2 * time.Second

// openLedger is the budget over the books in llm.budget.
func (w *worker) openLedger() (*sampling.Ledger, error) {
	c := w.Config
	log, err := kafka.NewFencedLog(kafka.FencedOptions{Config: w.kafka, Topic: c.Kafka.Topics.Budget})
	if err != nil {
		return nil, err
	}
	ledger, err := sampling.NewLedger(c.ledgerOptions(sampling.LedgerOptions{
		Partitions: int32(w.partitions[c.Kafka.Topics.Sampled]), Now: w.Now,
		Open: func(ctx context.Context, p int32) (sampling.BudgetLog, error) { return log.Own(ctx, p) },
	}))
	if err != nil {
		return nil, err
	}
	if err := w.Registry.Register(ledger); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, func() {
		ctx, cancel := context.WithTimeout(context.Background(), min(giveBackTime, c.stopTime()))
		defer cancel()
		ledger.Close(ctx)
	})
	return ledger, nil
}

// ledgerOptions adds what the configuration says.
func (c *Config) ledgerOptions(o sampling.LedgerOptions) sampling.LedgerOptions {
	o.Budget, o.Tenants = c.LLM.Budget, make(map[string]int64)
	for name, t := range c.Tenants {
		if t.LLM.TokensPerWindow != nil {
			o.Tenants[name] = *t.LLM.TokensPerWindow
		}
	}
	o.MetricTenants = append(slices.Collect(maps.Keys(c.Tenants)), schemas.DefaultTenant)
	return o
}
