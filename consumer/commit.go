package consumer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// commitTimeout bounds one commit; several fit into the rebalance timeout.
	commitTimeout = 5 * time.Second
	// commitRetry is the wait after a failed commit.
	commitRetry = 250 * time.Millisecond
	// cancelWait is how long handlers may take to return after their context is canceled.
	cancelWait = 500 * time.Millisecond

	// For churnTime after an assignment, churnRate times as many commits: what ended another worker may end this one.
	churnTime = time.Minute
	churnRate = 5
)

// scheduleCommit wakes the committer, which commits after the commit interval.
func (l *Loop[T]) scheduleCommit() {
	notify(l.commitDue)
}

// notify sends a signal without blocking. Signals that are not received yet are merged.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// commitPause returns the least time from a commit to the next.
func (l *Loop[T]) commitPause(now time.Time) time.Duration {
	if now.Sub(time.Unix(0, l.assignedAt.Load())) < churnTime {
		return l.opts.CommitInterval / churnRate
	}
	return l.opts.CommitInterval
}

// commitLoop commits moved watermarks, all partitions in one request, at most once per commitPause unless commitNow is
// signaled.
func (l *Loop[T]) commitLoop(ctx context.Context, cl *kgo.Client) {
	// A commit in flight at the end gets a short time: while the client joins a group, it would wait for the join.
	commits, cancel := WithGrace(ctx, stepTime(l.opts.Grace))
	defer cancel()
	for {
		select {
		case <-l.commitDue:
		case <-l.commitNow:
		case <-ctx.Done():
			return
		}
		pause, urgent := l.commitPause(time.Now()), l.commitNow
		if !l.commitOwned(commits, cl) {
			pause, urgent = max(pause, commitRetry), nil
			l.scheduleCommit()
		}
		select {
		case <-time.After(pause):
		case <-urgent:
			l.scheduleCommit()
		case <-ctx.Done():
			return
		}
	}
}

// commitOwned commits the moved watermarks of all partitions and reports whether that succeeded.
func (l *Loop[T]) commitOwned(ctx context.Context, cl *kgo.Client) bool {
	l.commitMu.Lock()
	defer l.commitMu.Unlock()
	marks := make(watermarks)
	for _, p := range l.owned.All() {
		if mark, ok := p.PendingWatermark(); ok {
			marks[p.assignment] = mark
		}
	}
	return l.commit(ctx, cl, marks)
}

// endAssignments ends the assignment of ps and passes their last watermarks to commit, unless that is nil. It holds
// commitMu, so that no commit of ps is in flight when it returns and none starts later.
func (l *Loop[T]) endAssignments(ps []*partition[T], commit func(watermarks)) {
	defer notifyOwners(l.opts.OnRevoked, ps)
	l.commitMu.Lock()
	defer l.commitMu.Unlock()
	for _, p := range ps {
		p.Seal()
		l.owned.Remove(p)
	}
	if commit == nil {
		return
	}
	awaitIdle(ps, min(cancelWait, stepTime(l.opts.Grace)))
	marks := make(watermarks)
	for _, p := range ps {
		if mark, ok := p.FinalWatermark(); ok {
			marks[p.assignment] = mark
		}
	}
	commit(marks)
}

// commit commits the watermarks and reports whether all are committed. The caller holds commitMu.
func (l *Loop[T]) commit(ctx context.Context, cl *kgo.Client, marks watermarks) bool {
	if len(marks) == 0 || l.opts.DryRun {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	if err := errors.Join(marks.commit(ctx, cl)); err != nil {
		l.commitFailed(err)
		return false
	}
	l.metrics.Commits.WithLabelValues(commitOK).Inc()
	return true
}

// commitFailed handles a failed commit. A refusal during a rebalance is not an error: the records are processed again, by
// this member or another.
func (l *Loop[T]) commitFailed(err error) {
	switch {
	case errors.Is(err, kerr.RebalanceInProgress), errors.Is(err, kerr.IllegalGeneration),
		errors.Is(err, kerr.UnknownMemberID), errors.Is(err, kerr.StaleMemberEpoch), errors.Is(err, errRemoved):
		l.metrics.Commits.WithLabelValues(commitRebalance).Inc()
	case errors.Is(err, kerr.FencedInstanceID):
		l.metrics.Commits.WithLabelValues(commitFenced).Inc()
		l.fail(l.FencedError(err))
	default: // fetching reports a recreated topic
		l.metrics.Commits.WithLabelValues(commitError).Inc()
		l.opts.Logger.Warn("commit offsets failed, retrying", slog.Any("error", err))
	}
}

// commitOwnerNote waits until the note about the batch is committed, where the next owner needs it: for the first batch of
// an assignment, and for each small batch and isolated record.
func (p *partition[T]) commitOwnerNote(items []queueItem) error {
	if p.loop.opts.crashDeaths() == 0 || !p.NoteInWork(items) {
		return nil
	}
	for {
		if _, dirty := p.PendingWatermark(); !dirty {
			return nil
		}
		notify(p.loop.commitNow)
		select {
		case <-p.CommitDone:
		case <-p.Stop:
			return errAbandoned
		}
	}
}

// noteSlowRecords commits notes about slow records until ctx ends: the process may be about to end for one of them.
func (l *Loop[T]) noteSlowRecords(ctx context.Context) {
	tick := time.NewTicker(l.opts.SlowRecord / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, p := range l.owned.All() {
			if p.NoteSlow(l.opts.SlowRecord) {
				notify(l.commitNow)
			}
		}
	}
}
