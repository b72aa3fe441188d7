package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"confab/internal/kafka"
)

// errStalled ends a read that waits for a broker.
var errStalled = errors.New("no record came for a while: a broker may be down; run the command again")

// Read reads the topics to their end, or the ranges of o. It ends with an error if no record comes for the patience,
// not counting the time in fn.
func Read(ctx context.Context, o kafka.ReaderOptions, patience time.Duration, fn func(r *kafka.FetchedRecord) error) error {
	o.StopAtEnd = true
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(patience, func() { cancel(errStalled) })
	defer stalled.Stop()
	err := kafka.Read(ctx, o, func(r *kafka.FetchedRecord) error {
		stalled.Stop()
		defer stalled.Reset(patience)
		return fn(r)
	})
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
		names := o.Topics
		for _, part := range o.Ranges {
			names = append(names, fmt.Sprintf("%s partition %d", part.Topic, part.Partition))
		}
		return fmt.Errorf("read %s: %w", strings.Join(names, ", "), cause)
	}
	return err
}
