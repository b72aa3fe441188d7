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

	"confab/internal/kafka"
	"confab/internal/retry"
)

// failurePause is the wait between polls that only fail.
const failurePause = 100 * time.Millisecond

// errRecreated means that a topic is another one of the same name.
var errRecreated = errors.New("the topic was deleted and recreated, so that committed offsets are invalid: " +
	"delete the group's offsets for the topic and start again")

// FetchFailed handles an error that the client does not retry. p is nil when the error is the group's. A batch that cannot be
// decompressed is returned: it becomes a dead letter.
func (m *member[T]) FetchFailed(
	ctx context.Context, cl *kgo.Client, p *partition[T], failed kgo.FetchTopicPartition,
) (bad *kgo.ErrDecompressTooLarge) {
	var loss *kgo.ErrDataLoss
	if p != nil {
		m.watch.noteFailure(p.ID, failed.Err)
	}
	switch {
	case errors.Is(failed.Err, kgo.ErrClientClosed):
		m.fail(fmt.Errorf("poll: %w", failed.Err))
	case errors.Is(failed.Err, kerr.FencedInstanceID):
		m.fail(m.FencedError(failed.Err))
	case errors.Is(failed.Err, kerr.UnknownTopicID):
		m.unknownTopic(ctx, failed.Topic)
	case errors.Is(failed.Err, kerr.OffsetOutOfRange) && p != nil:
		m.outOfRange(ctx, cl, p)
	case errors.As(failed.Err, &loss) && p != nil:
		// The brokers lost part of the log that was read; the client has gone back to the point of divergence.
		m.dataLoss(p, loss.ConsumedTo, loss.ResetTo, loss.ResetTo)
	case errors.As(failed.Err, &bad) && p != nil:
		return bad
	default:
		m.opts.Logger.Error("fetch records failed, retrying",
			slog.String("topic", failed.Topic), slog.Int("partition", int(failed.Partition)), slog.Any("error", failed.Err))
	}
	return nil
}

// AfterPoll waits if a poll has only failed: the client returns such errors at once.
func (m *member[T]) AfterPoll(ctx context.Context, fetches kgo.Fetches) {
	failed := slices.ContainsFunc(fetches.Errors(), func(e kgo.FetchError) bool {
		return !errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded)
	})
	if !failed || fetches.NumRecords() > 0 {
		return
	}
	_ = retry.Sleep(ctx, failurePause)
}

// skipBatch continues fetching after a batch that cannot be decompressed.
func skipBatch(cl *kgo.Client, id partitionID, bad *kgo.ErrDecompressTooLarge) {
	cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{id.Topic: {id.Partition: {Epoch: bad.Epoch, Offset: bad.NextOffset}}})
}

// unknownTopic handles a topic id that a broker does not know: the topic was recreated, which ends the loop, or the
// broker has just started, which is transient.
func (m *member[T]) unknownTopic(ctx context.Context, topic string) {
	if !m.lookupThrottle.Allow(topic) {
		return
	}
	cfg := m.opts.Kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg) // a new client: this one answers from its cache
	if err != nil {
		return
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ids, err := admin.TopicIDs(ctx, topic)
	// A broker that has just started may omit the topic: only another id proves that it was recreated.
	if id, found := ids[topic]; err == nil && found && id != m.ids[topic] {
		m.fail(fmt.Errorf("fetch topic %s: %w", topic, errRecreated))
		return
	}
	m.opts.Logger.Warn("broker does not know the topic, retrying", slog.String("topic", topic),
		slog.String("remedy", "if it was deleted, create it again, or remove it from the configuration"))
}

// outOfRange moves a partition whose offset is out of range to the oldest record, or ends the loop.
func (m *member[T]) outOfRange(ctx context.Context, cl *kgo.Client, p *partition[T]) {
	log, err := listBounds(ctx, cl, []string{p.ID.Topic})
	first, next, _, ok := log.Of(p.ID)
	if err != nil || !ok {
		m.fail(fmt.Errorf("topic %s partition %d: offset out of range, list range: %w", p.ID.Topic, p.ID.Partition, err))
		return
	}
	at := p.FetchPosition()
	if at < first || at > next {
		if !m.dataLoss(p, at, first, next) {
			return
		}
		at = first
	}
	cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.ID.Topic: {p.ID.Partition: {Epoch: -1, Offset: at}}})
}

// dataLoss handles an offset of p outside its log [first, next). It reports whether to continue at first.
func (m *member[T]) dataLoss(p *partition[T], at, first, next int64) bool {
	lost := first - at
	if at > next {
		lost = at - next
	}
	if m.opts.OnDataLoss == HaltOnDataLoss {
		m.fail(fmt.Errorf("%w: topic %s partition %d is to be read from offset %d but holds %d to %d: "+
			"records were deleted by retention or lost by the brokers before they were processed; "+
			"to continue with the oldest record, set kafka.on_data_loss: earliest, or reset the offsets of group %s", ErrDataLoss, p.ID.Topic, p.ID.Partition, at, first, next, m.opts.Group))
		return false
	}
	m.metrics.Lost.WithLabelValues(p.ID.Topic).Add(float64(lost))
	m.opts.Logger.Error("records were deleted before they were processed, resuming at the oldest",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
		slog.Int64("from", at), slog.Int64("lost", lost), slog.Int64("resume", first))
	p.MoveTo(first)
	return true
}

// FencedError is the error of a static member whose place another process took. During faults of brokers a request to join that this
// process gave up may arrive late and take its place as well.
func (m *member[T]) FencedError(err error) error {
	return fmt.Errorf("another process joined group %s with the same instance_id %q: give every process its own "+
		"(for example the pod name of a StatefulSet); after a fault of a broker it may have been a late request of this process: "+
		"start it again: %w", m.opts.Group, m.opts.InstanceID, err)
}
