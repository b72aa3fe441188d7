package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/retry"
)

// startRetry is the wait between two attempts to list the topics at the start.
const startRetry = 2 * time.Second

// ErrDataLoss means that records were deleted before they were processed, and the loop has to halt then.
var ErrDataLoss = errors.New("data loss")

// AwaitTopics waits until a broker answers and returns an error for missing topics. It returns nil when ctx ends.
func (m *member[T]) AwaitTopics(ctx context.Context) error {
	cfg := m.opts.Kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", m.opts.Role, err)
	}
	defer admin.Close()
	for {
		counts, err := admin.PartitionCounts(ctx, m.opts.Topics...)
		if err == nil {
			m.ids, err = admin.TopicIDs(ctx, m.opts.Topics...)
		}
		var began map[string]bool
		if err == nil {
			began, err = admin.HasCommits(ctx, m.opts.Group, m.opts.Topics...)
		}
		if err == nil {
			return m.checkTopics(counts, began)
		}
		if ctx.Err() != nil {
			return nil
		}
		m.opts.Logger.Error("list topics and offsets failed, retrying", slog.Any("error", err))
		if retry.Sleep(ctx, startRetry) != nil {
			return nil
		}
	}
}

// checkTopics keeps the partitions that a new group may start at the end of. Where the group has begun before, a partition
// without a committed offset was added since, whether this process has seen that or not: all of it is new. The members of a new
// group come here before any of them can commit.
func (m *member[T]) checkTopics(counts map[string]int, began map[string]bool) error {
	m.known = make(map[string]int32, len(counts))
	var errs []error
	for _, topic := range m.opts.Topics {
		n, ok := counts[topic]
		if !ok {
			errs = append(errs, fmt.Errorf("consumer %s: topic %s does not exist: create it, for example with "+
				"`confab topics apply`, or correct the name in the configuration", m.opts.Role, topic))
		}
		if !began[topic] {
			m.known[topic] = int32(n)
		}
	}
	return errors.Join(errs...)
}

// AdjustOffsets checks the start offsets. A group without a commit that starts at the latest record commits that offset:
// otherwise a restart before its first commit would skip the records that arrived meanwhile. A committed offset that is
// no longer in the log is data loss.
func (m *member[T]) AdjustOffsets(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	ps := make(map[partitionID]*partition[T])
	var cl *kgo.Client
	for topic, byPartition := range offsets {
		for partition := range byPartition {
			id := partitionID{Topic: topic, Partition: partition}
			if p := m.owned.Find(id); p != nil {
				ps[id], cl = p, p.Client
			}
		}
	}
	if len(ps) == 0 {
		return offsets, nil
	}
	log, err := listBounds(ctx, cl, slices.Collect(maps.Keys(offsets)))
	if err != nil {
		m.opts.Logger.Warn("check start offsets failed", slog.Any("error", err))
		return offsets, nil // fetching reports offsets out of range
	}
	starts := make(startSums)
	for id, p := range ps {
		offsets[id.Topic][id.Partition] = m.startOffset(p, offsets[id.Topic][id.Partition], log, starts)
	}
	m.logStarts(starts)
	return offsets, nil
}

// Committed returns where to start in partitions with a committed offset, and reads the owner notes of these.
func (m *member[T]) Committed(ctx context.Context, cl *kgo.Client, of map[string][]int32) (map[string]map[int32]kgo.EpochOffset, error) {
	committed, err := kadm.NewClient(cl).FetchOffsets(kadm.RequireStable(ctx), m.opts.Group)
	if err != nil {
		return nil, fmt.Errorf("fetch committed offsets: %w", err)
	}
	starts := make(map[string]map[int32]kgo.Offset)
	for _, id := range flattenIDs(of) {
		at, ok := committed.Lookup(id.Topic, id.Partition)
		switch {
		case !ok:
			continue
		case at.Err != nil:
			return nil, fmt.Errorf("fetch the committed offset of topic %s partition %d: %w", id.Topic, id.Partition, at.Err)
		}
		if starts[id.Topic] == nil {
			starts[id.Topic] = make(map[int32]kgo.Offset)
		}
		starts[id.Topic][id.Partition] = kgo.NewOffset().At(at.At).WithEpoch(at.LeaderEpoch)
		m.takeOver(id, at.Metadata, at.At)
	}
	if starts, err = m.AdjustOffsets(ctx, starts); err != nil {
		return nil, err
	}
	offsets := make(map[string]map[int32]kgo.EpochOffset)
	for topic, byPartition := range starts {
		offsets[topic] = make(map[int32]kgo.EpochOffset)
		for partition, at := range byPartition {
			offsets[topic][partition] = at.EpochOffset()
		}
	}
	return offsets, nil
}

// startOffset returns where fetching p starts, given the committed or configured offset, and adds it to starts.
func (m *member[T]) startOffset(p *partition[T], offset kgo.Offset, log logBounds, starts startSums) kgo.Offset {
	at := offset.EpochOffset().Offset
	first, next, stable, ok := log.Of(p.ID)
	switch {
	case !ok:
		return offset
	case at == latestOffset && p.ID.Partition >= m.known[p.ID.Topic]:
		starts.add(p.ID.Topic, fromOldest, stable-first)
		return kgo.NewOffset().AtStart() // the partition was added after the group began: all of it is new
	case at == latestOffset:
		starts.add(p.ID.Topic, fromEnd, stable-first)
		p.MoveTo(stable)
		return kgo.NewOffset().At(stable)
	case at < 0:
		starts.add(p.ID.Topic, fromOldest, stable-first)
		return offset
	case at >= first && at <= next:
		starts.add(p.ID.Topic, fromCommit, at-first)
		p.SetFetchPosition(at)
		p.EndWindow(next)
		return offset
	}
	if !m.dataLoss(p, at, first, next) {
		return offset
	}
	return kgo.NewOffset().At(first)
}

