package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"confab/alerting"
	"confab/internal/retry"
)

const (
	cleanUpInterval = time.Minute
	shrinkInterval  = 2 * time.Second
	minTimer        = time.Millisecond
	// searchPause is how many times as long as its last search a channel waits before the next one.
	searchPause = 4
)

// Run delivers until ctx ends. Each channel has its own goroutine, so that a slow one delays no other.
func (d *Dispatcher) Run(ctx context.Context) error {
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	started := make(map[*channel]bool)
	cleanUp := time.NewTicker(cleanUpInterval)
	defer cleanUp.Stop()
	shrink := time.NewTicker(shrinkInterval)
	defer shrink.Stop()
	for {
		d.locked(func() {
			for _, ch := range d.store.channels {
				if !started[ch] {
					started[ch] = true
					deliveries.Go(func() { d.deliverChannel(ctx, ch) })
				}
			}
		})
		select {
		case <-ctx.Done():
			return fmt.Errorf("deliver alerts: %w", ctx.Err())
		case <-d.store.newChannels:
		case <-shrink.C:
			d.shrinkState(ctx)
		case <-cleanUp.C:
			d.cleanUp(ctx)
		}
	}
}

// deliverChannel does the work of one channel, one item at a time, until ctx ends.
func (d *Dispatcher) deliverChannel(ctx context.Context, ch *channel) {
	for ctx.Err() == nil {
		start := d.Now()
		todo, wake := d.nextWork(ch)
		if took := d.Now().Sub(start); todo.priority == noWork {
			d.waitForChange(ctx, ch, wake)
			_ = retry.Sleep(ctx, searchPause*took)
			continue
		}
		e := d.perform(ctx, &todo)
		failed := e != nil && e.Reason != alerting.ReasonRefused // a refusal is about one message only
		failures := 0
		d.locked(func() {
			ch.busy = false
			failures = ch.failures
			if failed {
				ch.failures++
			} else if e == nil {
				ch.failures = 0
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
	msg      *message
	reply    reply
	ended    ended
}

// nextWork brings the channel up to date and starts its next work. Without work, wake is when there will be some.
func (d *Dispatcher) nextWork(ch *channel) (todo workItem, wake time.Time) {
	d.locked(func() {
		now := d.Now()
		d.planner.advance(ch, now)
		sel := d.planner.selectWork(ch, now)
		todo = workItem{priority: sel.best.priority}
		switch todo.priority {
		case noWork:
			wake = sel.wake
			return
		case addReply:
			todo.reply, ch.replies = ch.replies[0], ch.replies[1:]
		case resolveEnded:
			todo.ended, ch.ended = ch.ended[0], ch.ended[1:]
		default:
			todo.msg = d.planner.startWork(&sel.best, now)
		}
		ch.busy = true
	})
	return todo, wake
}

// waitForChange waits until the channel changes or until the given time.
func (d *Dispatcher) waitForChange(ctx context.Context, ch *channel, until time.Time) {
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(max(until.Sub(d.Now()), minTimer))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-ctx.Done():
	case <-ch.changes:
	case <-alarm:
	}
}

// cleanUp drops what has expired and deletes resolved groups.
func (d *Dispatcher) cleanUp(ctx context.Context) {
	d.locked(func() {
		now := d.Now()
		d.store.dropExpired(now)
		d.planner.dropFullLimiters(now)
		d.planner.daily.dropExpired(now)
		if d.store.ready() {
			d.store.queueEnded(now)
		}
	})
	d.deleteOld(ctx)
}

// shrinkState evicts delivered groups of partitions near their limit.
func (d *Dispatcher) shrinkState(ctx context.Context) {
	shrinks := false
	d.locked(func() { shrinks = d.store.ready() && d.store.evictDelivered(d.Now()) })
	if shrinks {
		d.deleteOld(ctx)
	}
}

// deleteOld deletes resolved groups and expired members from the state and its log. After a failure the next clean-up tries
// again.
func (d *Dispatcher) deleteOld(ctx context.Context) {
	var partitions []*partition
	d.locked(func() {
		if d.store.ready() {
			d.planner.setClock(d.Now())
			partitions = slices.Collect(maps.Values(d.store.partitions))
		}
	})
	for _, p := range partitions {
		for more := true; more; {
			err := p.exclusive(ctx, func() error {
				update, err := d.applyUpdate(ctx, p, func() update { return d.store.deleteOld(p, d.Now()) })
				more = len(update.entries) > 0
				return err
			})
			if err != nil && !errors.Is(err, alerting.ErrNotOwned) {
				d.logFailure(ctx, "delete resolved groups", "", &alerting.Error{Class: alerting.Retryable}, err)
				return
			}
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
