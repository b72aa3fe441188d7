package worker

import (
	"context"
	"sync"
	"time"

	"confab"
	"confab/consumer"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/internal/worker/tuning"
	"confab/sampling/budget"
	"confab/schemas"
)

func (w *worker) buildSample() error {
	c := w.Config
	metrics := deep.NewMetrics(w.Registry, &c.LLM)
	clients, err := deep.OpenClients(c, metrics)
	if err != nil {
		return err
	}
	w.closers = append(w.closers, clients.Close)
	ledger, err := w.openLedger()
	if err != nil {
		return err
	}
	o, err := w.deepOptions(c)
	if err != nil {
		return err
	}
	evaluator, err := w.newEvaluator(o)
	if err != nil {
		return err
	}
	references, err := records.LoadReferences(c)
	if err != nil {
		return err
	}
	r := &role{name: config.RoleSample}
	s := deep.NewHandler(&deep.Options{
		Config: c, Budget: ledger, Clients: clients, NotJudged: metrics.NotJudged, Publisher: w.publisher(), Logger: w.Logger, Now: w.Now, BusyUntil: r.busyUntil,
	})
	s.Evaluator.Store(evaluator)
	w.reloader.Add(evaluatorTarget(&s.Evaluator, w.deepOptions))
	w.roles = append(w.roles, r)
	opts := w.sampleLoop(s, ledger, references)
	if c.Tuning.Learns() {
		w.refit(&opts)
	}
	r.loop, err = consumer.New(opts)
	return err
}

// refit refits the calibration to live traffic, in the process that owns the first partition.
func (w *worker) refit(opts *consumer.Options[*schemas.Interaction]) {
	r := tuning.NewRefitter(tuning.RefitterOptions{
		Config: w.reloader.Running, Versions: w.versions, Kafka: w.kafka, Producer: w.producer, Decode: records.NewFlagReader(w.registry),
		Registry: w.Registry, Logger: w.Logger, Now: w.Now, Tick: w.refitTick,
	})
	w.background = append(w.background, r.Run)
	leased(opts, &r.Lease)
}

// leased gives the lease to the owner of the first partition.
func leased[T any](opts *consumer.Options[T], l *tuning.Lease) {
	assigned, revoked := opts.OnAssigned, opts.OnRevoked
	opts.OnAssigned = func(topic string, partitions []int32) {
		assigned(topic, partitions)
		l.Assign(partitions)
	}
	opts.OnRevoked = func(topic string, partitions []int32) {
		l.Revoke(partitions)
		revoked(topic, partitions)
	}
}

// deepOptions are the options of the sample role's evaluator under a configuration.
func (w *worker) deepOptions(c *config.Config) (confab.Options, error) {
	o, err := evaluation.FastOptions(c, nil, w.Logger)
	o.Pass, o.Suite.Metrics, o.Deps.Live = schemas.PassDeep, w.suiteMetrics, w.Baselines
	return o, err
}

func (w *worker) sampleLoop(s *deep.Handler, ledger *budget.Ledger, references records.References) consumer.Options[*schemas.Interaction] {
	c := w.Config
	opts := loopOptions[*schemas.Interaction](w, config.RoleSample)
	opts.Topics = []string{c.Kafka.Topics.Sampled}
	opts.MaxBatch = 1 // a retry repeats at most one deep evaluation
	opts.Workers = c.LLM.Workers()
	opts.HandlerWaits, opts.SlowRecord = true, c.LLM.EvaluationTimeout+time.Second
	codec := records.NewSampledCodec(c.Kafka.Inputs, w.clusterID, int(c.Kafka.MaxRecordBytes))
	codec.UseRegistry(w.registry)
	codec.UseReferences(references)
	opts.Codec, opts.Handler, opts.Outcomes = codec, s, deep.Outcomes()
	opts.OnAssigned = func(_ string, partitions []int32) {
		for _, p := range partitions {
			ledger.Assign(p)
		}
	}
	opts.OnRevoked = func(_ string, partitions []int32) {
		ctx, cancel := context.WithTimeout(context.Background(), min(releaseTimeout, stopTime(c)))
		defer cancel()
		var releases sync.WaitGroup
		for _, p := range partitions {
			s.DropSession(p)
			releases.Go(func() { ledger.Release(ctx, p) })
		}
		releases.Wait()
	}
	return opts
}

// releaseTimeout bounds the return of unused tokens. The consumer group waits meanwhile.
const releaseTimeout = 2 * time.Second

// openLedger opens the budget ledger, whose log is llm.budget.
func (w *worker) openLedger() (*budget.Ledger, error) {
	c := w.Config
	log := compacted.FencedLog{Config: w.kafka, Topic: c.Kafka.Topics.Budget}
	ledger := budget.NewLedger(deep.LedgerOptions(c, budget.LedgerOptions{
		Partitions: int32(w.partitions[c.Kafka.Topics.Sampled]), Now: w.Now,
		Open: func(ctx context.Context, p int32) (budget.Log, error) { return log.Own(ctx, p) },
	}))
	if err := w.Registry.Register(ledger); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, func() {
		ctx, cancel := context.WithTimeout(context.Background(), min(releaseTimeout, stopTime(c)))
		defer cancel()
		ledger.Close(ctx)
	})
	return ledger, nil
}
