package transaction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/consumer/assignment"
	"confab/consumer/grace"
	"confab/consumer/loopmetrics"
)

// errUnknown means that it is not known what is committed: only a new session can find out.
var errUnknown = errors.New("result of a commit is unknown")

// session is a client of the loop, from its start to the first result that is unknown.
type session[T any] struct {
	loop *Loop[T]
	txn  *kgo.GroupTransactSession // callbacks wait for opened
	life context.Context           //nolint:containedctx // of its requests; ends a little before the grace period does
	cut  context.CancelFunc
	ctx  context.Context //nolint:containedctx // of polling: ends with the session
	end  context.CancelCauseFunc

	opened chan struct{}

	// commits is held by a transaction and by a commit without one. Otherwise the latter could undo the former.
	commits sync.Mutex

	mu          sync.Mutex
	interrupt   context.CancelFunc // ends the poll; nil outside of it
	changed     bool               // partitions were revoked or lost after the last end of a transaction
	rebalancing bool               // from a revocation to the next assignment
	assigned    chan struct{}      // signaled by an assignment
}

func (s *session[T]) client() *kgo.Client { return s.txn.Client() }

// runSession opens a session and processes batches until ctx ends (nil) or the session is of no use any more.
func (l *Loop[T]) runSession(ctx context.Context) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	var notes sync.WaitGroup
	notes.Go(s.noteSlowRecords)
	for s.ctx.Err() == nil {
		if err := s.step(); err != nil && s.ctx.Err() == nil {
			l.pause(ctx, err)
		}
	}
	err = context.Cause(s.ctx)
	s.end(nil)
	notes.Wait()
	s.close(ctx, err)
	if ctx.Err() != nil && !errors.Is(err, errUnknown) {
		return nil
	}
	return err
}

// open joins the group, and ends an open transaction of an earlier session.
func (l *Loop[T]) open(ctx context.Context) (*session[T], error) {
	s := &session[T]{loop: l, opened: make(chan struct{}), assigned: make(chan struct{}, 1), rebalancing: true}
	s.life, s.cut = grace.WithGrace(ctx, l.opts.Grace-grace.StepTime(l.opts.Grace))
	s.ctx, s.end = context.WithCancelCause(ctx)
	txn, err := l.opts.Kafka.NewSession(l.opts.ID, Timeout, append(l.opts.MemberOptions(),
		kgo.WithContext(s.life),
		kgo.OnPartitionsAssigned(s.onAssigned),
		kgo.OnOffsetsFetched(s.onOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(l.positions.AdjustOffsets),
		kgo.OnPartitionsRevoked(s.onRevoked),
		kgo.OnPartitionsLost(s.onLost),
	)...)
	if err != nil {
		s.cut()
		return nil, fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	s.txn = txn
	close(s.opened)
	fencing, cancel := context.WithTimeout(s.ctx, endWait)
	defer cancel()
	if _, _, err := s.client().ProducerID(fencing); err != nil {
		s.end(nil)
		s.close(ctx, errUnknown)
		return nil, fmt.Errorf("open transactional producer: %w", err)
	}
	return s, nil
}

// lose ends the session: what is committed is not known any more.
func (s *session[T]) lose(err error) error {
	err = fmt.Errorf("%w: %w", errUnknown, err)
	s.end(err)
	return err
}

// close gives the partitions back and closes the client.
func (s *session[T]) close(ctx context.Context, cause error) {
	l := s.loop
	ps := l.partitions()
	step := grace.StepTime(l.opts.Grace)
	if !errors.Is(cause, errUnknown) {
		limited, cancel := context.WithTimeout(s.life, max(step, time.Second))
		s.commits.Lock()
		s.giveBack(limited, ps)
		s.commits.Unlock()
		cancel()
	}
	s.remove(ps)
	member, _ := s.client().GroupMetadata()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.txn.CloseAllowingRebalance()
	}()
	t := time.NewTimer(step)
	defer t.Stop()
	select {
	case <-closed:
	case <-t.C:
	}
	s.cut()
	<-closed
	if ctx.Err() != nil && l.opts.LeaveOnExit {
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*step)
		defer cancel()
		if err := s.member(member).Leave(leaving, l.opts.Kafka); err != nil {
			l.opts.Logger.Warn("leave group failed: it waits for this member until its session times out", slog.Any("error", err))
		}
	}
}

