package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	mathrand "math/rand/v2"
	"sync"
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
	member[T, *txnPartition[T]]

	txnID    string
	limits   *kafka.SizeLimits
	size     int // records of the next poll
	narrow   int // polls of one record that are left, to find one whose output is too large
	failures int // batches and sessions that failed in a row
	fenced   int // of those, fenced sessions
}

// New returns a loop. It opens nothing until Run.
func NewTransactionLoop[T any](opts TransactionOptions[T]) (*TransactionLoop[T], error) {
	opts, err := opts.prepare()
	if err != nil {
		return nil, err
	}
	l := &TransactionLoop[T]{txnID: opts.ID, limits: opts.Kafka.Limits, size: opts.MaxBatch}
	if l.limits == nil {
		l.limits = kafka.NewSizeLimits(opts.Kafka, nil)
	}
	l.prepare(opts.Options)
	return l, nil
}

// Run joins the group and processes records until ctx ends, then shuts down in order and returns nil. An error needs an
// operator; its message says what to do. A Loop runs once.
func (l *TransactionLoop[T]) Run(ctx context.Context) error {
	polling, proceed, err := l.begin(ctx)
	if !proceed {
		return err
	}
	defer l.stop(nil)
	defer l.opts.Metrics.WatchStuck(l.opts.Role, l.owned.StuckFor)()
	var log sync.WaitGroup
	logging, stopLogging := context.WithCancel(context.WithoutCancel(ctx))
	log.Go(func() { l.batches.letters.Run(logging) })
	log.Go(func() { l.Watch(logging) })
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
	return l.failure(ctx, polling)
}

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
		l.fail(l.FencedError(err))
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		l.fail(fmt.Errorf("allow WRITE and DESCRIBE on the transactional id %s: %w", l.txnID, err))
	case isFenced(err):
		if l.fenced++; l.fenced >= fencedLimit {
			l.fail(fmt.Errorf("another process uses the transactional id %s: give every process its own kafka.instance_id "+
				"(for example the pod name of a StatefulSet): %w", l.txnID, err))
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
