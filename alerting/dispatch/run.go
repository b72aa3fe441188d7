package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"confab/alerting"
	"confab/internal/retry"
	"confab/schemas"
)

const (
	cleanUpInterval = time.Minute
	minTimer        = time.Millisecond

	operatorPause      = time.Minute // between attempts after a failure that a person must fix
	firstOperatorPause = 2 * time.Second
	recordTimeout      = 3 * time.Second // to record a sent message during shutdown
)

// Run delivers until ctx ends. Each channel has its own goroutine, so that a slow one delays no other.
func (d *Dispatcher) Run(ctx context.Context) error {
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	started := make(map[*channel]bool)
	cleanUp := time.NewTicker(cleanUpInterval)
	defer cleanUp.Stop()
	for {
		var late <-chan time.Time
		if next := d.expire(ctx); !next.IsZero() {
			late = time.After(max(next.Sub(d.Now()), minTimer))
		}
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
		case <-d.store.newWaiting:
		case <-late:
		case <-cleanUp.C:
			d.cleanUp(ctx)
		}
	}
}

// deliverChannel does the work of one channel, one item at a time, until ctx ends.
func (d *Dispatcher) deliverChannel(ctx context.Context, ch *channel) {
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

// pauseAfter is how long to wait after a failure: what the sink asked for, or capped exponential backoff with full jitter.
// Some failures that a person must fix pass by themselves, so that pause starts short.
func (d *Dispatcher) pauseAfter(e *alerting.Error, failures int) time.Duration {
	if e.Class == alerting.Operator {
		return min(operatorPause, firstOperatorPause<<min(failures, 10))
	}
	backoff := retry.Backoff{Initial: 500 * time.Millisecond, Max: time.Minute}
	wait := backoff.Wait(failures, d.Jitter())
	if e.After > 0 {
		return e.After + min(wait, backoff.Initial)
	}
	return wait
}

// nextWork brings the channel up to date and returns its next work. Without work, wake is when there will be some.
func (d *Dispatcher) nextWork(ch *channel) (todo workItem, wake time.Time) {
	d.locked(func() {
		if !d.store.ready() {
			return
		}
		now := d.Now()
		silenced := d.planner.advance(ch, now)
		todo, wake = d.planner.next(ch, now)
		wake = earliest(silenced, wake)
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
		maps.DeleteFunc(d.store.silences, func(_ string, silence schemas.Silence) bool { return !now.Before(silence.Until) })
		maps.DeleteFunc(d.planner.limiters, func(_ limiterKey, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(l.Burst()) })
	})
	d.deleteOld(ctx)
}

// deleteOld deletes resolved groups and expired members from the state and its log. After a failure the next clean-up tries
// again.
func (d *Dispatcher) deleteOld(ctx context.Context) {
	var partitions []*partition
	d.locked(func() {
		if d.store.ready() {
			d.store.attachLoaded(d.Now())
			partitions = slices.Collect(maps.Values(d.store.partitions))
		}
	})
	for _, p := range partitions {
		for more := true; more; {
			done, err := d.update(ctx, p, func() update { return d.store.deleteOld(p, d.Now()) })
			if more = len(done.entries) > 0; err != nil && !errors.Is(err, alerting.ErrNotOwned) {
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
