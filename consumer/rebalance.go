package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/consumer/loopmetrics"
)

// onAssigned adds partitions. The client calls it before it fetches from them.
func (l *Loop[T]) onAssigned(_ context.Context, cl *kgo.Client, assigned map[string][]int32) {
	l.metrics.CountRebalance(loopmetrics.Assigned)
	ids := assignment.Flatten(assigned)
	for _, id := range ids {
		if l.opts.OnAssigned != nil {
			l.opts.OnAssigned(id.Topic, id.Partition)
		}
		l.addPartition(newPartition(l, cl, id))
	}
	l.joined.Store(true)
	if len(ids) > 0 {
		l.opts.Logger.Info("partitions assigned", slog.Int("count", len(ids)))
	}
}

// onRevoked gives partitions back: no new batch, a bounded wait for work in flight, the last commit.
func (l *Loop[T]) onRevoked(ctx context.Context, cl *kgo.Client, revoked map[string][]int32) {
	ps := l.haltOwned(loopmetrics.Revoked, revoked)
	if len(ps) == 0 {
		return
	}
	late := awaitIdle(ps, l.opts.RevokeWait)
	l.endAssignments(ps, func(m assignment.Watermarks) { l.commit(ctx, cl, m) })
	l.opts.Logger.Info("partitions revoked", slog.Int("count", len(ps)), slog.Int("abandoned_batches", late))
}

// onLost drops partitions that may have another owner already: it commits nothing for them.
func (l *Loop[T]) onLost(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
	ps := l.haltOwned(loopmetrics.Lost, lost)
	if len(ps) == 0 {
		return
	}
	l.endAssignments(ps, nil)
	l.opts.Logger.Warn("partitions lost, uncommitted records will be processed again", slog.Int("count", len(ps)))
}

// haltOwned halts those of the partitions that this member owns, and counts the event if there are any.
func (l *Loop[T]) haltOwned(event string, ids map[string][]int32) (ps []*partition[T]) {
	for _, id := range assignment.Flatten(ids) {
		if p := l.lookup(id); p != nil {
			ps = append(ps, p)
		}
	}
	if len(ps) > 0 {
		l.metrics.CountRebalance(event)
	}
	haltAll(ps)
	return ps
}

func haltAll[T any](ps []*partition[T]) {
	for _, p := range ps {
		p.Halt()
	}
}

func (l *Loop[T]) notifyRevoked(ps []*partition[T]) {
	if l.opts.OnRevoked == nil {
		return
	}
	var calls sync.WaitGroup
	for _, p := range ps {
		calls.Go(func() { l.opts.OnRevoked(p.ID.Topic, p.ID.Partition) })
	}
	calls.Wait()
}

// awaitIdle waits until ps have no work in flight and returns how many still have some at the limit.
func awaitIdle[T any](ps []*partition[T], limit time.Duration) (late int) {
	t := time.NewTimer(limit)
	defer t.Stop()
	for i, p := range ps {
		select {
		case <-p.Idle:
		case <-t.C:
			for _, p := range ps[i:] {
				select {
				case <-p.Idle:
				default:
					late++
				}
			}
			return late
		}
	}
	return 0
}

// adjustOffsets checks the start offsets. A group without a commit that starts at the latest record commits that offset:
// otherwise a restart before its first commit would skip the records that arrived meanwhile. A committed offset that is
// no longer in the log is data loss.
func (l *Loop[T]) adjustOffsets(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	ps := make(map[assignment.ID]*partition[T])
	var cl *kgo.Client
	for topic, byPartition := range offsets {
		for partition := range byPartition {
			id := assignment.ID{Topic: topic, Partition: partition}
			if p := l.lookup(id); p != nil {
				ps[id], cl = p, p.Client
			}
		}
	}
	if len(ps) == 0 {
		return offsets, nil
	}
	log, err := assignment.ListBounds(ctx, cl, slices.Collect(maps.Keys(offsets)))
	if err != nil {
		l.opts.Logger.Warn("check start offsets failed", slog.Any("error", err))
		return offsets, nil // fetching reports offsets out of range
	}
	var starts assignment.Starts
	for id, p := range ps {
		offsets[id.Topic][id.Partition] = l.startOffset(p, offsets[id.Topic][id.Partition], log, &starts)
	}
	starts.Log(ctx, assignment.StartLog{
		Logger: l.opts.Logger, Client: cl, Group: l.opts.Group, FromStart: l.opts.FromStart, DryRun: l.opts.DryRun,
	})
	return offsets, nil
}

// startOffset returns where fetching p starts, given the committed or configured offset, and adds it to starts.
func (l *Loop[T]) startOffset(p *partition[T], offset kgo.Offset, log assignment.Bounds, starts *assignment.Starts) kgo.Offset {
	at := offset.EpochOffset().Offset
	first, next, stable, ok := log.Of(p.ID)
	switch {
	case !ok:
		p.IsolateRecords(at, at+assignment.CarefulRecords)
		return offset
	case at == assignment.LatestOffset && p.ID.Partition >= l.known[p.ID.Topic]:
		starts.Add(p.ID.Topic, assignment.FromOldest, stable-first)
		return kgo.NewOffset().AtStart() // the partition was added after the start: all of it is new
	case at == assignment.LatestOffset:
		starts.Add(p.ID.Topic, assignment.FromEnd, stable-first)
		p.MoveTo(stable)
		return kgo.NewOffset().At(stable)
	case at < 0:
		starts.Add(p.ID.Topic, assignment.FromOldest, stable-first)
		return offset
	case at >= first && at <= next:
		starts.Add(p.ID.Topic, assignment.FromCommit, at-first)
		p.SetFetchPosition(at)
		p.IsolateRecords(at, next)
		return offset
	}
	if !l.dataLoss(p, at, first, next) {
		return offset
	}
	return kgo.NewOffset().At(first)
}

// dataLoss handles an offset of p outside its log [first, next). It reports whether to continue at first.
func (l *Loop[T]) dataLoss(p *partition[T], at, first, next int64) bool {
	lost := first - at
	if at > next {
		lost = at - next
	}
	if l.opts.OnDataLoss == HaltOnDataLoss {
		l.fail(fmt.Errorf("%w: topic %s partition %d is to be read from offset %d but holds %d to %d: "+
			"records were deleted by retention or lost by the brokers before they were processed; "+
			"to continue with the oldest record, set kafka.on_data_loss: earliest, or reset the offsets of group %s", ErrDataLoss, p.ID.Topic, p.ID.Partition, at, first, next, l.opts.Group))
		return false
	}
	l.metrics.CountLost(p.ID.Topic, lost)
	l.opts.Logger.Error("records were deleted before they were processed, resuming at the oldest",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
		slog.Int64("from", at), slog.Int64("lost", lost), slog.Int64("resume", first))
	p.MoveTo(first)
	return true
}
