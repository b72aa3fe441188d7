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

// unknownTopicPause is how long polling rests while a broker does not know a topic.
const unknownTopicPause = 100 * time.Millisecond

// maxPoll is how many records one poll may bring: what a partition can exceed its in-flight cap by.
const maxPoll = 500

// ErrDataLoss says that records were gone before they were processed, and that Options.OnDataLoss is to halt.
var ErrDataLoss = errors.New("data loss")

var errRecreated = errors.New("the topic was deleted and created again, so that committed offsets mean nothing: " +
	"delete the group's offsets for the topic and start again")

// backpressureWait is how long polling waits for crowded partitions before it pauses them.
const backpressureWait = 200 * time.Millisecond

// pollLoop fetches and hands out until ctx ends. Rebalances are blocked between a poll and the end of its handing out,
// never while records are processed: so what was polled always meets the assignment under which it was fetched.
func (l *Loop[T]) pollLoop(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		l.applyBackpressure(ctx)
		fetches := cl.PollRecords(ctx, maxPoll)
		l.dispatchFetches(ctx, cl, fetches)
		cl.AllowRebalance()
	}
}

// applyBackpressure is the backpressure. Handlers that are merely slower than the network hold up the next poll for a moment.
// A partition that stays crowded is paused, so that it holds up nobody: not at once, because the client throws away
// what it has fetched of a paused partition and fetches it again later.
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

// ByteCap is what one partition may hold: an equal share of the total, at most its own limit.
func (l *Loop[T]) byteCap() int {
	return min(l.opts.InFlightBytes, l.opts.TotalBytes/max(1, int(l.assigned.Load())))
}

// signalCapacity says that a partition is no longer full.
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
			l.metrics.fetched(f.Topic, len(f.Records))
			p.Enqueue(f.Records)
		}
		if f.Err != nil && ctx.Err() == nil {
			l.fetchFailed(ctx, cl, p, f)
		}
	})
}

// fetchFailed sorts an error that the client does not retry by itself. p is nil when the error is the group's.
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
		// The brokers lost a part of the log that we had read; the client has gone back to where it diverged.
		l.dataLoss(p, loss.ConsumedTo, loss.ResetTo, loss.ResetTo)
	case errors.As(f.Err, &bad) && p != nil:
		p.EnqueueBad(bad)
		cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{
			f.Topic: {f.Partition: {Epoch: bad.Epoch, Offset: bad.NextOffset}},
		})
	default:
		if l.logThrottle.allow("fetch " + f.Topic) {
			l.opts.Logger.Error("fetch records failed, retrying",
				slog.String("topic", f.Topic), slog.Int("partition", int(f.Partition)), slog.Any("error", f.Err))
		}
	}
}

// unknownTopic finds out why a broker does not know the identity of a topic: it was deleted and created again, which
// ends the loop, or the broker has just started and does not know its topics yet, which passes.
func (l *Loop[T]) unknownTopic(ctx context.Context, topic string) {
	if !l.lookupThrottle.allow(topic) {
		select { // the client hands the error on at once, as often as it is asked
		case <-time.After(unknownTopicPause):
		case <-ctx.Done():
		}
		return
	}
	cfg := l.opts.Kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg) // another client: this one answers from what it remembers
	if err != nil {
		return
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, assignment.ListTimeout)
	defer cancel()
	ids, err := admin.TopicIDs(ctx, topic)
	// A broker that has just started may also miss the topic in its answer: only another identity is proof.
	if id, found := ids[topic]; err == nil && found && id != l.ids[topic] {
		l.fail(fmt.Errorf("fetch topic %s: %w", topic, errRecreated))
		return
	}
	if l.logThrottle.allow("unknown topic " + topic) {
		l.opts.Logger.Warn("broker does not know the topic, retrying", slog.String("topic", topic))
	}
}

// outOfRange finds out what was lost and moves the partition on, or ends the loop.
func (l *Loop[T]) outOfRange(ctx context.Context, cl *kgo.Client, p *partition[T]) {
	log, err := assignment.ListBounds(ctx, cl, []string{p.ID.Topic})
	first, next, _, ok := log.Of(p.ID)
	if err != nil || !ok {
		l.fail(fmt.Errorf("topic %s partition %d: offset out of range, and the range cannot be listed: %w",
			p.ID.Topic, p.ID.Partition, err))
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
