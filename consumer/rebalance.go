package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/consumer/loopmetrics"
)

// onAssigned adds partitions. The client calls it before it fetches from them.
func (l *Loop[T]) onAssigned(ctx context.Context, cl *kgo.Client, assigned map[string][]int32) {
	l.metrics.CountRebalance(loopmetrics.Assigned)
	l.assignedAt.Store(time.Now().UnixNano())
	ids := assignment.Flatten(assigned)
	for _, id := range ids {
		l.assign(cl, id)
	}
	l.startAgain(ctx, cl)
	l.owned.Join()
	if len(ids) > 0 {
		l.opts.Logger.Info("partitions assigned", slog.Int("count", len(ids)))
	}
}

func (l *Loop[T]) assign(cl *kgo.Client, id assignment.ID) {
	if l.opts.OnAssigned != nil {
		l.opts.OnAssigned(id.Topic, id.Partition)
	}
	p := newPartition(l, cl, id)
	if !l.owned.Add(p) {
		p.Halt()
	}
	l.workers.Go(p.run)
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
		if p := l.owned.Find(id); p != nil {
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

// startAgain starts partitions again from their committed offsets that the client has kept although the group had removed this
// member: see [assignment.ErrRemoved].
func (l *Loop[T]) startAgain(ctx context.Context, cl *kgo.Client) {
	member, _ := cl.GroupMetadata()
	kept := make(map[string][]int32)
	for _, p := range l.owned.All() {
		if p.Member != member {
			kept[p.ID.Topic] = append(kept[p.ID.Topic], p.ID.Partition)
		}
	}
	if len(kept) == 0 {
		return
	}
	l.onLost(ctx, cl, kept)
	for _, id := range assignment.Flatten(kept) {
		l.assign(cl, id)
	}
	offsets, err := l.positions.Committed(ctx, cl, kept)
	if err != nil {
		l.fail(fmt.Errorf("read the committed offsets, after %w: %w", assignment.ErrRemoved, err))
		return
	}
	cl.SetOffsets(offsets)
}
