package consumer

import (
	"cmp"
	"errors"
	"time"
)

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

// TransactionOptions configure a TransactionLoop. MaxBatch is the largest transaction in records; 2,000 when zero. Output of the handler and dead letters are not written with Options.Producer.
type TransactionOptions[T any] struct {
	Options[T]
	// ID is the transactional id: unique per process, stable over restarts, so that a new process ends the transaction of
	// its predecessor at once.
	ID string
}

func (o TransactionOptions[T]) prepare() (TransactionOptions[T], error) {
	var errs []error
	if o.ID == "" || o.InstanceID == "" {
		errs = append(errs, errors.New("exactly_once needs kafka.instance_id: a name that is unique per process and stable over "+
			"restarts, such as the pod name in a StatefulSet"))
	}
	if len(o.Hold) > 0 || o.DryRun {
		errs = append(errs, errors.New("exactly_once cannot hold records or run dry"))
	}
	o.MaxBatch = cmp.Or(o.MaxBatch, maxRecords)
	prepared, err := o.Prepare()
	o.Options = prepared
	return o, errors.Join(append(errs, err)...)
}
