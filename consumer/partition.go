package consumer

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/consumer/circuit"
)

// partition is an assignment with the goroutine that processes it.
type partition[T any] struct {
	*assignment.Partition

	loop          *Loop[T]
	batchState[T] // used by that goroutine only
}

func newPartition[T any](l *Loop[T], cl *kgo.Client, id assignment.ID) *partition[T] {
	producer := l.opts.Producer
	if l.opts.DryRun {
		producer = nil
	}
	return &partition[T]{
		Partition: assignment.New(l.assignmentOptions(), cl, id), loop: l,
		batchState: batchState[T]{out: assignment.NewOutbox(producer), circuit: circuit.New(l.opts.PoisonShare, l.opts.PoisonWindow)},
	}
}

func (l *Loop[T]) assignmentOptions() assignment.Options {
	return assignment.Options{
		MaxBatch: l.opts.MaxBatch, MaxBatchBytes: l.opts.MaxBatchBytes, InFlightRecords: l.opts.InFlightRecords,
		ByteCap: l.byteCap, HandlerWaits: l.opts.HandlerWaits, Guard: l.guardOptions(), OnWatermark: l.scheduleCommit, OnCapacity: l.signalCapacity,
	}
}

// run processes batches until the partition is halted.
func (p *partition[T]) run() {
	defer close(p.Idle)
	defer p.Cancel()
	defer p.closeCircuit()
	var items []assignment.Item
	for {
		items = p.Next(items[:0])
		if len(items) == 0 || !p.work(items) {
			return
		}
		clear(items)
	}
}
