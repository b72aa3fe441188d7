package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"confab"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// The outcomes of the detect role.
const (
	outcomeFlagged = "flagged"
	outcomeQuiet   = "quiet"
)

// Metric labels of sampled copies that are not written.
const (
	reasonCopyTooLarge = "too_large"   // for its topic
	reasonCopyFailed   = "not_encoded" // as a record of its own
)

// detectHandler is the handler of the detect role. It writes a flag for each interaction at which a detector fired or failed,
// and a copy of each sampled interaction.
type detectHandler struct {
	evaluator atomic.Pointer[confab.Evaluator] // replaced on reload; one batch uses one evaluator
	sampler   *sampling.Sampler
	copies    *records.InteractionCodec // nil: copies are the records' own bytes
	coverage  *coverage.Recorder        // nil: nothing is counted
	emitAll   bool
	publisher records.Publisher
	metrics   *roleMetrics
	now       func() time.Time

	log *slog.Logger // nil: nothing is logged
}

func (w *worker) buildDetect() error {
	c := w.Config
	o, err := w.fastOptions(c)
	if err != nil {
		return err
	}
	evaluator, err := w.newEvaluator(o)
	if err != nil {
		return err
	}
	sampler, err := sampling.New(c.SamplingOptions())
	if err != nil {
		return fmt.Errorf("sampling: %w", err)
	}
	opts := loopOptions[*schemas.Interaction](w, config.RoleDetect)
	opts.Topics = c.Kafka.InputTopics()
	codec := records.NewInteractionCodec(c.Kafka.Inputs, w.clusterID, int(c.Kafka.MaxRecordBytes))
	codec.UseRegistry(w.registry)
	references, err := records.LoadReferences(c)
	if err != nil {
		return err
	}
	codec.UseReferences(references)
	opts.Codec, opts.Outcomes = codec, []string{outcomeFlagged, outcomeQuiet}
	codec.Count(w.metrics.records)
	d := &detectHandler{
		sampler: sampler, copies: codec, emitAll: c.Emit == config.EmitAll, now: w.Now, publisher: w.publisher(), metrics: w.metrics, log: w.Logger,
		coverage: coverage.NewRecorder(w.Registry, w.metrics.traffic, w.groundingChecks(evaluator.Policy), w.Logger),
	}
	d.evaluator.Store(evaluator)
	w.reloader.Add(evaluatorTarget(&d.evaluator, w.fastOptions))
	opts.Handler = d
	if w.DryRun {
		opts.Handler, opts.DryRun = &dryRun{d}, true
		opts.Group += "-dry-run"
	}
	loop, err := w.newDetectLoop(opts)
	return w.addRole(config.RoleDetect, observedLoop{loop, w.observed}, err)
}

// Handle implements consumer.Handler.
func (d *detectHandler) Handle(ctx context.Context, batch []consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	v := d.evaluator.Load()
	for i := range batch {
		if err := d.evaluate(ctx, v, &batch[i], out); err != nil {
			return err
		}
	}
	return nil
}

func (d *detectHandler) evaluate(
	ctx context.Context, v *confab.Evaluator, r *consumer.Record[*schemas.Interaction], out consumer.Producer,
) error {
	in := r.Value
	r.Begin()
	d.metrics.observeAge(in, r.Timestamp, d.now())
	e := v.Suite.Evaluate(ctx, in)
	defer e.Release()
	if err := ctx.Err(); err != nil { // detectors may have been skipped
		return fmt.Errorf("detect: %w", err)
	}
	if why := e.Ended(); why != "" && d.log != nil {
		d.log.WarnContext(ctx, "skipped detectors: the record costs too much", "reason", why,
			"topic", r.Topic, "partition", r.Partition, "offset", r.Offset, "index", r.Index)
	}
	d.coverage.Observe(e, v.Policy.Action(in.Tenant), v.KnowsModel(in.Model))
	if r.Outcome = outcomeQuiet; e.NeedsFlag() {
		r.Outcome = outcomeFlagged
	} else if !d.emitAll {
		d.sample(r, evaluation.Picked(d.sampler, e, in, false), out)
		return nil
	}
	f := v.Flag(e, originOf(r), d.now())
	picked := d.sample(r, evaluation.Picked(d.sampler, e, in, v.Policy.NeedsConfirm(&f)), out)
	f.Sampled, f.SampleReason, f.SampleProbability = picked.Sampled, string(picked.Reason), picked.Probability
	d.publisher.Metrics.CountBelowMinRisk(v.Policy, &f)
	return d.publisher.Publish(ctx, &f, r, out)
}

// sample forwards the interaction if it is picked. A copy that does not fit its topic is counted and dropped, so that the
// flag is still written.
func (d *detectHandler) sample(r *consumer.Record[*schemas.Interaction], picked sampling.Decision, out consumer.Producer) sampling.Decision {
	if !picked.Sampled {
		return picked
	}
	m, err := d.sampledCopy(r, picked)
	switch {
	case err != nil:
		d.metrics.notCopied.WithLabelValues(reasonCopyFailed).Inc()
		return sampling.Decision{}
	case !d.publisher.Limits.Fits(&m):
		d.metrics.notCopied.WithLabelValues(reasonCopyTooLarge).Inc()
		return sampling.Decision{}
	}
	d.metrics.sampled.WithLabelValues(string(picked.Reason)).Inc()
	out.Produce(m)
	return picked
}

// sampledCopy is the original record, or one interaction of it, with headers from which the sample role derives the same ids.
func (d *detectHandler) sampledCopy(r *consumer.Record[*schemas.Interaction], picked sampling.Decision) (kafka.Message, error) {
	value, further, err := d.copies.Copy(r)
	if err != nil {
		return kafka.Message{}, err
	}
	headers := make([]kafka.Header, 0, len(r.Headers)+len(further)+3)
	headers = append(append(headers, r.Headers...), further...)
	headers = append(headers,
		kafka.Header{Key: sampling.HeaderReason, Value: []byte(picked.Reason)},
		kafka.Header{Key: sampling.HeaderProbability, Value: strconv.AppendFloat(nil, picked.Probability, 'g', -1, 64)},
		kafka.Header{Key: sampling.HeaderOrigin, Value: originOf(r).Header(r.Value.Tenant)},
	)
	return kafka.Message{
		Topic: d.publisher.Topics.Sampled, Partition: kafka.AnyPartition,
		Key: []byte(r.Value.ID), Value: value, Headers: headers,
	}, nil
}

func originOf[T any](r *consumer.Record[T]) schemas.Origin {
	return schemas.Origin{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Index: r.Index}
}

// dryRun measures like the detect role but logs flags instead of writing them.
type dryRun struct{ detect *detectHandler }

// Handle implements consumer.Handler.
func (d *dryRun) Handle(ctx context.Context, batch []consumer.Record[*schemas.Interaction], _ consumer.Producer) error {
	return d.detect.Handle(ctx, batch, d)
}

// Produce logs what would be written.
func (d *dryRun) Produce(m kafka.Message) {
	if m.Topic != d.detect.publisher.Topics.Incidents {
		d.detect.log.Info("would sample", "interaction_id", string(m.Key))
		return
	}
	var f schemas.Flag
	if err := json.DecodeFlag(m.Value, &f); err != nil {
		d.detect.log.Error("decode flag failed", "error", err)
		return
	}
	d.detect.log.Info("would flag", "incident_id", f.IncidentID, "interaction_id", f.InteractionID, "fired", f.Fired, "alert", f.Alert)
}
