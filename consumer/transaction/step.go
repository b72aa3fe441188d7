package transaction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/consumer/circuit"
)

// step polls once and processes what was polled, in one transaction. After an error the records are fetched again.
func (s *session[T]) step() error {
	if !s.awaitAssigned() {
		return nil
	}
	fetches := s.poll()
	defer s.txn.AllowRebalance()
	ps, err := s.collect(fetches)
	if err != nil || len(ps) == 0 || s.ctx.Err() != nil { // nothing was begun, and nothing is committed
		return err
	}
	return s.process(ps)
}

// awaitAssigned waits for the end of a rebalance, since a transaction would wait for it, and possibly for longer than it may
// last. It returns false when the session ends.
func (s *session[T]) awaitAssigned() bool {
	t := time.NewTimer(s.loop.opts.RebalanceTimeout + s.loop.opts.SessionTimeout)
	defer t.Stop()
	for {
		s.mu.Lock()
		rebalancing, changed := s.rebalancing, s.changed
		s.changed = false
		s.mu.Unlock()
		if changed { // the client ignores a second revocation until the end of a transaction
			if err := s.rewind(); err != nil {
				return false
			}
		}
		if !rebalancing {
			return true
		}
		select {
		case <-s.assigned:
		case <-t.C:
			return true
		case <-s.ctx.Done():
			return false
		}
	}
}

// poll returns fetched records, or none when a rebalance or a probe of a halted partition is due.
func (s *session[T]) poll() kgo.Fetches {
	wait := s.loop.resumeProbes()
	ctx, cancel := context.WithCancel(s.ctx)
	if wait > 0 {
		ctx, cancel = context.WithTimeout(s.ctx, wait)
	}
	defer cancel()
	s.mu.Lock()
	s.interrupt = cancel
	if s.changed {
		cancel()
	}
	s.mu.Unlock()
	fetches := s.txn.PollRecords(ctx, s.loop.pollSize())
	s.mu.Lock()
	s.interrupt = nil
	s.mu.Unlock()
	return fetches
}

// pollSize is the limit of records of the next batch.
func (l *Loop[T]) pollSize() int {
	n := l.size
	if l.narrow > 0 {
		n, l.narrow = 1, l.narrow-1
	}
	for _, p := range l.partitions() {
		if p.circuit.Probing {
			n = min(n, max(1, p.circuit.Remaining))
		}
	}
	return n
}

// collect sorts what was fetched by partition.
func (s *session[T]) collect(fetches kgo.Fetches) (ps []*partition[T], err error) {
	l := s.loop
	for _, p := range l.partitions() {
		p.items, p.bad = p.items[:0], nil
	}
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		p := l.lookup(assignment.ID{Topic: f.Topic, Partition: f.Partition})
		if p == nil && len(f.Records) > 0 {
			err = fmt.Errorf("records of topic %s partition %d, which is not assigned", f.Topic, f.Partition)
			return
		}
		l.metrics.CountFetched(f.Topic, len(f.Records))
		had := p != nil && len(p.items) > 0
		for _, r := range f.Records {
			p.items = append(p.items, assignment.Item{Rec: r})
			p.next = kgo.EpochOffset{Epoch: r.LeaderEpoch, Offset: r.Offset + 1}
		}
		if f.Err != nil {
			s.fetchFailed(p, f)
		}
		if p != nil && len(p.items) > 0 && !had {
			ps = append(ps, p)
		}
	})
	if err != nil {
		return nil, s.lose(err)
	}
	return ps, nil
}

// fetchFailed handles an error that the client does not retry. p is nil when the error is the group's.
func (s *session[T]) fetchFailed(p *partition[T], f kgo.FetchTopicPartition) {
	if errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded) {
		return
	}
	var at *assignment.Partition
	if p != nil {
		at = p.Partition
	}
	if bad := s.loop.positions.FetchFailed(s.ctx, s.client(), at, f); bad != nil {
		p.bad, p.items = bad, append(p.items, assignment.Item{Bad: bad})
		p.next = kgo.EpochOffset{Epoch: bad.Epoch, Offset: bad.NextOffset}
	}
}

// process handles the batch and commits it.
func (s *session[T]) process(ps []*partition[T]) error {
	began := time.Now()
	for _, p := range ps {
		p.SetBatchStart(began)
	}
	defer func() {
		for _, p := range ps {
			p.Release()
			clear(p.items)
			p.SetBatchStart(time.Time{})
		}
	}()
	err := s.claimAll(ps)
	if err == nil {
		err = s.evaluate(ps)
	}
	if err != nil {
		if errors.Is(err, circuit.ErrOpen) {
			err = nil
		}
		return errors.Join(err, s.rewind())
	}
	s.loop.adapt(time.Since(began))
	return s.commit(ps)
}

