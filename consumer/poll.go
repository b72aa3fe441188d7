package consumer

import (
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// maxPoll is the number of records of one poll: a partition can exceed its in-flight limit by as many.
const maxPoll = 500

// backpressureWait is how long polling waits for full partitions before it pauses them.
const backpressureWait = 200 * time.Millisecond

// pollLoop polls and dispatches until ctx ends. Rebalances are blocked from a poll to the end of its dispatch, never
// while records are processed: polled records always belong to the assignment under which they were fetched.
func (l *Loop[T]) pollLoop(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		l.applyBackpressure(ctx)
		fetches := cl.PollRecords(ctx, maxPoll)
		l.dispatchFetches(ctx, cl, fetches)
		cl.AllowRebalance()
		l.AfterPoll(ctx, fetches)
	}
}

// applyBackpressure delays the next poll while partitions are full, and pauses those that stay full. It does not pause at
// once, because the client drops the buffered records of a paused partition and fetches them again later.
func (l *Loop[T]) applyBackpressure(ctx context.Context) {
	crowded := l.partitionsToPause()
	if len(crowded) == 0 {
		return
	}
	t := time.NewTimer(backpressureWait)
	defer t.Stop()
	for len(crowded) > 0 {
		select {
		case <-l.capacityFreed:
			crowded = l.partitionsToPause()
		case <-t.C:
			for _, p := range crowded {
				p.Pause()
			}
			return
		case <-ctx.Done():
			return
		}
	}
}

func (l *Loop[T]) partitionsToPause() []*partition[T] {
	return slices.DeleteFunc(l.owned.All(), func(p *partition[T]) bool { return !p.ShouldPause() })
}

// byteCap is the byte limit of one partition: an equal share of the total, at most its own limit.
func (l *Loop[T]) byteCap() int {
	return min(l.opts.InFlightBytes, l.opts.TotalBytes/max(1, l.owned.Count()))
}

// signalCapacity ends a wait in applyBackpressure.
func (l *Loop[T]) signalCapacity() {
	select {
	case l.capacityFreed <- struct{}{}:
	default:
	}
}

func (l *Loop[T]) dispatchFetches(ctx context.Context, cl *kgo.Client, fetches kgo.Fetches) {
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		p := l.owned.Find(partitionID{Topic: f.Topic, Partition: f.Partition})
		if p != nil && len(f.Records) > 0 {
			l.metrics.Fetched.WithLabelValues(f.Topic).Add(float64(p.Enqueue(f.Records)))
		}
		if f.Err != nil && ctx.Err() == nil {
			l.fetchFailed(ctx, cl, p, f)
		}
	})
}

// fetchFailed handles an error that the client does not retry. p is nil when the error is the group's.
func (l *Loop[T]) fetchFailed(ctx context.Context, cl *kgo.Client, p *partition[T], f kgo.FetchTopicPartition) {
	var at *assignment
	if p != nil {
		at = p.assignment
	}
	if bad := l.FetchFailed(ctx, cl, at, f); bad != nil {
		p.EnqueueBad(bad)
		skipBatch(cl, p.ID, bad)
	}
}
