package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// onAssigned adds partitions. The client calls it before it fetches from them.
//
// Partitions that the client has kept although the group had removed this member start again from their committed offsets: see
// [assignment.ErrRemoved].
func (l *Loop[T]) onAssigned(ctx context.Context, cl *kgo.Client, assigned map[string][]int32) {
	l.metrics.Rebalances.WithLabelValues(eventAssigned).Inc()
	l.assignedAt.Store(time.Now().UnixNano())
	ids := flattenIDs(assigned)
	member, _ := cl.GroupMetadata()
	kept := byTopic(slices.DeleteFunc(l.owned.All(), func(p *partition[T]) bool { return p.Member == member }))
	l.onLost(ctx, cl, kept)
	l.assign(cl, append(flattenIDs(kept), ids...))
	if len(kept) > 0 {
		l.seekCommitted(ctx, cl, kept)
	}
	l.owned.Join()
	if len(ids) > 0 {
		l.opts.Logger.Info("partitions assigned", slog.Int("count", len(ids)))
	}
}

// assign adds partitions of the client.
func (l *Loop[T]) assign(cl *kgo.Client, ids []partitionID) {
	ps := make([]*partition[T], len(ids))
	for i, id := range ids {
		ps[i] = newPartition(l, cl, id)
	}
	notifyOwners(l.opts.OnAssigned, ps)
	for _, p := range ps {
		if !l.owned.Add(p) {
			p.Halt()
		}
		l.workers.Go(p.run)
	}
}

// onRevoked gives partitions back: no new batch, a bounded wait for work in flight, the last commit.
func (l *Loop[T]) onRevoked(ctx context.Context, cl *kgo.Client, revoked map[string][]int32) {
	ps := l.haltOwned(eventRevoked, revoked)
	if len(ps) == 0 {
		return
	}
	late := awaitIdle(ps, l.opts.RevokeWait)
	l.endAssignments(ps, func(m watermarks) { l.commit(ctx, cl, m) })
	l.opts.Logger.Info("partitions revoked", slog.Int("count", len(ps)), slog.Int("abandoned_batches", late))
}

// onLost drops partitions that may have another owner already: it commits nothing for them.
func (l *Loop[T]) onLost(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
	ps := l.haltOwned(eventLost, lost)
	if len(ps) == 0 {
		return
	}
	l.endAssignments(ps, nil)
	l.opts.Logger.Warn("partitions lost, uncommitted records will be processed again", slog.Int("count", len(ps)))
}

// haltOwned halts those of the partitions that this member owns, and counts the event if there are any.
func (l *Loop[T]) haltOwned(event string, ids map[string][]int32) (ps []*partition[T]) {
	for _, id := range flattenIDs(ids) {
		if p := l.owned.Find(id); p != nil {
			ps = append(ps, p)
		}
	}
	if len(ps) > 0 {
		l.metrics.Rebalances.WithLabelValues(event).Inc()
	}
	haltAll(ps)
	return ps
}

func haltAll[T any](ps []*partition[T]) {
	for _, p := range ps {
		p.Halt()
	}
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

// seekCommitted has the client fetch the partitions from their committed offsets.
func (l *Loop[T]) seekCommitted(ctx context.Context, cl *kgo.Client, ids map[string][]int32) {
	offsets, err := l.Committed(ctx, cl, ids)
	if err != nil {
		l.fail(fmt.Errorf("read the committed offsets, after %w: %w", errRemoved, err))
		return
	}
	cl.SetOffsets(offsets)
}