// adapt makes the next batch smaller after a slow one, and larger after a fast one.
func (l *Loop[T]) adapt(took time.Duration) {
	switch {
	case took > slowBatch:
		l.size = max(1, l.size/2)
	case took < slowBatch/4:
		l.size = min(l.opts.MaxBatch, l.size*2)
	}
}

// claimAll commits the first owner note of new assignments, and with it their start offset: without a committed offset, a
// client that goes back would go to the end of the partition.
func (s *session[T]) claimAll(ps []*partition[T]) error {
	marks := make(assignment.Watermarks)
	for _, p := range ps {
		if p.claimed {
			continue
		}
		p.NoteInWork(p.items[0])
		if mark, ok := p.PendingWatermark(); ok {
			marks[p.Partition] = mark
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
		p.claimed = true
	}
	return nil
}

// claim commits the owner note for a record that is handled alone.
func (s *session[T]) claim(p *partition[T], it assignment.Item) error {
	if !p.NoteInWork(it) {
		return nil
	}
	s.commits.Lock()
	defer s.commits.Unlock()
	mark, ok := p.PendingWatermark()
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.life, commitWait)
	defer cancel()
	return s.commitMarks(ctx, assignment.Watermarks{p.Partition: mark})
}

// evaluate decodes and handles the items of all partitions, concurrently.
func (s *session[T]) evaluate(ps []*partition[T]) error {
	errs := make([]error, len(ps))
	var work sync.WaitGroup
	for i, p := range ps {
		work.Go(func() { errs[i] = p.evaluate() })
	}
	work.Wait()
	for i, err := range errs {
		if errors.Is(err, circuit.ErrOpen) {
			s.loop.haltPartition(ps[i])
			continue
		}
		if err != nil {
			s.loop.metrics.CountRetry(ps[i].phase)
		}
	}
	return errors.Join(errs...)
}

// rewind makes the client fetch again from the committed offsets.
func (s *session[T]) rewind() error {
	ctx, cancel := context.WithTimeout(s.life, endWait)
	defer cancel()
	if _, err := s.txn.End(ctx, kgo.TryAbort); err != nil {
		return s.lose(fmt.Errorf("go back to the committed offsets: %w", err))
	}
	return nil
}

// haltPartition stops fetching a partition of which too many records are poison.
func (l *Loop[T]) haltPartition(p *partition[T]) {
	if p.closed == nil {
		p.closed = l.metrics.OpenCircuit(p.ID.Topic)
		p.circuit.Begin(time.Now(), l.opts.PoisonProbe)
	}
	p.Client.PauseFetchPartitions(map[string][]int32{p.ID.Topic: {p.ID.Partition}})
	l.logHalted(p)
}

func (l *Loop[T]) logHalted(p *partition[T]) {
	if !l.logThrottle.Allow(fmt.Sprintf("halted %s/%d", p.ID.Topic, p.ID.Partition)) {
		return
	}
	next := "never"
	if l.opts.PoisonProbe > 0 {
		next = p.circuit.NextProbe.UTC().Format(time.RFC3339)
	}
	l.opts.Logger.Error("partition halted, too many poison records: fix the producer or the schema; a passed probe "+
		"or a restart resumes it; to move all poison to the dead-letter topic, set kafka.poison_circuit.share: 0 and restart",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
		slog.String("next_probe", next), slog.Any("error", p.circuit.OpenError()))
}

// resumeProbes fetches halted partitions again whose probe is due, and returns how long to poll at most; 0 for ever.
func (l *Loop[T]) resumeProbes() (wait time.Duration) {
	now := time.Now()
	for _, p := range l.partitions() {
		if !p.circuit.Open || p.circuit.Probing {
			continue
		}
		l.logHalted(p)
		left := logEvery
		if l.opts.PoisonProbe > 0 {
			left = min(left, p.circuit.NextProbe.Sub(now))
		}
		if left <= 0 {
			p.circuit.BeginProbe(p.seq)
			p.counted = 0
			p.resume()
			continue
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// endProbe counts and logs the result of a probe.
func (l *Loop[T]) endProbe(p *partition[T]) {
	if !p.circuit.Probing {
		return
	}
	result, ended := p.circuit.EndProbe()
	if !ended {
		return
	}
	l.metrics.CountProbe(p.ID.Topic, result)
	if result != circuit.ProbePassed {
		p.circuit.Postpone(time.Now(), l.opts.PoisonProbe)
		l.haltPartition(p)
		return
	}
	p.closeCircuit()
	l.opts.Logger.Info("partition resumed: a probe passed",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)))
}

func (p *partition[T]) resume() {
	p.Client.ResumeFetchPartitions(map[string][]int32{p.ID.Topic: {p.ID.Partition}})
}

// closeCircuit removes the partition from the metric of halted partitions, and from those that are not fetched.
func (p *partition[T]) closeCircuit() {
	if p.closed != nil {
		p.closed()
		p.closed = nil
		p.resume()
	}
}
