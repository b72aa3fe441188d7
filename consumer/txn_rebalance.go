package consumer

import (
	"context"
	"log/slog"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// onAssigned adds partitions. The client calls it before it fetches from them, and without any after each rebalance.
func (s *session[T]) onAssigned(_ context.Context, _ *kgo.Client, assigned map[string][]int32) {
	<-s.opened
	l := s.loop
	l.metrics.Rebalances.WithLabelValues(eventAssigned).Inc()
	ids := flattenIDs(assigned)
	ps := make([]*partition[T], len(ids))
	for i, id := range ids {
		ps[i] = newTxnPartition(s, id)
	}
	notifyOwners(l.opts.OnAssigned, ps)
	for _, p := range ps {
		l.owned.Add(p)
	}
	if member, _ := s.client().GroupMetadata(); slices.ContainsFunc(l.owned.All(), func(p *partition[T]) bool { return p.Member != member }) {
		_ = s.lose(errRemoved)
		return
	}
	l.owned.Join()
	if len(ids) > 0 {
		l.opts.Logger.Info("partitions assigned", slog.Int("count", len(ids)))
	}
	s.mu.Lock()
	s.rebalancing = false
	s.mu.Unlock()
	select {
	case s.assigned <- struct{}{}:
	default:
	}
}

// onRevoked gives partitions back. No batch is in work, unless the end of its transaction takes long.
func (s *session[T]) onRevoked(ctx context.Context, _ *kgo.Client, revoked map[string][]int32) {
	ps := s.ownedOf(revoked)
	if s.commits.TryLock() {
		if s.ctx.Err() == nil {
			s.giveBack(ctx, ps)
		}
		s.commits.Unlock()
	}
	s.changeOwned(eventRevoked, ps)
}

// onLost drops partitions that may have another owner already: it commits nothing for them.
func (s *session[T]) onLost(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
	s.changeOwned(eventLost, s.ownedOf(lost))
}

func (s *session[T]) changeOwned(event string, ps []*partition[T]) {
	if len(ps) > 0 {
		s.loop.metrics.Rebalances.WithLabelValues(event).Inc()
		s.loop.opts.Logger.Info("partitions given back", slog.String("event", event), slog.Int("count", len(ps)))
	}
	s.remove(ps)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rebalancing, s.changed = true, true
	if s.interrupt != nil {
		s.interrupt()
	}
}

func (s *session[T]) ownedOf(ids map[string][]int32) (ps []*partition[T]) {
	for _, id := range flattenIDs(ids) {
		if p := s.loop.owned.Find(id); p != nil && p.txn.session == s {
			ps = append(ps, p)
		}
	}
	return ps
}

func (s *session[T]) remove(ps []*partition[T]) {
	l := s.loop
	for _, p := range ps {
		p.Halt()
		p.Seal()
		p.closeCircuit()
		l.owned.Remove(p)
	}
	notifyOwners(l.opts.OnRevoked, ps)
}
