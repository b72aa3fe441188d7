package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// The crash guard's notes are metadata of committed offsets (docs/adr/0018-crash-suspects.md). They must be committed before
// a record is handled, and so outside of its transaction. Those commits repeat the committed offset.

// claimAll commits the first owner note of new assignments, and with it their start offset: without a committed offset, a
// client that goes back would go to the end of the partition.
func (s *session[T]) claimAll(ps []*partition[T]) error {
	marks := make(watermarks)
	for _, p := range ps {
		if p.txn.claimed {
			continue
		}
		p.NoteInWork(p.txn.items[:p.BatchSize(p.txn.items)])
		if mark, ok := p.PendingWatermark(); ok {
			marks[p.assignment] = mark
		}
	}
	s.commits.Lock()
	defer s.commits.Unlock()
	ctx, cancel := context.WithTimeout(s.life, commitWait)
	defer cancel()
	if err := s.commitMarks(ctx, marks); err != nil {
		return s.lose(err) // the client must not go back
	}
	for _, p := range ps {
		p.txn.claimed = true
	}
	return nil
}

// claim commits the owner note for a small batch or a record that is handled alone.
func (p *partition[T]) claim(items []queueItem) error {
	if !p.NoteInWork(items) {
		return nil
	}
	s := p.txn.session
	s.commits.Lock()
	defer s.commits.Unlock()
	mark, ok := p.PendingWatermark()
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.life, commitWait)
	defer cancel()
	return s.commitMarks(ctx, watermarks{p.assignment: mark})
}

// giveBack commits the last owner notes. The caller holds commits.
func (s *session[T]) giveBack(ctx context.Context, ps []*partition[T]) {
	marks := make(watermarks)
	for _, p := range ps {
		if mark, ok := p.FinalWatermark(); ok {
			marks[p.assignment] = mark
		}
	}
	if err := s.commitMarks(ctx, marks); err != nil {
		s.loop.opts.Logger.Warn("commit owner notes failed", slog.Any("error", err))
	}
}

// commitMarks commits without a transaction: notes about records that are to be handled, and start offsets. It never moves
// an offset past a record. The caller holds commits.
func (s *session[T]) commitMarks(ctx context.Context, marks watermarks) error {
	if len(marks) == 0 {
		return nil
	}
	if err := s.lost(); err != nil {
		return err
	}
	unknown, refused := marks.commit(ctx, s.client())
	switch {
	case unknown != nil: // it may still arrive, after a transaction: the broker refuses it only from an earlier member
		s.loop.metrics.Commits.WithLabelValues(commitError).Inc()
		return s.lose(fmt.Errorf("commit owner note: %w", unknown))
	case refused != nil:
		s.loop.metrics.Commits.WithLabelValues(commitRebalance).Inc()
		return fmt.Errorf("commit owner note: %w", refused)
	}
	return nil
}

// noteSlowRecords commits notes about slow records, and start offsets, until the session ends.
func (s *session[T]) noteSlowRecords() {
	tick := time.NewTicker(s.loop.opts.SlowRecord / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		if s.commits.TryLock() {
			_ = s.commitMarks(s.life, s.noted()) // it ends the session, or the next tick repeats it
			s.commits.Unlock()
		}
	}
}

// noted are the watermarks of partitions with a note about a slow record, or without a batch.
func (s *session[T]) noted() watermarks {
	marks := make(watermarks)
	for _, p := range s.loop.owned.All() {
		if slow := p.NoteSlow(s.loop.opts.SlowRecord); !slow && !p.BatchStart().IsZero() {
			continue
		}
		if mark, ok := p.PendingWatermark(); ok {
			marks[p.assignment] = mark
		}
	}
	return marks
}
