// Package consumer turns a Kafka consumer group into at-least-once batches of decoded values, in order per partition:
// poll, decode, handle, wait until every effect is durable, then commit the contiguous watermark.
//
// It does not know what a record means: a [Codec] decodes values, a [Handler] processes them, and a record that can never
// be processed goes to the dead-letter topic.
package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Loop is one member of a consumer group.
//
// One goroutine polls and dispatches, one per assigned partition decodes and handles, one commits. Locks are taken in the
// order commitMu, that of owned, a partition's.
type Loop[T any] struct {
	member[T]

	clientOptions []kgo.Opt     // for tests that observe the client
	commitDue     chan struct{} // signaled when a watermark may have moved
	commitNow     chan struct{} // commit without waiting for the interval
	capacityFreed chan struct{} // signaled when a partition may no longer be full
	workers       sync.WaitGroup
	assignedAt    atomic.Int64 // time of the last assignment, Unix nanoseconds
	commitMu      sync.Mutex   // held during commits and while partitions change owner
}

// New returns a loop. It opens nothing until Run.
func New[T any](opts Options[T]) (*Loop[T], error) {
	opts, err := opts.Prepare()
	if err != nil {
		return nil, err
	}
	l := &Loop[T]{
		commitDue: make(chan struct{}, 1), commitNow: make(chan struct{}, 1), capacityFreed: make(chan struct{}, 1),
	}
	l.prepare(opts)
	return l, nil
}

// Run joins the group and processes records until ctx ends, then shuts down in order and returns nil. An error needs an
// operator; its message says what to do. A Loop runs once.
func (l *Loop[T]) Run(ctx context.Context) error {
	polling, proceed, err := l.begin(ctx)
	if !proceed {
		return err
	}
	defer l.stop(nil)
	// The client's context ends shortly before the grace period does, and all of its requests with it.
	life, cut := WithGrace(polling, l.opts.Grace-stepTime(l.opts.Grace))
	defer cut()
	cl, err := l.opts.Kafka.NewClient(append(l.groupOptions(), kgo.WithContext(life))...)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	defer l.opts.Metrics.WatchStuck(l.opts.Role, l.owned.StuckFor)()

	var poller, committer sync.WaitGroup
	committing, stopCommitting := context.WithCancel(life)
	defer stopCommitting()
	committer.Go(func() { l.commitLoop(committing, cl) })
	committer.Go(func() { l.Watch(committing) })
	if l.opts.crashDeaths() > 0 {
		committer.Go(func() { l.noteSlowRecords(committing) })
	}
	poller.Go(func() { l.pollLoop(polling, cl) })
	<-polling.Done()
	deadline := time.Now().Add(l.opts.Grace)

	err = l.drain(deadline)
	stopCommitting()
	committer.Wait()
	l.shutdown(life, cut, cl, deadline)
	poller.Wait()
	return errors.Join(l.failure(ctx, polling), err)
}

// groupOptions are the client options of a group member.
func (l *Loop[T]) groupOptions() []kgo.Opt {
	return slices.Concat(l.opts.memberOptions(), []kgo.Opt{
		kgo.OnPartitionsAssigned(l.onAssigned),
		kgo.OnOffsetsFetched(l.OnOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(l.AdjustOffsets),
		kgo.OnPartitionsRevoked(l.onRevoked),
		kgo.OnPartitionsLost(l.onLost),
	}, l.clientOptions)
}

// maxPoll is the number of records of one poll: a partition can exceed its in-flight limit by as many.
const maxPoll = 500

// backpressureWait is how long polling waits for full partitions before it pauses them.
const backpressureWait = 200 * time.Millisecond

// pollLoop polls and dispatches until ctx ends. Rebalances are blocked from a poll to the end of its dispatch, never
// while records are processed: polled records always belong to the assignment under which they were fetched.
func (l *Loop[T]) pollLoop(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		l.applyBackpressure(ctx)
		fetches := cl.PollRecords(ctx, maxPoll)
		l.dispatchFetches(ctx, cl, fetches)
		cl.AllowRebalance()
		l.AfterPoll(ctx, fetches)
	}
}

// applyBackpressure delays the next poll while partitions are full, and pauses those that stay full. It does not pause at
// once, because the client drops the buffered records of a paused partition and fetches them again later.
func (l *Loop[T]) applyBackpressure(ctx context.Context) {
	crowded := l.partitionsToPause()
	if len(crowded) == 0 {
		return
	}
	t := time.NewTimer(backpressureWait)
	defer t.Stop()
	for len(crowded) > 0 {
		select {
		case <-l.capacityFreed:
			crowded = l.partitionsToPause()
		case <-t.C:
			for _, p := range crowded {
				p.Pause()
			}
			return
		case <-ctx.Done():
			return
		}
	}
}

func (l *Loop[T]) partitionsToPause() []*partition[T] {
	return slices.DeleteFunc(l.owned.All(), func(p *partition[T]) bool { return !p.ShouldPause() })
}

// byteCap is the byte limit of one partition: an equal share of the total, at most its own limit.
func (l *Loop[T]) byteCap() int {
	return min(l.opts.InFlightBytes, l.opts.TotalBytes/max(1, l.owned.Count()))
}

func (l *Loop[T]) dispatchFetches(ctx context.Context, cl *kgo.Client, fetches kgo.Fetches) {
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		p := l.owned.Find(partitionID{Topic: f.Topic, Partition: f.Partition})
		if p != nil && len(f.Records) > 0 {
			l.metrics.Fetched.WithLabelValues(f.Topic).Add(float64(p.Enqueue(f.Records)))
		}
		if f.Err == nil || ctx.Err() != nil {
			return
		}
		if bad := l.FetchFailed(ctx, cl, p, f); bad != nil {
			p.EnqueueBad(bad)
			skipBatch(cl, p.ID, bad)
		}
	})
}

// partition is an assignment with the batch in work.
type partition[T any] struct {
	*assignment
	batchWork[T]

	loop *Loop[T] // nil in a transaction loop
	txn  transactionPart[T]
}

func newPartition[T any](l *Loop[T], cl *kgo.Client, id partitionID) *partition[T] {
	p := &partition[T]{assignment: newAssignment(l.assignmentOptions(), cl, id), loop: l}
	p.batchWork = newBatchWork(l.batches, p.assignment)
	return p
}

func (l *Loop[T]) assignmentOptions() assignmentOptions {
	return assignmentOptions{
		MaxBatch: l.opts.MaxBatch, MaxBatchBytes: l.opts.MaxBatchBytes, InFlightRecords: l.opts.InFlightRecords,
		ByteCap: l.byteCap, Guard: l.opts.guard(l.id), OnWatermark: l.scheduleCommit, OnCapacity: func() { notify(l.capacityFreed) },
	}
}

// run processes batches until the partition is halted.
func (p *partition[T]) run() {
	defer close(p.Idle)
	defer p.SetBatchStart(time.Time{})
	defer p.Cancel()
	defer p.circuit.close()
	var items []queueItem
	for {
		items = p.Next(items[:0])
		if len(items) == 0 || !p.process(items) {
			return
		}
		clear(items)
	}
}
