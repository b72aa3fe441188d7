package verify

import (
	"context"
	"fmt"
	"time"

	"confab"
	"confab/internal/cli/topicrange"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
)

// Options say what is audited, and against what.
type Options struct {
	Kafka       kafka.Config
	Ranges      []kafka.Range // of one topic of interactions
	Group       string        // of the role detect
	Incidents   string        // the topic of flags
	DeadLetters string

	Decode     records.RecordReader // with the errors of records that cannot be decoded
	DecodeFlag incidents.FlagDecoder
	Evaluator  *confab.Evaluator
	EmitAll    bool // every interaction has a flag

	Lost     int           // lost records of which the result has the coordinates
	Patience time.Duration // without a record
	Progress func(n int)   // called with the number of records read; may be nil
}

// Run audits the ranges as far as the group has committed them. The flags and dead letters are read after the committed offsets,
// so that those of each committed record are there.
func Run(ctx context.Context, o *Options) (*Result, error) {
	a := &audit{Options: o, result: &Result{Partitions: len(o.Ranges), Examples: []Lost{}}}
	if err := a.clip(ctx); err != nil {
		return nil, cluster.WithRole(err, "audit")
	}
	var err error
	if a.outcomes, err = a.readOutcomes(ctx); err != nil {
		return nil, cluster.WithRole(err, "audit")
	}
	if err := topicrange.ReadBatches(ctx, o.Kafka, a.audited, o.Patience, func(batch []kafka.FetchedRecord) error { return a.batch(ctx, batch) }); err != nil {
		return nil, cluster.WithRole(err, "audit")
	}
	a.finish()
	return a.result, nil
}

// audit is the state of one Run.
type audit struct {
	*Options

	audited  []kafka.Range // those of the ranges that are committed
	outcomes *outcomes
	result   *Result
	read     int
}

// clip leaves out what is not committed.
func (a *audit) clip(ctx context.Context) error {
	if len(a.Ranges) == 0 {
		return nil
	}
	a.result.Topic = a.Ranges[0].Topic
	return cluster.WithAdmin(ctx, a.Kafka, func(ctx context.Context, admin *kafka.Admin) error {
		committed, err := admin.Committed(ctx, a.Group, a.result.Topic)
		if err != nil {
			return err
		}
		if len(committed) == 0 {
			return fmt.Errorf("group %s has committed no offset of %s: name another kafka.consumer_group, or start a worker", a.Group, a.result.Topic)
		}
		for _, r := range a.Ranges {
			at, known := committed[r.Partition]
			if !known || at < r.First {
				at = r.First
			}
			a.result.Behind += max(r.End-at, 0)
			if r.End = min(r.End, at); r.First < r.End {
				a.audited = append(a.audited, r)
				a.result.Offsets += r.End - r.First
			}
		}
		return nil
	})
}

// batch decides what became of some records.
func (a *audit) batch(ctx context.Context, batch []kafka.FetchedRecord) error {
	verdicts := make([][]verdict, len(batch))
	err := topicrange.Each(len(batch), func(i int) (err error) {
		verdicts[i], err = a.judge(ctx, &batch[i])
		return err
	})
	if err != nil {
		return err
	}
	for i := range batch {
		for j := range verdicts[i] {
			a.add(&batch[i], &verdicts[i][j])
		}
		if a.read++; a.Progress != nil {
			a.Progress(a.read)
		}
	}
	return nil
}
