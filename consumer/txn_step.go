package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
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
		s.loop.AfterPoll(s.ctx, fetches)
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

// poll returns fetched records, or none when a rebalance is due.
func (s *session[T]) poll() kgo.Fetches {
	s.loop.reportHalted()
	ctx, cancel := context.WithTimeout(s.ctx, logEvery)
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
func (l *TransactionLoop[T]) pollSize() int {
	n := l.size
	if l.narrow > 0 {
		n, l.narrow = 1, l.narrow-1
	}
	return n
}

// collect sorts what was fetched by partition.
func (s *session[T]) collect(fetches kgo.Fetches) (ps []*partition[T], err error) {
	l := s.loop
	for _, p := range l.owned.All() {
		p.txn.items, p.txn.bad = p.txn.items[:0], nil
	}
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		p := l.owned.Find(partitionID{Topic: f.Topic, Partition: f.Partition})
		if p == nil && len(f.Records) > 0 {
			err = fmt.Errorf("records of topic %s partition %d, which is not assigned", f.Topic, f.Partition)
			return
		}
		had := p != nil && len(p.txn.items) > 0
		for _, r := range f.Records {
			p.txn.next = kgo.EpochOffset{Epoch: r.LeaderEpoch, Offset: r.Offset + 1}
			if !r.Attrs.IsControl() { // a marker of a transaction is committed with the records around it
				p.txn.items = append(p.txn.items, queueItem{Rec: r})
				l.metrics.Fetched.WithLabelValues(f.Topic).Add(float64(1))
			}
		}
		if bad := s.fetchFailed(p, f); bad != nil {
			p.txn.bad, p.txn.items = bad, append(p.txn.items, queueItem{Bad: bad})
			p.txn.next = kgo.EpochOffset{Epoch: bad.Epoch, Offset: bad.NextOffset}
		}
		if p != nil && len(p.txn.items) > 0 && !had {
			ps = append(ps, p)
		}
	})
	if err != nil {
		return nil, s.lose(err)
	}
	return ps, nil
}

// fetchFailed handles an error that the client does not retry. p is nil when the error is the group's.
func (s *session[T]) fetchFailed(p *partition[T], f kgo.FetchTopicPartition) *kgo.ErrDecompressTooLarge {
	if f.Err == nil || errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded) {
		return nil
	}
	return s.loop.FetchFailed(s.ctx, s.client(), p, f)
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
			clear(p.txn.items)
			p.SetBatchStart(time.Time{})
		}
	}()
	err := s.claimAll(ps)
	if err == nil {
		err = s.evaluate(ps)
	}
	if err != nil {
		if errors.Is(err, errCircuitOpen) {
			err = nil
		}
		return errors.Join(err, s.rewind())
	}
	s.loop.adapt(time.Since(began))
	return s.commit(ps)
}

// adapt makes the next batch smaller after a slow one, and larger after a fast one.
func (l *TransactionLoop[T]) adapt(took time.Duration) {
	switch {
	case took > slowBatch:
		l.size = max(1, l.size/2)
	case took < slowBatch/4:
		l.size = min(l.opts.MaxBatch, l.size*2)
	}
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
		if errors.Is(err, errCircuitOpen) {
			ps[i].circuit.report()
			ps[i].Client.PauseFetchPartitions(ps[i].ID.asMap())
			continue
		}
		if err != nil {
			s.loop.metrics.Retries.WithLabelValues(string(ps[i].phase)).Inc()
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
