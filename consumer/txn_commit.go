package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
)

var (
	errSlow    = errors.New("brokers did not acknowledge in time")
	errAborted = errors.New("transaction not committed: the group rebalanced, or the broker refused the offsets")
)

// commit writes the output of the batch, its dead letters and its offsets in one transaction.
func (s *session[T]) commit(ps []*partition[T]) error {
	s.commits.Lock()
	defer s.commits.Unlock()
	if err := s.lost(); err != nil {
		return err
	}
	marks := make(watermarks, len(ps))
	var messages []output[T]
	for _, p := range ps {
		marks[p.assignment] = p.MarkAt(p.txn.next)
		messages = p.outputs(messages)
	}
	if err := s.transact(messages, marks); err != nil {
		return err
	}
	l := s.loop
	l.failures, l.fenced = 0, 0
	l.metrics.Commits.WithLabelValues(commitOK).Inc()
	for _, p := range ps {
		p.Advance(marks[p.assignment])
		clear(p.refused)
		clear(p.txn.digests)
		if p.txn.bad != nil {
			skipBatch(p.Client, p.ID, p.txn.bad)
		}
		p.CountDone()
	}
	return nil
}

// output is a message and the partition from which it is.
type output[T any] struct {
	kafka.Message
	p      *partition[T]
	letter bool // it is a dead letter
}

// outputs appends the messages of the partition's batch.
func (p *partition[T]) outputs(all []output[T]) []output[T] {
	l := p.txn.session.loop
	for _, m := range p.out {
		all = append(all, output[T]{m, p, false})
	}
	for i := range p.Letters {
		letter := &p.Letters[i]
		m := l.opts.DeadLetter.Fitting(letter, l.batches.limits)
		if p.txn.digests[letter.Offset] {
			m = l.opts.DeadLetter.Digest(letter)
		}
		all = append(all, output[T]{m, p, true})
	}
	return all
}

// transact writes the messages and the marks in one transaction, and returns nil if it is committed.
func (s *session[T]) transact(messages []output[T], marks watermarks) error {
	l := s.loop
	if err := s.txn.Begin(); err != nil {
		l.metrics.Aborts.WithLabelValues(abortFenced).Inc()
		return s.lose(fmt.Errorf("begin transaction: %w", err))
	}
	ctx, cancel := context.WithTimeout(s.life, endWait)
	defer cancel()
	err := s.produce(messages)
	if err == nil {
		// When the client learns of a topic, it first sends the waiting records and then stores the partitions, holding a lock
		// (franz-go 1.22.2, storePartitionsUpdate). A commit in between omits the partitions. Aborting the buffered records, of
		// which there are none, takes the same lock.
		err = s.client().AbortBufferedRecords(ctx)
	}
	if err != nil {
		return s.abort(ctx, err)
	}
	ctx = kgo.PreTxnCommitFnContext(ctx, marks.Attach)
	defer time.AfterFunc(rebalanceAfter, s.txn.AllowRebalance).Stop()
	committed, err := s.txn.End(ctx, kgo.TryCommit)
	switch {
	case err != nil:
		l.metrics.Unknown.Inc()
		return s.lose(fmt.Errorf("end transaction: %w", err))
	case !committed:
		l.metrics.Aborts.WithLabelValues(abortRebalance).Inc()
		return errors.Join(errAborted, s.verify(ctx, marks))
	}
	return nil
}

// abort ends a transaction whose records were not all written.
func (s *session[T]) abort(ctx context.Context, cause error) error {
	reason := abortProduce
	switch {
	case errors.Is(cause, kafka.ErrTooLarge):
		reason = abortTooLarge
	case isFenced(cause):
		reason = abortFenced
	}
	s.loop.metrics.Aborts.WithLabelValues(reason).Inc()
	s.loop.metrics.Retries.WithLabelValues(string(phasePublish)).Inc()
	if _, err := s.txn.End(ctx, kgo.TryAbort); err != nil {
		return s.lose(fmt.Errorf("abort transaction: %w", errors.Join(cause, err)))
	}
	return cause
}

// verify compares the committed offsets with those before a transaction that the client reports as not committed. The
// client also does so when a broker answers UNKNOWN_SERVER_ERROR, and the transaction may be committed.
func (s *session[T]) verify(ctx context.Context, marks watermarks) error {
	offsets, err := kadm.NewClient(s.client()).FetchOffsets(kadm.RequireStable(ctx), s.loop.opts.Group)
	if err != nil {
		s.loop.metrics.Unknown.Inc()
		return s.lose(fmt.Errorf("fetch committed offsets: %w", err))
	}
	for p := range marks {
		at, ok := offsets.Lookup(p.ID.Topic, p.ID.Partition)
		if own := s.loop.owned.Find(p.ID); own != nil && own.assignment == p && (!ok || at.At != p.Committed()) {
			s.loop.metrics.Unknown.Inc()
			return s.lose(fmt.Errorf("topic %s partition %d: offset %d is committed, not %d", p.ID.Topic, p.ID.Partition, at.At, p.Committed()))
		}
	}
	return nil
}

// produce writes the messages and waits for their results.
func (s *session[T]) produce(messages []output[T]) error {
	type result struct {
		of  output[T]
		err error
	}
	results := make(chan result, len(messages))
	for _, m := range messages {
		// The record's context must never end: see kafka.Producer.Produce.
		s.txn.Produce(context.Background(), m.Record(), func(r *kgo.Record, err error) {
			results <- result{m, kafka.ProduceError(r.Topic, err)}
		})
	}
	var errs []error
	var refused []output[T]
	late := time.After(produceWait)
	for range messages {
		select {
		case r := <-results:
			if errs = append(errs, r.err); errors.Is(r.err, kafka.ErrTooLarge) {
				refused = append(refused, r.of)
			}
		case <-late:
			return errSlow
		}
	}
	s.loop.refuse(refused)
	return errors.Join(errs...)
}

// refuse notes which output a broker refused as too large, although it was expected to fit: the limit of its topic is not
// known or was lowered. Brokers refuse whole batches, so that of several records each is tried alone.
func (l *TransactionLoop[T]) refuse(refused []output[T]) {
	if len(refused) == 0 {
		return
	}
	items := 0
	for _, p := range l.owned.All() {
		items += len(p.txn.items)
	}
	if items > 1 {
		l.narrow += items
		return
	}
	p := refused[0].p
	if offset := p.txn.items[0].Offset(); slices.ContainsFunc(refused, func(m output[T]) bool { return !m.letter }) {
		p.refused[offset] = true
	} else {
		p.txn.digests[offset] = true
	}
}
