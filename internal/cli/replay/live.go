package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/schemas"
)

// LiveOptions say which live flags are written.
type LiveOptions struct {
	Kafka    kafka.Config
	Topic    string        // of flags
	Ranges   []kafka.Range // of the interactions that they are about
	Decode   incidents.FlagDecoder
	Patience time.Duration // without a record
	Progress func(n int)   // may be nil
}

// WriteLive writes the flags of the fast pass about interactions of the ranges as JSON Lines, repeats included, and returns their
// number.
func WriteLive(ctx context.Context, w io.Writer, o *LiveOptions) (flags int, err error) {
	if err := cluster.RequireTopic(ctx, o.Kafka, o.Topic); err != nil {
		return 0, err
	}
	read := 0
	err = cluster.Read(ctx, kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}}, o.Patience, func(r *kafka.FetchedRecord) error {
		if read++; o.Progress != nil {
			o.Progress(read)
		}
		var f schemas.Flag
		err := o.Decode(ctx, r.Value, &f)
		if _, poison := errors.AsType[*consumer.PoisonError](err); poison || err == nil && !o.about(&f) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
		}
		flags++
		return incidents.WriteLine(w, &f, r.Value)
	})
	return flags, err
}

// about reports whether a flag is of the fast pass and about an interaction of the ranges.
func (o *LiveOptions) about(f *schemas.Flag) bool {
	return f.Pass == schemas.PassFast && slices.ContainsFunc(o.Ranges, func(r kafka.Range) bool {
		return r.Topic == f.Origin.Topic && r.Partition == f.Origin.Partition && r.First <= f.Origin.Offset && f.Origin.Offset < r.End
	})
}
