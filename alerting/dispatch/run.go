package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"confab/alerting"
	"confab/alerting/dispatch/state"
	"confab/internal/retry"
)

const (
	cleanUpInterval = time.Minute
	minTimer        = time.Millisecond
)

// Run delivers until ctx ends. Each channel has its own goroutine, so that a slow one delays no other.
func (d *Dispatcher) Run(ctx context.Context) error {
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	started := make(map[*state.Channel]bool)
	cleanUp := time.NewTicker(cleanUpInterval)
	defer cleanUp.Stop()
	for {
		d.locked(func() {
			for _, ch := range d.store.Channels {
				if !started[ch] {
					started[ch] = true
					deliveries.Go(func() { d.deliverChannel(ctx, ch) })
				}
			}
		})
		select {
		case <-ctx.Done():
			return fmt.Errorf("deliver alerts: %w", ctx.Err())
		case <-d.store.NewChannels:
		case <-d.store.ShrinkRequests:
			d.shrinkState(ctx)
		case <-cleanUp.C:
			d.cleanUp(ctx)
		}
	}
}

// deliverChannel does the work of one channel, one item at a time, until ctx ends.
func (d *Dispatcher) deliverChannel(ctx context.Context, ch *state.Channel) {
	for ctx.Err() == nil {
		todo, wake := d.nextWork(ch)
		if todo.priority == noWork {
			d.waitForChange(ctx, ch, wake)
			continue
		}
		e := d.perform(ctx, &todo)
		failed := e != nil && e.Reason != alerting.ReasonRefused // a refusal is about one message only
		failures := 0
		d.locked(func() {
			ch.Busy = false
			failures = ch.Failures
			if failed {
				ch.Failures++
			} else if e == nil {
				ch.Failures = 0
			}
		})
		if failed {
			_ = retry.Sleep(ctx, d.pauseAfter(e, failures))
		}
	}
}

// firstOperatorPause follows the first failure that a person must fix. Some of these pass by themselves, so the pause starts
// short.
const firstOperatorPause = 2 * time.Second

// pauseAfter is how long a channel waits after a failure.
func (d *Dispatcher) pauseAfter(e *alerting.Error, failures int) time.Duration {
	if e.Class == alerting.Operator {
		return min(operatorPause, firstOperatorPause<<min(failures, 10))
	}
	return retryDelay(e, failures, d.Jitter())
}

// workItem is what a channel does next.
type workItem struct {
	priority priority
	msg      *state.Message
	reply    state.Reply
	ended    state.Ended
	channel  *state.Channel
}

// nextWork brings the channel up to date and starts its next work. Without work, wake is when there will be some.
func (d *Dispatcher) nextWork(ch *state.Channel) (todo workItem, wake time.Time) {
	d.locked(func() {
		now := d.Now()
		d.planner.advance(ch, now)
		sel := d.planner.selectWork(ch, now)
		todo = workItem{priority: sel.best.priority, channel: ch}
		switch todo.priority {
		case noWork:
			wake = sel.wake
			return
		case addReply:
			todo.reply, ch.Replies = ch.Replies[0], ch.Replies[1:]
		case resolveEnded:
			todo.ended, ch.Ended = ch.Ended[0], ch.Ended[1:]
		default:
			todo.msg = d.planner.startWork(&sel.best, now)
		}
		ch.Busy = true
	})
	return todo, wake
}

// waitForChange waits until the channel changes or until the given time.
func (d *Dispatcher) waitForChange(ctx context.Context, ch *state.Channel, until time.Time) {
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(max(until.Sub(d.Now()), minTimer))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-ctx.Done():
	case <-ch.Changes:
	case <-alarm:
	}
}

// cleanUp drops what has expired and deletes resolved groups.
func (d *Dispatcher) cleanUp(ctx context.Context) {
	d.locked(func() {
		now := d.Now()
		d.store.DropExpired(now)
		d.planner.dropFullLimiters(now)
		d.planner.daily.DropExpired(now)
		if d.store.Ready() {
			d.store.QueueEnded(now)
		}
	})
	d.deleteLeftovers(ctx)
}

// shrinkState evicts groups from a state near its limit, and deletes from the log what did not fit when it was loaded.
func (d *Dispatcher) shrinkState(ctx context.Context) {
	shrinks := false
	d.locked(func() { shrinks = d.store.EvictDelivered(d.Now()) || d.store.HasOverflow() })
	if shrinks {
		d.deleteLeftovers(ctx)
	}
}

// deleteLeftovers deletes resolved groups, and groups that do not fit, from the state and its log. After a failure the next
// clean-up tries again.
func (d *Dispatcher) deleteLeftovers(ctx context.Context) {
	var partitions []*state.Partition
	d.locked(func() {
		if d.store.Ready() {
			d.planner.setClock(d.Now())
			partitions = slices.Collect(maps.Values(d.store.Partitions))
		}
	})
	for _, p := range partitions {
		err := p.Exclusive(ctx, func() error { return d.deleteResolved(ctx, p) })
		if err == nil && p.HasLeftovers() {
			err = p.Exclusive(ctx, func() error { return d.foldOverflow(ctx, p) })
		}
		if err != nil {
			d.logFailure(ctx, "delete resolved groups", "", &alerting.Error{Class: alerting.Retryable}, err)
			return
		}
	}
}

// deleteResolved deletes the partition's resolved groups. The caller has exclusive use of the partition.
func (d *Dispatcher) deleteResolved(ctx context.Context, p *state.Partition) error {
	for {
		var update state.Update
		d.locked(func() { update = d.store.DeleteResolved(p, d.Now()) })
		if len(update.Entries) == 0 || p.Revoked() {
			return nil
		}
		if err := p.Put(ctx, update.Entries...); err != nil {
			return err
		}
		d.locked(func() {
			if !p.Revoked() {
				update.Apply()
			}
		})
	}
}

// foldOverflow counts the partition's overflow groups in the groups of their pools, and deletes their records and those of
// expired members. Groups that a message still shows wait. The caller has exclusive use of the partition, also between
// attempts: a failed write may have been written.
func (d *Dispatcher) foldOverflow(ctx context.Context, p *state.Partition) error {
	for attempt := 0; ; {
		update, err := d.applyUpdate(ctx, p, func() state.Update { return d.store.FoldOverflow(p, d.Now()) })
		switch {
		case err == nil && len(update.Entries) == 0:
			return nil
		case err == nil:
			attempt = 0
		case ctx.Err() != nil || p.Revoked():
			return err
		default:
			e := d.logWriteError(ctx, err)
			_ = retry.Sleep(ctx, retryDelay(e, attempt, d.Jitter()))
			attempt++
		}
	}
}

// shutdownGrace is how long a request may go on after shutdown has begun.
const shutdownGrace = 2 * time.Second

// withShutdownGrace makes a context that ends shutdownGrace after ctx. A request that is cut off may have been accepted, and
// would be repeated.
func withShutdownGrace(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(shutdownGrace, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}
