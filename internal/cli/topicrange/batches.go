package topicrange

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"confab/internal/kafka"
	"confab/internal/worker/cluster"
)

// Bounds of a batch.
const (
	maxBatch      = 256
	maxBatchBytes = 16 << 20
)

// ReadBatches reads ranges and calls fn for some records at a time, in the order of each partition. It ends with an error if no
// record comes for the patience. fn may keep the records.
func ReadBatches(ctx context.Context, cfg kafka.Config, ranges []kafka.Range, patience time.Duration, fn func(batch []kafka.FetchedRecord) error) error {
	if len(ranges) == 0 {
		return nil
	}
	var batch []kafka.FetchedRecord
	bytes := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		full := batch
		batch, bytes = nil, 0
		return fn(full)
	}
	err := cluster.Read(ctx, kafka.ReaderOptions{Config: cfg, Ranges: ranges}, patience, func(r *kafka.FetchedRecord) error {
		batch, bytes = append(batch, *r), bytes+len(r.Value)
		if len(batch) < maxBatch && bytes < maxBatchBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// Each calls fn for 0 to n-1, on all processors at once, and returns the first error.
func Each(n int, fn func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { return fn(i) })
	}
	return g.Wait()
}
