package consumer

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

var errTooLarge = errors.New("the output is larger than its topic allows")

// Phases of a batch, as metric labels.
const (
	txnDecode  = "decode"
	txnHandle  = "handle"
	txnPublish = "publish"
)

// txnPartition is an assignment with its part of the batch in work.
type txnPartition[T any] struct {
	*assignment
	batchWork[T]

	session *session[T]
	claimed bool                       // its first owner note is committed
	items   []queueItem                // of the last poll
	bad     *kgo.ErrDecompressTooLarge // of the last poll: a batch after them that cannot be decompressed
	next    kgo.EpochOffset            // the offset after all of them
	out     txnOutbox
	phase   string
	refused map[int64]bool // offsets whose output the broker refused as too large
	digests map[int64]bool // offsets whose dead letter the broker refused as too large

	circuit *circuit
}

func newTxnPartition[T any](s *session[T], id partitionID) *txnPartition[T] {
	l := s.loop
	guard := l.opts.guard(l.id)
	guard.Window = int64(l.opts.MaxBatch)
	at := newAssignment(assignmentOptions{
		Guard: guard, OnWatermark: func() {}, OnCapacity: func() {},
	}, s.client(), id)
	at.Member, _ = s.client().GroupMetadata()
	p := &txnPartition[T]{
		assignment: at, session: s, batchWork: newBatchWork(l.batches, at, l.opts.Codec, nil),
		circuit: newCircuit(&l.opts, l.metrics, id), refused: make(map[int64]bool), digests: make(map[int64]bool),
	}
	return p
}

// txnOutbox collects the output of a handler.
type txnOutbox []kafka.Message

// Produce implements Producer.
func (o *txnOutbox) Produce(m kafka.Message) { *o = append(*o, m) }

// evaluate decodes and handles the partition's items.
func (p *txnPartition[T]) evaluate() error {
	p.phase = txnDecode
	p.batchWork.Begin()
	clear(p.out)
	p.out = p.out[:0]
	for items := p.items; len(items) > 0; {
		n := p.BatchSize(items)
		if err := p.evaluateItems(items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}

// evaluateItems decodes and handles items while it holds one of the loop's slots, or all of them for a record at which an
// earlier owner ended.
func (p *txnPartition[T]) evaluateItems(items []queueItem) error {
	release, err := p.session.loop.acquireSlots(p.assignment, items)
	if err != nil {
		return err
	}
	defer release()
	if err := p.session.claim(p, items); err != nil {
		return err
	}
	defer p.EndWork()
	p.phase = txnDecode // after items before
	first := len(p.Records)
	for _, it := range items {
		p.assignment.Begin(it.Offset())
		poison, err := p.Decode(it)
		if err != nil {
			return err
		}
		if p.circuit.record(it.Offset(), poison) {
			return p.circuit.error()
		}
	}
	p.phase = txnHandle
	if len(p.Records) == first {
		return nil
	}
	return p.handle(first)
}

// handle handles the records from first on: together, or one at a time if some output is too large.
func (p *txnPartition[T]) handle(first int) error {
	sent := len(p.out)
	if len(p.refused) == 0 {
		if err := p.Handle(p.Context, p.Records[first:], &p.out); err != nil {
			return err
		}
		if p.fits(sent) {
			return nil
		}
		p.out = p.out[:sent]
	}
	kept := p.Records[:first]
	for i := first; i < len(p.Records); i++ {
		r := &p.Records[i]
		had := len(p.out)
		if err := p.Handle(p.Context, p.Records[i:i+1], &p.out); err != nil {
			return err
		}
		if p.fits(had) && !p.refused[r.Offset] {
			kept = append(kept, *r)
			continue
		}
		p.out = p.out[:had]
		p.Letters = append(p.Letters, p.oversized(i))
	}
	p.Records = kept
	return nil
}

// fits reports whether the messages from n on fit their topics.
func (p *txnPartition[T]) fits(n int) bool {
	for i := range p.out[n:] {
		if !p.session.loop.limits.Fits(&p.out[n+i]) {
			return false
		}
	}
	return true
}

// oversized is the dead letter of a record whose output is too large.
func (p *txnPartition[T]) oversized(i int) deadletter.Letter {
	r := &p.Records[i]
	e := outputTooLarge(errTooLarge)
	several := i > 0 && p.Records[i-1].Offset == r.Offset || i+1 < len(p.Records) && p.Records[i+1].Offset == r.Offset
	return deadletter.Letter{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Raw, Headers: r.Headers,
		Timestamp: r.Timestamp, Stage: e.Stage, Reason: e.Reason, Err: e.Err, Part: several, Index: r.Index,
	}
}
