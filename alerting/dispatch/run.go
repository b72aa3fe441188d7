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

// Run tells what there is to tell until ctx ends. Each channel is told apart, so that one that waits holds up no other.
func (d *Dispatcher) Run(ctx context.Context) error {
	var telling sync.WaitGroup
	defer telling.Wait()
	started := make(map[*state.Channel]bool)
	tidy := time.NewTicker(cleanUpInterval)
	defer tidy.Stop()
	for {
		d.mu.Lock()
		for _, ch := range d.store.Channels {
			if !started[ch] {
				started[ch] = true
				telling.Go(func() { d.deliverChannel(ctx, ch) })
			}
		}
		d.mu.Unlock()
		select {
		case <-ctx.Done():
			return fmt.Errorf("tell alerts: %w", ctx.Err())
		case <-d.store.NewChannels:
		case <-d.store.ShrinkRequests:
			d.shrinkState(ctx)
		case <-tidy.C:
			d.cleanUp(ctx)
		}
	}
}

// deliverChannel tells what there is for one channel, one thing at a time, chosen at that moment.
func (d *Dispatcher) deliverChannel(ctx context.Context, ch *state.Channel) {
	for ctx.Err() == nil {
		todo, wake := d.nextWork(ch)
		if todo.priority == noWork {
			d.waitForChange(ctx, ch, wake)
			continue
		}
		e := d.perform(ctx, &todo)
		d.mu.Lock()
		ch.Busy = false
		failures := ch.Failures
		switch {
		case e == nil:
			ch.Failures = 0
		case e.Reason != alerting.ReasonRefused: // which is about that message alone
			ch.Failures++
		}
		d.mu.Unlock()
		if e != nil && e.Reason != alerting.ReasonRefused {
			sleep(ctx, d.pauseAfter(e, failures))
		}
	}
}

// firstOperatorPause is after the first failure that a person must end. Some end by themselves: a minute at once would hold
// up what is urgent.
const firstOperatorPause = 2 * time.Second

// pauseAfter is how long a channel waits after a failure.
func (d *Dispatcher) pauseAfter(e *alerting.Error, failures int) time.Duration {
	if e.Class == alerting.Operator {
		return min(operatorPause, firstOperatorPause<<min(failures, 10))
	}
	return retryDelay(e, failures, d.Jitter())
}

// workItem is what a channel does.
type workItem struct {
	priority priority
	msg      *state.Message
	reply    state.Reply
	channel  *state.Channel
}

// nextWork takes up what the channel does next. Where there is nothing, wake is when there will be.
func (d *Dispatcher) nextWork(ch *state.Channel) (todo workItem, wake time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.Now()
	c := d.planner.selectWork(ch, now)
	todo = workItem{priority: c.best.priority, channel: ch}
	switch todo.priority {
	case noWork:
		return todo, c.wake
	case addReply:
		todo.reply, ch.Replies = ch.Replies[0], ch.Replies[1:]
	default:
		todo.msg = d.planner.startWork(&c.best, now)
	}
	ch.Busy = true
	return todo, time.Time{}
}

// waitForChange waits until something changes in the channel, or until the given time.
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

func sleep(ctx context.Context, pause time.Duration) { _ = retry.Sleep(ctx, pause) }

// cleanUp ends groups that are over, partition by partition. What cannot be written now is tried again later.
func (d *Dispatcher) cleanUp(ctx context.Context) {
	d.mu.Lock()
	now := d.Now()
	d.store.DropExpired(now)
	d.planner.tidyBuckets(now)
	d.mu.Unlock()
	d.deleteLeftovers(ctx)
}

// shrinkState makes room in a state that is near its limit, and forgets what did not fit when it was loaded.
func (d *Dispatcher) shrinkState(ctx context.Context) {
	d.mu.Lock()
	now := d.Now()
	shrinks := d.store.EvictDelivered(now) || d.store.HasOverflow()
	d.mu.Unlock()
	if shrinks {
		d.deleteLeftovers(ctx)
	}
}

// deleteLeftovers removes groups that are over, and what did not fit, from the state and its log.
func (d *Dispatcher) deleteLeftovers(ctx context.Context) {
	d.mu.Lock()
	var shelves []*state.Partition
	if d.store.Ready() {
		d.planner.setClock(d.Now())
		shelves = slices.Collect(maps.Values(d.store.Partitions))
	}
	d.mu.Unlock()
	for _, s := range shelves {
		err := d.deleteResolved(ctx, s)
		if err == nil {
			err = d.foldOverflow(ctx, s)
		}
		if err != nil {
			d.logFailure(ctx, "groups that are over were not forgotten and are tried again", "", &alerting.Error{Class: alerting.Retryable}, err)
			return
		}
	}
}

// deleteResolved forgets the partition's groups that are over.
func (d *Dispatcher) deleteResolved(ctx context.Context, s *state.Partition) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	for {
		d.mu.Lock()
		todo := d.store.DeleteResolved(s, d.Now())
		d.mu.Unlock()
		if len(todo.Entries) == 0 || s.Revoked() {
			return nil
		}
		if err := s.Put(ctx, todo.Entries...); err != nil {
			return err
		}
		d.mu.Lock()
		if !s.Revoked() {
			todo.Apply()
		}
		d.mu.Unlock()
	}
}

// foldOverflow counts the overflow groups of the partition in the groups of their pools, and deletes their records and those of members that
// no longer count. It leaves those of which a message shows a part that its other groups have not left yet.
func (d *Dispatcher) foldOverflow(ctx context.Context, s *state.Partition) error {
	if !s.HasLeftovers() {
		return nil
	}
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	for attempt := 0; ; {
		todo, err := d.applyUpdate(ctx, s, func() state.Update { return d.store.FoldOverflow(s, d.Now()) })
		switch {
		case err == nil && len(todo.Entries) == 0:
			return nil
		case err == nil:
			attempt = 0
		case ctx.Err() != nil || s.Revoked():
			return err
		default: // it may have been written: nobody writes in between
			e := d.logWriteError(ctx, err)
			sleep(ctx, retryDelay(e, attempt, d.Jitter()))
			attempt++
		}
	}
}

// shutdownGrace and recordTimeout are what an orderly end may take.
const shutdownGrace = 2 * time.Second

// withShutdownGrace is a context that ends a little after ctx: a post that has begun is not cut off when the process is told to stop,
// because what is cut off may have been told, and would be told again.
func withShutdownGrace(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(shutdownGrace, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}
