package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"confab/internal/worker/cluster"

	"confab"
	"confab/consumer"
	"confab/internal/cli/topicrange"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/sampling"
	"confab/schemas"
)

// Options say what is measured again, and where the flags go.
type Options struct {
	Kafka     kafka.Config
	Ranges    []kafka.Range
	Decode    records.RecordReader // with the errors of records that cannot be decoded
	Evaluator *confab.Evaluator
	Sampler   *sampling.Sampler
	Publisher records.Publisher // of JSON; its topic of flags has the live ones
	All       bool              // quiet flags too

	Out      io.Writer     // gets JSON Lines
	Patience time.Duration // without a record
	Now      func() time.Time
	Progress func(n int) // called with the number of records read; may be nil
}

// Result counts what was read.
type Result struct {
	Records     int
	Flags       int
	Undecodable int // records and parts of records
}

// Run measures the interactions of the ranges as the role detect does, and writes their flags in the order of each partition.
// Samples are decided, and not copied; firing rates are not observed.
func Run(ctx context.Context, o *Options) (*Result, error) {
	r := &run{Options: o}
	err := topicrange.ReadBatches(ctx, o.Kafka, o.Ranges, o.Patience, func(batch []kafka.FetchedRecord) error { return r.batch(ctx, batch) })
	return &r.result, cluster.WithRole(err, "audit")
}

// run is the state of one Run.
type run struct {
	*Options

	result Result
}

// measured are the flags of one record.
type measured struct {
	messages    []kafka.Message
	undecodable int
}

// Produce implements consumer.Producer.
func (m *measured) Produce(message kafka.Message) { m.messages = append(m.messages, message) }

func (r *run) batch(ctx context.Context, batch []kafka.FetchedRecord) error {
	all := make([]measured, len(batch))
	if err := topicrange.Each(len(batch), func(i int) error { return r.measure(ctx, &batch[i], &all[i]) }); err != nil {
		return err
	}
	var messages []kafka.Message
	for i := range all {
		messages = append(messages, all[i].messages...)
		r.result.Undecodable += all[i].undecodable
		if r.result.Records++; r.Progress != nil {
			r.Progress(r.result.Records)
		}
	}
	r.result.Flags += len(messages)
	for i := range messages {
		if _, err := r.Out.Write(append(slices.Clip(messages[i].Value), '\n')); err != nil {
			return fmt.Errorf("write flags: %w", err)
		}
	}
	return nil
}

// measure adds the flags of a record to out.
func (r *run) measure(ctx context.Context, rec *kafka.FetchedRecord, out *measured) error {
	if rec.Value == nil {
		return nil
	}
	list, raw, err := r.Decode(ctx, rec)
	_, poison := errors.AsType[*consumer.PoisonError](err)
	if _, unknown := errors.AsType[*schemaregistry.PendingError](err); poison || unknown {
		out.undecodable++
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s partition %d offset %d: %w", rec.Topic, rec.Partition, rec.Offset, err)
	}
	out.undecodable += len(raw.Rejected)
	for i, in := range list {
		one := consumer.Record[*schemas.Interaction]{
			Value: in, Raw: rec.Value, Key: rec.Key, Headers: rec.Headers, Topic: rec.Topic, Partition: rec.Partition,
			Offset: rec.Offset, Index: raw.IndexOf(i), Timestamp: rec.Timestamp,
		}
		if err := r.interaction(ctx, &one, out); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) interaction(ctx context.Context, rec *consumer.Record[*schemas.Interaction], out *measured) error {
	in := rec.Value
	e := r.Evaluator.Suite.Evaluate(ctx, in)
	defer e.Release()
	if err := ctx.Err(); err != nil { // detectors may have been skipped
		return fmt.Errorf("measure: %w", err)
	}
	if !e.NeedsFlag() && !r.All {
		return nil
	}
	f := r.Evaluator.Flag(e, schemas.Origin{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset, Index: rec.Index}, r.Now())
	picked := evaluation.Picked(r.Sampler, e, in, r.Evaluator.Policy.NeedsConfirm(&f))
	f.Sampled, f.SampleReason, f.SampleProbability = picked.Sampled, string(picked.Reason), picked.Probability
	return r.Publisher.Publish(ctx, &f, rec, out)
}
