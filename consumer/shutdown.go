package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// drain halts all partitions and waits for work in flight, and near the end of the grace period cancels its context.
func (l *Loop[T]) drain(deadline time.Time) error {
	ps := l.owned.Drain()
	haltAll(ps)
	late := reserveOf(l.opts.Grace)
	if awaitIdle(ps, time.Until(deadline)-late) == 0 {
		return nil
	}
	for _, p := range ps {
		p.Cancel()
	}
	if n := awaitIdle(ps, late/2); n > 0 {
		return fmt.Errorf("consumer %s: %d handlers did not return within the grace period", l.opts.Role, n)
	}
	return nil
}

// shutdown commits for the last time, closes the client and leaves the group: a dynamic member always, a static one only
// with LeaveOnExit, since it keeps its partitions over a restart. It returns before the deadline, whatever the brokers
// do: cut ends every request of the client, such as a join, which otherwise waits for the group's other members.
func (l *Loop[T]) shutdown(ctx context.Context, cut context.CancelFunc, cl *kgo.Client, deadline time.Time) {
	ps := l.owned.All()
	l.endAssignments(ps, func(m watermarks) { l.lastCommit(ctx, cl, m, deadline) })
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		cl.CloseAllowingRebalance() // a dynamic member leaves the group, if no join is in flight
	}()
	step := stepTime(l.opts.Grace)
	inTime := awaitClosed(closed, step)
	if !inTime {
		cut()
		if !awaitClosed(closed, time.Until(deadline)-step) {
			l.opts.Logger.Warn("close client timed out: the group waits for this member until its session times out")
			return
		}
	}
	if static := l.opts.InstanceID != ""; static && l.opts.LeaveOnExit || !static && !inTime {
		member, _ := cl.GroupMetadata()
		l.leaveGroup(context.WithoutCancel(ctx), member, min(2*step, time.Until(deadline)))
	}
}

// lastCommit commits the watermarks. During a join the client holds commits back, possibly for longer than there is time.
// Brokers accept commits of members meanwhile, so the request is then sent directly. The caller holds commitMu.
func (l *Loop[T]) lastCommit(ctx context.Context, cl *kgo.Client, marks watermarks, deadline time.Time) {
	if len(marks) == 0 || l.opts.DryRun {
		return
	}
	step := stepTime(l.opts.Grace)
	first, cancel := context.WithTimeout(ctx, step)
	defer cancel()
	if l.commit(first, cl, marks) {
		return
	}
	ctx, cancelDirect := context.WithTimeout(ctx, min(commitTimeout, time.Until(deadline)-3*step))
	defer cancelDirect()
	req := l.membership(cl.GroupMetadata()).CommitRequest()
	for p, mark := range marks {
		addOffset(req, p.ID, l.ids[p.ID.Topic], mark)
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		l.commitFailed(err)
		return
	}
	eachCommit(req, resp, func(_ partitionID, err error) {
		if err != nil {
			l.commitFailed(err)
		}
	})
	l.metrics.Commits.WithLabelValues(commitOK).Inc()
}

func (l *Loop[T]) membership(member string, generation int32) groupMember {
	return groupMember{Group: l.opts.Group, Member: member, Generation: generation, Instance: l.opts.InstanceID, ServerSide: l.opts.ServerSide}
}

func (l *Loop[T]) leaveGroup(ctx context.Context, member string, limit time.Duration) {
	if member == "" && l.opts.InstanceID == "" {
		return // not a member yet
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := l.membership(member, 0).Leave(ctx, l.opts.Kafka); err != nil {
		l.opts.Logger.Warn("leave group failed: it waits for this member until its session times out", slog.Any("error", err))
	}
}

// awaitClosed reports whether ch is closed within limit.
func awaitClosed(ch <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-ch:
		return true
	case <-t.C:
	}
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
