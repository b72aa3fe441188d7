package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/internal/kafka"
)

// unknownTopicPause is the wait between polls while a broker does not know a topic.
const unknownTopicPause = 100 * time.Millisecond

// maxPoll is the number of records of one poll: a partition can exceed its in-flight limit by as many.
const maxPoll = 500

// ErrDataLoss means that records were deleted before they were processed, and Options.OnDataLoss is to halt.
var ErrDataLoss = errors.New("data loss")

var errRecreated = errors.New("the topic was deleted and recreated, so that committed offsets are invalid: " +
	"delete the group's offsets for the topic and start again")

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
	return slices.DeleteFunc(l.partitions(), func(p *partition[T]) bool { return !p.ShouldPause() })
}

// byteCap is the byte limit of one partition: an equal share of the total, at most its own limit.
func (l *Loop[T]) byteCap() int {
	return min(l.opts.InFlightBytes, l.opts.TotalBytes/max(1, int(l.assigned.Load())))
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
		p := l.lookup(assignment.ID{Topic: f.Topic, Partition: f.Partition})
		if p != nil && len(f.Records) > 0 {
			l.metrics.CountFetched(f.Topic, len(f.Records))
			p.Enqueue(f.Records)
		}
		if f.Err != nil && ctx.Err() == nil {
			l.fetchFailed(ctx, cl, p, f)
		}
	})
}

// fetchFailed handles an error that the client does not retry. p is nil when the error is the group's.
func (l *Loop[T]) fetchFailed(ctx context.Context, cl *kgo.Client, p *partition[T], f kgo.FetchTopicPartition) {
	var (
		loss *kgo.ErrDataLoss
		bad  *kgo.ErrDecompressTooLarge
	)
	switch {
	case errors.Is(f.Err, kgo.ErrClientClosed):
		l.fail(fmt.Errorf("poll: %w", f.Err))
	case errors.Is(f.Err, kerr.FencedInstanceID):
		l.fail(l.fencedError(f.Err))
	case errors.Is(f.Err, kerr.UnknownTopicID):
		l.unknownTopic(ctx, f.Topic)
	case errors.Is(f.Err, kerr.OffsetOutOfRange) && p != nil:
		l.outOfRange(ctx, cl, p)
	case errors.As(f.Err, &loss) && p != nil:
		// The brokers lost part of the log that was read; the client has gone back to the point of divergence.
		l.dataLoss(p, loss.ConsumedTo, loss.ResetTo, loss.ResetTo)
	case errors.As(f.Err, &bad) && p != nil:
		p.EnqueueBad(bad)
		cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{
			f.Topic: {f.Partition: {Epoch: bad.Epoch, Offset: bad.NextOffset}},
		})
	default:
		if l.logThrottle.Allow("fetch " + f.Topic) {
			l.opts.Logger.Error("fetch records failed, retrying",
				slog.String("topic", f.Topic), slog.Int("partition", int(f.Partition)), slog.Any("error", f.Err))
		}
	}
}

// unknownTopic handles a topic id that a broker does not know: the topic was recreated, which ends the loop, or the
// broker has just started, which is transient.
func (l *Loop[T]) unknownTopic(ctx context.Context, topic string) {
	if !l.lookupThrottle.Allow(topic) {
		select { // the client returns the error at once on every poll
		case <-time.After(unknownTopicPause):
		case <-ctx.Done():
		}
		return
	}
	cfg := l.opts.Kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg) // a new client: this one answers from its cache
	if err != nil {
		return
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, assignment.ListTimeout)
	defer cancel()
	ids, err := admin.TopicIDs(ctx, topic)
	// A broker that has just started may omit the topic: only another id proves that it was recreated.
	if id, found := ids[topic]; err == nil && found && id != l.ids[topic] {
		l.fail(fmt.Errorf("fetch topic %s: %w", topic, errRecreated))
		return
	}
	if l.logThrottle.Allow("unknown topic " + topic) {
		l.opts.Logger.Warn("broker does not know the topic, retrying", slog.String("topic", topic))
	}
}

// outOfRange moves a partition whose offset is out of range to the oldest record, or ends the loop.
func (l *Loop[T]) outOfRange(ctx context.Context, cl *kgo.Client, p *partition[T]) {
	log, err := assignment.ListBounds(ctx, cl, []string{p.ID.Topic})
	first, next, _, ok := log.Of(p.ID)
	if err != nil || !ok {
		l.fail(fmt.Errorf("topic %s partition %d: offset out of range, list range: %w", p.ID.Topic, p.ID.Partition, err))
		return
	}
	at := p.FetchPosition()
	if at < first || at > next {
		if !l.dataLoss(p, at, first, next) {
			return
		}
		at = first
	}
	cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.ID.Topic: {p.ID.Partition: {Epoch: -1, Offset: at}}})
}

func (l *Loop[T]) fencedError(err error) error {
	return fmt.Errorf("another process joined group %s with the same instance_id %q: give every process its own "+
		"(for example the pod name of a StatefulSet): %w", l.opts.Group, l.opts.InstanceID, err)
}
