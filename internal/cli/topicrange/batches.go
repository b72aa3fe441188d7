package topicrange

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

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

// Each calls fn for 0 to n-1, on all processors at once, and returns the error of the lowest number.
func Each(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = fn(i)
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}
