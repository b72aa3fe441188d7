package consumer

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

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
		assignment: at, batchWork: newBatchWork(l.batches, at, l.opts.Codec, nil),
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
		items = items[n:]
	}
	return nil
}
