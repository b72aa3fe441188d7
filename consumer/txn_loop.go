package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"confab/internal/retry"
)

// TransactionLoop is the loop of exactly-once delivery: poll, decode and handle, then one transaction with all output, all dead
// letters and the offsets of the poll. Readers with isolation level read_committed see each of them once.
//
// Nothing is written while a batch is handled: the output is collected and its sizes are checked first. A batch whose transaction
// does not commit is fetched and handled again. When the end of a transaction has no result, the loop forgets everything, opens a new
// session, which ends the old transaction, and resumes from the committed offsets. It never produces a record a second time outside
// a transaction that is known to be aborted. See docs/adr/0030-exactly-once.md.
//
// One goroutine polls, handles and commits; a batch of several partitions is handled by several goroutines. Another goroutine commits
// notes about slow records. Rebalances are blocked from a poll to the end of its transaction.
type TransactionLoop[T any] struct {
	member[T]

	txnID    string
	size     int // records of the next poll
	narrow   int // polls of one record that are left, to find one whose output is too large
	failures int // batches and sessions that failed in a row
	fenced   int // of those, fenced sessions
}

// NewTransactionLoop returns a loop. It opens nothing until Run. The id is the transactional id: unique per process, stable over restarts,
// so that a new process ends the transaction of its predecessor at once. MaxBatch is the largest transaction in records; 2,000 when
// zero. Options.Producer writes nothing.
func NewTransactionLoop[T any](id string, opts Options[T]) (*TransactionLoop[T], error) {
	var errs []error
	if id == "" || opts.InstanceID == "" {
		errs = append(errs, errors.New("exactly_once needs kafka.instance_id: a name that is unique per process and stable over "+
			"restarts, such as the pod name in a StatefulSet"))
	}
	if opts.DryRun {
		errs = append(errs, errors.New("exactly_once cannot run dry"))
	}
	opts.MaxBatch = cmp.Or(opts.MaxBatch, maxRecords)
	opts, err := opts.Prepare()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	l := &TransactionLoop[T]{txnID: id, size: opts.MaxBatch}
	l.prepare(opts)
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
	wait := l.opts.wait(l.failures, err)
	l.failures++
	l.opts.Logger.Warn("process batch failed, retrying", slog.Int("attempt", l.failures), slog.Any("error", err))
	_ = retry.Sleep(ctx, wait)
}

const (
	// maxRecords is the default of MaxBatch: 500 records reach 0.7 of the throughput of at least once, and 2,000 all of it
	// (docs/testing/delivery.md).
	maxRecords = 2000
	// transactionTimeout is how long a transaction of a dead worker may stay open, hiding later flags from readers, unless its
	// successor ends it earlier.
	transactionTimeout = 15 * time.Second
	// produceWait bounds the wait for acknowledgements of a transaction, so that it can still be aborted in time.
	produceWait = 10 * time.Second
	// endWait bounds a transaction: after it the broker aborts it anyway.
	endWait = transactionTimeout
	// openWait bounds the wait for a producer id, which ends an open transaction of an earlier session.
	openWait = 30 * time.Second
	// rebalanceAfter is how long the end of a transaction may block a rebalance. The end may need the rebalance: after a
	// lost session, it waits until the client has seen the loss.
	rebalanceAfter = 2 * time.Second
	// commitWait bounds a commit without a transaction, of owner notes and start offsets.
	commitWait = 10 * time.Second
	// slowBatch is the time after which the next batch is made smaller: rebalances wait for a batch.
	slowBatch = 500 * time.Millisecond
	// fencedLimit is how many sessions in a row may be fenced before the loop ends.
	fencedLimit = 5
)