// OnOffsetsFetched reads the owner notes in the metadata of the committed offsets. It is for kgo.OnOffsetsFetched.
func (m *member[T]) OnOffsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for i := range t.Partitions {
				if metadata := t.Partitions[i].Metadata; metadata != nil {
					m.takeOver(partitionID{Topic: t.Topic, Partition: t.Partitions[i].Partition}, *metadata, t.Partitions[i].Offset)
				}
			}
		}
	}
	return nil
}

func (m *member[T]) takeOver(id partitionID, metadata string, committed int64) {
	if p := m.owned.Find(id); p != nil && p.TakeOver(metadata, committed) {
		m.metrics.Unclean.WithLabelValues().Inc()
		m.opts.Logger.Warn("previous owner of the partition crashed, processing its records in small batches",
			slog.String("topic", id.Topic), slog.Int("partition", int(id.Partition)))
	}
}

// startKind is why a partition starts where it does.
type startKind int

// The kinds of a start.
const (
	fromEnd    startKind = iota // no committed offset, records before the end are not read
	fromOldest                  // no committed offset, all records are read
	fromCommit                  // a committed offset
)

// startSums sums up where the partitions of one assignment start.
type startSums map[startsOf]startSum

type startsOf struct {
	topic string
	kind  startKind
}

type startSum struct {
	partitions int
	offsets    int64 // between the oldest record and the start; fromOldest: in the log
}

func (s startSums) add(topic string, kind startKind, offsets int64) {
	of := startsOf{topic, kind}
	s[of] = startSum{s[of].partitions + 1, s[of].offsets + max(offsets, 0)}
}

// Remedies of records that are not read.
const (
	readAll  = "kafka.start_offset: earliest, or confab run --from-start"
	resetWay = "stop the workers, then reset the offsets (kafka-consumer-groups --bootstrap-server BROKER --group %s --topic %s " +
		"--reset-offsets --to-earliest --execute), or set another kafka.consumer_group and use --from-start"
)

// logStarts writes a line per topic and kind of start. Committed offsets are the usual case, which is logged only for FromStart. The
// number of records is a maximum: some may be compacted away.
func (m *member[T]) logStarts(starts startSums) {
	for _, of := range slices.SortedFunc(maps.Keys(starts), func(a, b startsOf) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.kind, b.kind))
	}) {
		sum, reset := starts[of], fmt.Sprintf(resetWay, m.opts.Group, of.topic)
		log := m.opts.Logger.With(slog.String("topic", of.topic), slog.Int("partitions", sum.partitions))
		upTo := kafka.CountRecords(sum.offsets, true)
		switch {
		case of.kind == fromEnd && sum.offsets == 0:
			log.Info("no committed offsets, starting at the end", slog.String("not_read", upTo))
		case of.kind == fromEnd && m.opts.DryRun:
			log.Warn("no committed offsets, starting at the end: records before it are not read", slog.String("not_read", upTo), slog.String("remedy", readAll))
		case of.kind == fromEnd:
			log.Warn("no committed offsets, starting at the end: records before it are not read", slog.String("not_read", upTo),
				slog.String("remedy", "the offsets are committed now, and --from-start comes too late; to read these records, "+reset))
		case of.kind == fromOldest:
			log.Info("no committed offsets, starting at the oldest record", slog.String("to_read", upTo))
		case m.opts.FromStart:
			log.Info("committed offsets win over --from-start", slog.String("not_read_again", upTo),
				slog.String("group", m.opts.Group), slog.String("remedy", "to read all records again, "+reset))
		}
	}
}

// listTimeout bounds one listing of offsets.
const listTimeout = 10 * time.Second

// latestOffset is the client's value for the end of a partition.
const latestOffset = -1

// logBounds are the first offset, the next offset and the last stable offset of partitions.
type logBounds struct{ first, next, stable kadm.ListedOffsets }

// listBounds lists the bounds of all partitions of the topics. Partitions of brokers that fail are missing.
func listBounds(ctx context.Context, cl *kgo.Client, topics []string) (b logBounds, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	admin := kadm.NewClient(cl)
	if b.first, err = acceptPartial(admin.ListStartOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list start offsets: %w", err)
	}
	if b.next, err = acceptPartial(admin.ListEndOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list end offsets: %w", err)
	}
	if b.stable, err = acceptPartial(admin.ListCommittedOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list stable offsets: %w", err)
	}
	return b, nil
}

// acceptPartial drops the error of a listing to which at least one broker contributed.
func acceptPartial(listed kadm.ListedOffsets, err error) (kadm.ListedOffsets, error) {
	var shards *kadm.ShardErrors
	if errors.As(err, &shards) && !shards.AllFailed {
		return listed, nil
	}
	return listed, err
}

// Of returns the bounds of one partition; false when one of them is missing.
func (b logBounds) Of(id partitionID) (first, next, stable int64, ok bool) {
	f, ok1 := b.first.Lookup(id.Topic, id.Partition)
	n, ok2 := b.next.Lookup(id.Topic, id.Partition)
	s, ok3 := b.stable.Lookup(id.Topic, id.Partition)
	ok = ok1 && ok2 && ok3 && f.Err == nil && n.Err == nil && s.Err == nil
	return f.Offset, n.Offset, s.Offset, ok
}
