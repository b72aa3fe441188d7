package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// errUnknown means that it is not known what is committed: only a new session can find out.
var errUnknown = errors.New("result of a commit is unknown")

// session is a client of the loop, from its start to the first result that is unknown.
type session[T any] struct {
	loop *TransactionLoop[T]
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
func (l *TransactionLoop[T]) runSession(ctx context.Context) error {
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
	err = context.Cause(s.ctx) //nolint:contextcheck // the session has its own context
	s.end(nil)
	notes.Wait()
	s.close(ctx, err)
	if ctx.Err() != nil && !errors.Is(err, errUnknown) {
		return nil
	}
	return err
}

// open joins the group, and ends an open transaction of an earlier session.
func (l *TransactionLoop[T]) open(ctx context.Context) (*session[T], error) {
	s := &session[T]{loop: l, opened: make(chan struct{}), assigned: make(chan struct{}, 1), rebalancing: true}
	s.life, s.cut = WithGrace(ctx, l.opts.Grace-stepTime(l.opts.Grace))
	s.ctx, s.end = context.WithCancelCause(ctx)
	txn, err := l.opts.Kafka.NewSession(l.txnID, transactionTimeout, append(l.opts.memberOptions(),
		kgo.WithContext(s.life), //nolint:contextcheck // the session has its own context
		kgo.OnPartitionsAssigned(s.onAssigned),
		kgo.OnOffsetsFetched(l.OnOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(l.AdjustOffsets),
		kgo.OnPartitionsRevoked(s.onRevoked),
		kgo.OnPartitionsLost(s.onLost),
	)...)
	if err != nil {
		s.cut()
		return nil, fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	s.txn = txn
	close(s.opened)
	fencing, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	if _, _, err := s.client().ProducerID(fencing); err != nil { //nolint:contextcheck // the session has its own context
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

// lost returns why the session is lost; nil while it is not. A note whose result is unknown may still arrive: nothing may be
// committed after it by the same member, which it would undo. The caller holds commits.
func (s *session[T]) lost() error {
	if err := context.Cause(s.ctx); errors.Is(err, errUnknown) {
		return err
	}
	return nil
}

// close gives the partitions back and closes the client.
func (s *session[T]) close(ctx context.Context, cause error) {
	l := s.loop
	ps := l.owned.All()
	step := stepTime(l.opts.Grace)
	if !errors.Is(cause, errUnknown) {
		limited, cancel := context.WithTimeout(s.life, max(step, time.Second))
		s.commits.Lock()
		s.giveBack(limited, ps) //nolint:contextcheck // the session has its own context
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
		if err := l.membership(member, 0).Leave(leaving, l.opts.Kafka); err != nil {
			l.opts.Logger.Warn("leave group failed: it waits for this member until its session times out", slog.Any("error", err))
		}
	}
}

// transactionPart is a partition's part of a transaction.
type transactionPart[T any] struct {
	session *session[T]
	claimed bool                       // its first owner note is committed
	items   []queueItem                // of the last poll
	bad     *kgo.ErrDecompressTooLarge // of the last poll: a batch after them that cannot be decompressed
	next    kgo.EpochOffset            // the offset after all of them
	digests map[int64]bool             // offsets whose dead letter the broker refused as too large
}

func newTxnPartition[T any](s *session[T], id partitionID) *partition[T] {
	l := s.loop
	guard := l.opts.guard(l.id)
	guard.Window = int64(l.opts.MaxBatch)
	at := newAssignment(assignmentOptions{Guard: guard, OnWatermark: func() {}, OnCapacity: func() {}}, s.client(), id)
	return &partition[T]{
		assignment: at, batchWork: newBatchWork(l.batches, at),
		txn: transactionPart[T]{session: s, digests: make(map[int64]bool)},
	}
}

// evaluate decodes and handles the items of the last poll.
func (p *partition[T]) evaluate() error {
	p.batchWork.Begin()
	for items := p.txn.items; len(items) > 0; {
		n := p.BatchSize(items)
		if err := p.Evaluate(items[:n], p.claim); err != nil {
			return err
		}
		p.endPart()
		items = items[n:]
	}
	return nil
}

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
	notify(s.assigned)
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
