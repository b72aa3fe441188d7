// Package consumer turns a Kafka consumer group into at-least-once batches of decoded values, in order per partition:
// poll, decode, handle, wait until every effect is durable, then commit the contiguous watermark.
//
// It does not know what a record means: a [Codec] decodes values, a [Handler] processes them, and a record that can never
// be processed goes to the dead-letter topic.
package consumer

import (
	"context"
	"crypto/rand"
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
	opts             Options[T]
	metrics          roleMetrics
	clientOptions    []kgo.Opt // for tests that observe the client
	slots            processorSlots
	commitDue        chan struct{} // signaled when a watermark may have moved
	commitNow        chan struct{} // signaled by commitSoon
	capacityFreed    chan struct{} // signaled when a partition may no longer be full
	id               string        // unique among all loops of the group, past and present
	workers          sync.WaitGroup
	retryLogThrottle Throttle[partitionID]
	logThrottle      Throttle[string]
	positions        *finder
	batches          *batchOptions[T]

	started    atomic.Bool
	assignedAt atomic.Int64            // time of the last assignment, Unix nanoseconds
	stop       context.CancelCauseFunc // ends polling; set by Run

	commitMu sync.Mutex // held during commits and while partitions change owner
	owned    ownedSet[*partition[T]]
}

// New returns a loop. It opens nothing until Run.
func New[T any](opts Options[T]) (*Loop[T], error) {
	opts, err := opts.Prepare()
	if err != nil {
		return nil, err
	}
	l := &Loop[T]{
		opts:             opts,
		metrics:          opts.Metrics.ForRole(opts.Series()),
		slots:            newSlots(opts.Workers),
		commitDue:        make(chan struct{}, 1),
		commitNow:        make(chan struct{}, 1),
		capacityFreed:    make(chan struct{}, 1),
		id:               rand.Text(),
		retryLogThrottle: Throttle[partitionID]{Every: logEvery},
		logThrottle:      Throttle[string]{Every: logEvery},
	}
	l.batches = opts.Batches(l.metrics)
	l.positions = newFinder(opts.Positions(finderOptions{
		Lookup: l.owned.FindPartition, Owned: l.owned.Partitions, Fail: l.fail, Metrics: l.metrics,
	}))
	return l, nil
}

// Run joins the group and processes records until ctx ends, then shuts down in order and returns nil. An error needs an
// operator; its message says what to do. A Loop runs once.
func (l *Loop[T]) Run(ctx context.Context) error {
	if !l.started.CompareAndSwap(false, true) {
		return fmt.Errorf("consumer %s: run a second time", l.opts.Role)
	}
	if err := l.positions.AwaitTopics(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	polling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.stop = stop
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
	committer.Go(func() { l.batches.LetterLog.Run(committing) })
	committer.Go(func() { l.positions.Watch(committing) })
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
	if cause := context.Cause(polling); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(fmt.Errorf("consumer %s: %w", l.opts.Role, cause), err)
	}
	return err
}

// fail ends the loop; the first error wins.
func (l *Loop[T]) fail(err error) { l.stop(err) }

// groupOptions are the client options of a group member.
func (l *Loop[T]) groupOptions() []kgo.Opt {
	return slices.Concat(l.opts.MemberOptions(), []kgo.Opt{
		kgo.OnPartitionsAssigned(l.onAssigned),
		kgo.OnOffsetsFetched(l.positions.OnOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(l.positions.AdjustOffsets),
		kgo.OnPartitionsRevoked(l.onRevoked),
		kgo.OnPartitionsLost(l.onLost),
	}, l.clientOptions)
}
