package consumer

import "github.com/twmb/franz-go/pkg/kgo"

// partition is an assignment with the one goroutine that works on it.
type partition[T any] struct {
	*assignment

	loop     *Loop[T]
	batch[T] // used by the goroutine only
}

func newPartition[T any](l *Loop[T], cl *kgo.Client, id topicPartition) *partition[T] {
	producer := l.opts.Producer
	if l.opts.DryRun {
		producer = nil
	}
	return &partition[T]{
		assignment: newAssignment(l.assignmentOptions(), cl, id), loop: l,
		batch: batch[T]{out: newOutbox(producer), circuit: newCircuit(l.opts.PoisonShare, l.opts.PoisonWindow)},
	}
}

func (l *Loop[T]) assignmentOptions() assignmentOptions {
	return assignmentOptions{
		maxBatch: l.opts.MaxBatch, maxBatchBytes: l.opts.MaxBatchBytes, inFlightRecords: l.opts.InFlightRecords,
		byteCap: l.byteCap, waits: l.opts.Waits, guard: l.guardOptions(), moved: l.nudgeCommitter, eased: l.ease,
	}
}

// run works on batch after batch until the partition is halted.
func (p *partition[T]) run() {
	defer close(p.idle)
	defer p.cancel()
	defer p.closeCircuit()
	var items []item
	for {
		items = p.next(items[:0])
		if len(items) == 0 || !p.work(items) {
			return
		}
		clear(items)
	}
}
