package consumer

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/hold"
)

// partition is an assignment with the batch in work.
type partition[T any] struct {
	*assignment
	batchWork[T]

	loop *Loop[T] // nil in a transaction loop
	txn  transactionPart[T]
}

func newPartition[T any](l *Loop[T], cl *kgo.Client, id partitionID) *partition[T] {
	limits, holds := l.opts.Hold[id.Topic]
	opts := l.assignmentOptions()
	if holds { // the committed offset stays at the oldest record that waits
		opts.Guard.Window = maxBehind
	}
	p := &partition[T]{assignment: newAssignment(opts, cl, id), loop: l}
	codec := l.opts.Codec
	var parking *parkingLot
	if s, ok := codec.(Splitter[T]); ok && holds {
		codec = s.Split(id.Topic)
		parking = newParkingLot(p.assignment, limits, l.observeHeld(id.Topic))
	}
	p.batchWork = newBatchWork(l.batches, p.assignment, codec, parking)
	return p
}

// observeHeld counts the records of a topic that wait for later ones, and why one waits no longer.
func (l *Loop[T]) observeHeld(topic string) func(change int, ended hold.Reason) {
	held := l.metrics.Held.WithLabelValues(topic)
	return func(change int, ended hold.Reason) {
		held.Add(float64(change))
		if ended != "" {
			l.metrics.Released.WithLabelValues(topic, string(ended)).Inc()
		}
	}
}

// next waits for the next batch.
func (p *partition[T]) next(dst []queueItem) []queueItem {
	if p.parking != nil {
		return p.parking.Next(dst)
	}
	return p.Next(dst, nil)
}

func (l *Loop[T]) assignmentOptions() assignmentOptions {
	return assignmentOptions{
		MaxBatch: l.opts.MaxBatch, MaxBatchBytes: l.opts.MaxBatchBytes, InFlightRecords: l.opts.InFlightRecords,
		ByteCap: l.byteCap, Guard: l.opts.guard(l.id), OnWatermark: l.scheduleCommit, OnCapacity: l.signalCapacity,
	}
}

// run processes batches until the partition is halted.
func (p *partition[T]) run() {
	defer close(p.Idle)
	defer p.SetBatchStart(time.Time{})
	defer p.Cancel()
	defer p.circuit.close()
	if p.parking != nil {
		defer p.parking.Close()
	}
	var items []queueItem
	for {
		items = p.next(items[:0])
		if len(items) == 0 || !p.work(items) {
			return
		}
		clear(items)
	}
}
