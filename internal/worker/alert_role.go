package worker

import (
	"context"
	"time"

	"confab"
	"confab/alerting"
	"confab/alerting/dispatch"
	"confab/consumer"
	"confab/detectors/standard"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/config"
	"confab/internal/worker/observations"
	"confab/internal/worker/records"
	"confab/internal/worker/tuning"
	"confab/schemas"
)

const (
	// alertWorkers is how many partitions may wait for their state to be loaded: more than there are, so that none blocks
	// another.
	alertWorkers = 64
	// maxRememberedBytes is the memory for incidents that are remembered so that none counts twice.
	maxRememberedBytes = 32 << 20
	// groupTimeout bounds one attempt to add a flag's incident to its group. It stays below the watchdog's limit.
	groupTimeout = 30 * time.Second
	// maxDeliveryGrace is how long a message in progress may take after the worker is asked to stop.
	maxDeliveryGrace = 5 * time.Second
)

func (w *worker) buildAlert() error {
	c := w.Config
	log := w.Logger.With("role", string(config.RoleAlert))
	sink, err := c.Alerting.NewSink(config.SinkOptions{Console: w.Console, Color: w.Color, Now: w.Now})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, sink.Close)
	policy := alerting.NewPolicy(c.PolicyOptions())
	dispatcher := dispatch.New(dispatch.Options{
		Notifier: sink.Notifier, Sink: sink.Kind, Policy: policy, Metrics: w.alertMetrics, Logger: log, Now: w.Now,
		Groups: c.Alerting.GroupOptions, Tenants: c.FixedTenants(), Partitions: w.partitions[c.Kafka.Topics.Incidents],
	})
	w.reloader.Add(func(next *config.Config, _ confab.Tuning) (commit func(), err error) {
		return func() { policy.Replace(next.PolicyOptions()) }, nil
	})
	table, err := compacted.NewTable(compacted.TableOptions{
		Config: w.kafka, Producer: w.producer, Topic: c.Kafka.Topics.Alerts,
		MaxBytes: maxRememberedBytes,
	})
	if err != nil {
		return err
	}
	labels := &labelFollower{
		dispatcher: dispatcher, log: log, metrics: newFeedbackMetrics(w.Registry, standard.Names(), w.Now),
	}
	background := []func(ctx context.Context) error{
		func(ctx context.Context) error { return w.followSilences(ctx, dispatcher) },
		func(ctx context.Context) error { return labels.follow(ctx, w) },
	}
	clicks, err := w.newClickReceiver(sink.Notifier, dispatcher.Silence)
	if err != nil {
		return err
	}
	if clicks != nil {
		background = append(background, clicks)
	}
	opts := loopOptions[*schemas.Flag](w, config.RoleAlert)
	opts.Topics = []string{c.Kafka.Topics.Incidents}
	opts.MaxBatch = 1 // a retry repeats at most one write
	opts.Workers = alertWorkers
	opts.Grace -= deliveryGrace(c)
	opts.Codec, opts.Outcomes = records.NewFlagCodec(w.registry), dispatch.Outcomes()
	patience := min(groupTimeout, c.Watchdog/2)
	opts.Handler = &alertHandler{dispatcher: dispatcher, timeout: patience}
	opts.HandlerWaits, opts.SlowRecord = true, patience+time.Second
	encoder := &records.StateEncoder{Topic: c.Kafka.Topics.Alerts, Limits: w.limits, Metrics: w.metrics.records}
	owned := &alertPartitions{dispatcher: dispatcher, log: log, loads: make(map[int32]*alertLoad), read: readAlertState(table, encoder)}
	opts.OnAssigned, opts.OnRevoked = owned.assign, owned.revoke
	if w.versions != nil {
		teller := &tuning.Teller{Versions: w.versions, Notifier: sink.Notifier, Producer: w.producer, Logger: log, Now: w.Now}
		background = append(background, teller.Run)
		leased(&opts, &teller.Lease)
	}
	loop, err := consumer.New(opts)
	err = w.addRole(config.RoleAlert, &alertLoop{roleLoop: loop, deliver: dispatcher.Run, background: background, grace: deliveryGrace(c)}, err)
	if err != nil || !c.Observations.Enabled {
		return err
	}
	return w.buildKeeper()
}

// buildKeeper builds the consumer group that keeps the claims of incidents which people confirm.
func (w *worker) buildKeeper() error {
	opts := loopOptions[*schemas.Feedback](w, config.AlertObservationsRole())
	keeper := observations.NewKeeper(w.Config, w.kafka, records.NewFlagReader(w.registry), w.Now)
	w.closers = append(w.closers, keeper.Texts.Close)
	opts.Topics, opts.MaxBatch = []string{w.Config.Kafka.Topics.Feedback}, 1
	opts.Codec, opts.Handler, opts.Outcomes = observations.LabelCodec{}, keeper, observations.Outcomes()
	opts.HandlerWaits, opts.SlowRecord = true, groupTimeout
	loop, err := consumer.New(opts)
	return w.addRole(config.AlertObservationsRole(), loop, err)
}
