package consumer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"confab/internal/kafka"
	"confab/internal/retry"
)

// Loop is one member of a consumer group, with one session after the other.
//
// One goroutine polls, handles and commits; a batch of several partitions is handled by several goroutines. Another
// goroutine commits notes about slow records. Rebalances are blocked from a poll to the end of its transaction.
type TransactionLoop[T any] struct {
	opts        TransactionOptions[T]
	metrics     roleMetrics
	positions   *finder
	batches     *batchOptions[T]
	limits      *kafka.SizeLimits
	slots       processorSlots
	id          string // unique among all loops of the group, past and present
	logThrottle Throttle[string]

	started  atomic.Bool
	stop     context.CancelCauseFunc // ends polling; set by Run
	size     int                     // records of the next poll
	narrow   int                     // polls of one record that are left, to find one whose output is too large
	failures int                     // batches and sessions that failed in a row
	fenced   int                     // of those, fenced sessions

	owned ownedSet[*txnPartition[T]]
}

// New returns a loop. It opens nothing until Run.
func NewTransactionLoop[T any](opts TransactionOptions[T]) (*TransactionLoop[T], error) {
	opts, err := opts.prepare()
	if err != nil {
		return nil, err
	}
	l := &TransactionLoop[T]{
		opts: opts, metrics: opts.Metrics.ForRole(opts.Series()), limits: opts.Kafka.Limits, slots: newSlots(opts.Workers),
		id: rand.Text(), logThrottle: Throttle[string]{Every: logEvery}, size: opts.MaxBatch,
	}
	if l.limits == nil {
		l.limits = kafka.NewSizeLimits(opts.Kafka, nil)
	}
	l.batches = opts.Batches(l.metrics)
	l.positions = newFinder(opts.Positions(finderOptions{
		Lookup: l.owned.FindPartition, Owned: l.owned.Partitions, Fail: l.fail, Metrics: l.metrics,
	}))
	return l, nil
}

// Run joins the group and processes records until ctx ends, then shuts down in order and returns nil. An error needs an
// operator; its message says what to do. A Loop runs once.
func (l *TransactionLoop[T]) Run(ctx context.Context) error {
	if !l.started.CompareAndSwap(false, true) {
		return fmt.Errorf("consumer %s: run a second time", l.opts.Role)
	}
	if err := l.positions.AwaitTopics(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	polling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.stop = stop
	defer l.opts.Metrics.WatchStuck(l.opts.Role, l.owned.StuckFor)()
	var log sync.WaitGroup
	logging, stopLogging := context.WithCancel(context.WithoutCancel(ctx))
	log.Go(func() { l.batches.LetterLog.Run(logging) })
	log.Go(func() { l.positions.Watch(logging) })
	defer log.Wait()
	defer stopLogging()
	defer context.AfterFunc(polling, func() { l.owned.Drain() })()
	late, stopLate := WithGrace(polling, l.opts.Grace-reserveOf(l.opts.Grace))
	defer stopLate()
	defer context.AfterFunc(late, l.cancelHandlers)()

	for polling.Err() == nil {
		if err := l.runSession(polling); err != nil {
			l.sessionFailed(err)
			l.pause(polling, err)
		}
	}
	if cause := context.Cause(polling); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("consumer %s: %w", l.opts.Role, cause)
	}
	return nil
}

// fail ends the loop; the first error wins.
func (l *TransactionLoop[T]) fail(err error) { l.stop(err) }

// cancelHandlers ends the context of handlers near the end of the grace period.
func (l *TransactionLoop[T]) cancelHandlers() {
	for _, p := range l.owned.All() {
		p.Halt()
		p.Cancel()
	}
}

// sessionFailed decides what an error means that ended a session.
func (l *TransactionLoop[T]) sessionFailed(err error) {
	switch {
	case errors.Is(err, kerr.FencedInstanceID):
		l.fail(l.positions.FencedError(err))
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		l.fail(fmt.Errorf("allow WRITE and DESCRIBE on the transactional id %s: %w", l.opts.ID, err))
	case isFenced(err):
		if l.fenced++; l.fenced >= fencedLimit {
			l.fail(fmt.Errorf("another process uses the transactional id %s: give every process its own kafka.instance_id "+
				"(for example the pod name of a StatefulSet): %w", l.opts.ID, err))
		}
	}
}

// isFenced reports whether a newer session, or the broker after a time-out, has taken the transactional id.
func isFenced(err error) bool {
	return errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.InvalidTxnState)
}

// pause waits after a failed batch or session, longer after each.
func (l *TransactionLoop[T]) pause(ctx context.Context, err error) {
	wait := retry.Backoff{Initial: l.opts.RetryInitial, Max: l.opts.RetryMax}.Wait(min(l.failures, math.MaxInt16), mathrand.Float64())
	var hint retryAfter
	if errors.As(err, &hint) {
		wait = max(wait, hint.RetryAfter())
	}
	l.failures++
	if l.logThrottle.Allow("failed") {
		l.opts.Logger.Warn("process batch failed, retrying", slog.Int("attempt", l.failures), slog.Any("error", err))
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *TransactionLoop[T]) Ready() bool { return l.owned.Ready() }

// Unreadable returns the partitions of this member that cannot be read.
func (l *TransactionLoop[T]) Unreadable() []Unreadable { return l.positions.Unreadable() }

// Progress returns the record that a codec or handler has worked on for longest.
func (l *TransactionLoop[T]) Progress() Progress { return l.owned.Progress() }
