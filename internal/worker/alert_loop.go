package worker

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"confab/alerting"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// alertLoop runs the consumer loop of the alert role together with its dispatcher and its background work.
type alertLoop struct {
	roleLoop
	// deliver is the dispatcher's Run. It ends before the loop does, so that it writes its last state while this process
	// still owns the partitions.
	deliver    func(ctx context.Context) error
	background []func(ctx context.Context) error // followers of topics and the click receiver
	grace      time.Duration                     // for deliver to end
}

var errSinkLate = errors.New("a sink did not return within the grace period")

// Run implements roleLoop.
func (a *alertLoop) Run(ctx context.Context) error {
	deliveryCtx, stopDelivery := context.WithCancel(ctx)
	defer stopDelivery()
	loopCtx, stopLoop := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoop()
	var background sync.WaitGroup
	errs := make(chan error, len(a.background)+1)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		if err := a.deliver(deliveryCtx); err != nil && deliveryCtx.Err() == nil {
			errs <- fmt.Errorf("deliver alerts: %w", err)
			stopDelivery()
		}
	}()
	for _, f := range a.background {
		background.Go(func() {
			if err := f(deliveryCtx); err != nil && deliveryCtx.Err() == nil {
				errs <- err
				stopDelivery()
			}
		})
	}
	background.Go(func() {
		<-deliveryCtx.Done()
		closedWithin(delivered, a.grace)
		stopLoop()
	})
	err := a.roleLoop.Run(loopCtx)
	stopDelivery()
	background.Wait()
	if !closedWithin(delivered, 0) { // the grace period is over
		err = errors.Join(err, errSinkLate)
	}
	for {
		select {
		case e := <-errs:
			err = errors.Join(err, e)
		default:
			return err
		}
	}
}

// closedWithin waits until done is closed, at most for limit, and reports whether it is.
func closedWithin(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// alertLog is one partition of llm.alerts.
type alertLog struct {
	partition *compacted.TablePartition
	sizes     *records.StateEncoder
}

// Get implements alerting.StateLog. A record that cannot be read counts as an attempt with unknown result: its message is sent
// again and marked as possibly duplicated.
func (l alertLog) Get(key string) (schemas.AlertState, bool) {
	value, ok := l.partition.Get(key)
	if !ok {
		return schemas.AlertState{}, false
	}
	var state schemas.AlertState
	if json.DecodeAlertState(value, &state) != nil {
		state = schemas.AlertState{Status: schemas.AlertPending, Attempt: 1}
	}
	return state, true
}

// Put implements alerting.StateLog.
func (l alertLog) Put(ctx context.Context, entries ...alerting.StateEntry) error {
	records := make([]compacted.TableEntry, len(entries))
	for i, e := range entries {
		records[i].Key = e.Key
		if e.State == nil {
			continue
		}
		value, err := l.sizes.Encode(e.Key, e.State)
		if err != nil {
			return err
		}
		records[i].Value, records[i].SkipCache = value, !isLookedUp(e.State)
	}
	return l.partition.Put(ctx, records...)
}

// isLookedUp reports whether the dispatcher gets the record by its key. It keeps groups, silences and what waits in memory itself.
func isLookedUp(s *schemas.AlertState) bool {
	return s.Group == nil && s.Silence == nil && s.Waiting == nil
}

// readAlertState returns a function that opens a partition of llm.alerts. Iterating over the records reads the partition.
func readAlertState(table *compacted.Table, sizes *records.StateEncoder) func(ctx context.Context, p int32) (alerting.StateLog, iter.Seq2[alerting.StateEntry, error]) {
	return func(ctx context.Context, p int32) (alerting.StateLog, iter.Seq2[alerting.StateEntry, error]) {
		part := table.Open(p)
		return alertLog{part, sizes}, func(yield func(alerting.StateEntry, error) bool) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			more := true
			err := part.Replay(ctx, func(key string, value []byte) bool {
				e := alerting.StateEntry{Key: key}
				if value != nil {
					e.State = new(schemas.AlertState)
					if json.DecodeAlertState(value, e.State) != nil {
						return true // Get handles it
					}
				}
				if more = more && yield(e, nil); !more {
					cancel()
				}
				return e.State != nil && isLookedUp(e.State)
			})
			if err != nil && more {
				yield(alerting.StateEntry{}, err)
			}
		}
	}
}