func (s *session[T]) member(id string) assignment.Member {
	return assignment.Member{Group: s.loop.opts.Group, Member: id, Instance: s.loop.opts.InstanceID}
}

// onAssigned adds partitions. The client calls it before it fetches from them, and without any after each rebalance.
func (s *session[T]) onAssigned(_ context.Context, _ *kgo.Client, assigned map[string][]int32) {
	<-s.opened
	l := s.loop
	l.metrics.CountRebalance(loopmetrics.Assigned)
	ids := assignment.Flatten(assigned)
	for _, id := range ids {
		if l.opts.OnAssigned != nil {
			l.opts.OnAssigned(id.Topic, id.Partition)
		}
		p := newPartition(s, id)
		l.mu.Lock()
		l.owned[id] = p
		l.mu.Unlock()
	}
	l.joined.Store(true)
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

// onOffsetsFetched reads the owner notes in the metadata of the committed offsets.
func (s *session[T]) onOffsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	l := s.loop
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for i := range t.Partitions {
				p := l.lookup(assignment.ID{Topic: t.Topic, Partition: t.Partitions[i].Partition})
				if metadata := t.Partitions[i].Metadata; p != nil && metadata != nil && p.TakeOver(*metadata) {
					l.metrics.CountUnclean()
					l.opts.Logger.Warn("previous owner of the partition crashed, processing its records one at a time",
						slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)))
				}
			}
		}
	}
	return nil
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
	s.changeOwned(loopmetrics.Revoked, ps)
}

// onLost drops partitions that may have another owner already: it commits nothing for them.
func (s *session[T]) onLost(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
	s.changeOwned(loopmetrics.Lost, s.ownedOf(lost))
}

func (s *session[T]) changeOwned(event string, ps []*partition[T]) {
	if len(ps) > 0 {
		s.loop.metrics.CountRebalance(event)
		s.loop.opts.Logger.Info("partitions "+event, slog.Int("count", len(ps)))
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
	for _, id := range assignment.Flatten(ids) {
		if p := s.loop.lookup(id); p != nil && p.session == s {
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
		l.mu.Lock()
		delete(l.owned, p.ID)
		l.mu.Unlock()
		if l.opts.OnRevoked != nil {
			l.opts.OnRevoked(p.ID.Topic, p.ID.Partition)
		}
	}
}

// giveBack commits the last owner notes. The caller holds commits.
func (s *session[T]) giveBack(ctx context.Context, ps []*partition[T]) {
	marks := make(assignment.Watermarks)
	for _, p := range ps {
		if mark, ok := p.FinalWatermark(); ok {
			marks[p.Partition] = mark
		}
	}
	if err := s.commitMarks(ctx, marks); err != nil {
		s.loop.opts.Logger.Warn("commit owner notes failed", slog.Any("error", err))
	}
}

// commitMarks commits without a transaction: notes about records that are to be handled, and start offsets. It never moves
// an offset past a record. The caller holds commits.
func (s *session[T]) commitMarks(ctx context.Context, marks assignment.Watermarks) error {
	if len(marks) == 0 {
		return nil
	}
	offsets, byID := marks.Offsets()
	ctx = kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error { marks.AttachMetadata(req, byID); return nil })
	var unknown, refused error
	s.client().CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if unknown = err; err != nil {
			return
		}
		assignment.EachCommit(req, resp, func(id assignment.ID, err error) {
			p := byID[id]
			switch {
			case err != nil:
				refused = err
			case p != nil:
				p.SetCommitted(marks[p])
			}
		})
	})
	switch {
	case unknown != nil: // it may still arrive, after a transaction: the broker refuses it only from an earlier member
		s.loop.metrics.CountCommit(loopmetrics.CommitError)
		return s.lose(fmt.Errorf("commit owner note: %w", unknown))
	case refused != nil:
		s.loop.metrics.CountCommit(loopmetrics.CommitRebalance)
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
func (s *session[T]) noted() assignment.Watermarks {
	marks := make(assignment.Watermarks)
	for _, p := range s.loop.partitions() {
		if slow := p.NoteSlow(s.loop.opts.SlowRecord); !slow && !p.BatchStart().IsZero() {
			continue
		}
		if mark, ok := p.PendingWatermark(); ok {
			marks[p.Partition] = mark
		}
	}
	return marks
}
