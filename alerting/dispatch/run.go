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
	tidyEvery = time.Minute
	shortest  = time.Millisecond
)

// Run tells what there is to tell until ctx ends. Each channel is told apart, so that one that waits holds up no other.
func (d *Dispatcher) Run(ctx context.Context) error {
	var telling sync.WaitGroup
	defer telling.Wait()
	started := make(map[*state.Channel]bool)
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	for {
		d.mu.Lock()
		for _, ch := range d.book.Channels {
			if !started[ch] {
				started[ch] = true
				telling.Go(func() { d.tell(ctx, ch) })
			}
		}
		d.mu.Unlock()
		select {
		case <-ctx.Done():
			return fmt.Errorf("tell alerts: %w", ctx.Err())
		case <-d.book.NewChannels:
		case <-d.book.ShrinkRequests:
			d.shrinkState(ctx)
		case <-tidy.C:
			d.tidy(ctx)
		}
	}
}

// tell tells what there is for one channel, one thing at a time, chosen at that moment.
func (d *Dispatcher) tell(ctx context.Context, ch *state.Channel) {
	for ctx.Err() == nil {
		todo, wake := d.next(ch)
		if todo.urgency == nothing {
			d.await(ctx, ch, wake)
			continue
		}
		e := d.do(ctx, &todo)
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
			sleep(ctx, d.pause(e, failures))
		}
	}
}

// firstOperatorPause is after the first failure that a person must end. Some end by themselves: a minute at once would hold
// up what is urgent.
const firstOperatorPause = 2 * time.Second

// pause is how long a channel waits after a failure.
func (d *Dispatcher) pause(e *alerting.Error, failures int) time.Duration {
	if e.Class == alerting.Operator {
		return min(operatorPause, firstOperatorPause<<min(failures, 10))
	}
	return delay(e, failures, d.Jitter())
}

// work is what a channel does.
type work struct {
	urgency urgency
	msg     *state.Message
	reply   state.Reply
	channel *state.Channel
}

// next takes up what the channel does next. Where there is nothing, wake is when there will be.
func (d *Dispatcher) next(ch *state.Channel) (todo work, wake time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.Now()
	c := d.planner.choose(ch, now)
	todo = work{urgency: c.best.urgency, channel: ch}
	switch todo.urgency {
	case nothing:
		return todo, c.wake
	case addDetail:
		todo.reply, ch.Replies = ch.Replies[0], ch.Replies[1:]
	default:
		todo.msg = d.planner.takeUp(&c.best, now)
	}
	ch.Busy = true
	return todo, time.Time{}
}

// await waits until something changes in the channel, or until the given time.
func (d *Dispatcher) await(ctx context.Context, ch *state.Channel, until time.Time) {
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(max(until.Sub(d.Now()), shortest))
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

// tidy ends groups that are over, partition by partition. What cannot be written now is tried again later.
func (d *Dispatcher) tidy(ctx context.Context) {
	d.mu.Lock()
	now := d.Now()
	d.book.Tidy(now)
	d.planner.tidyBuckets(now)
	d.mu.Unlock()
	d.forget(ctx)
}

// shrinkState makes room in a state that is near its limit, and forgets what did not fit when it was loaded.
func (d *Dispatcher) shrinkState(ctx context.Context) {
	d.mu.Lock()
	now := d.Now()
	shrinks := d.book.EvictDelivered(now) || d.book.HasOverflow()
	d.mu.Unlock()
	if shrinks {
		d.forget(ctx)
	}
}

// forget removes groups that are over, and what did not fit, from the state and its log.
func (d *Dispatcher) forget(ctx context.Context) {
	d.mu.Lock()
	var shelves []*state.Partition
	if d.book.Ready() {
		d.planner.follow(d.Now())
		shelves = slices.Collect(maps.Values(d.book.Partitions))
	}
	d.mu.Unlock()
	for _, s := range shelves {
		err := d.end(ctx, s)
		if err == nil {
			err = d.fold(ctx, s)
		}
		if err != nil {
			d.complain(ctx, "groups that are over were not forgotten and are tried again", "", &alerting.Error{Class: alerting.Retryable}, err)
			return
		}
	}
}

// end forgets the partition's groups that are over.
func (d *Dispatcher) end(ctx context.Context, s *state.Partition) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	for {
		d.mu.Lock()
		todo := d.book.End(s, d.Now())
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

// fold counts the overflow groups of the partition in the groups of their pools, and deletes their records and those of members that
// no longer count. It leaves those of which a message shows a part that its other groups have not left yet.
func (d *Dispatcher) fold(ctx context.Context, s *state.Partition) error {
	if !s.HasLeftovers() {
		return nil
	}
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	for attempt := 0; ; {
		todo, err := d.carryOut(ctx, s, func() state.Update { return d.book.FoldOverflow(s, d.Now()) })
		switch {
		case err == nil && len(todo.Entries) == 0:
			return nil
		case err == nil:
			attempt = 0
		case ctx.Err() != nil || s.Revoked():
			return err
		default: // it may have been written: nobody writes in between
			e := d.unwritten(ctx, err)
			sleep(ctx, delay(e, attempt, d.Jitter()))
			attempt++
		}
	}
}

// lingerTime and settleTimeout are what an orderly end may take.
const lingerTime = 2 * time.Second

// linger is a context that ends a little after ctx: a post that has begun is not cut off when the process is told to stop,
// because what is cut off may have been told, and would be told again.
func linger(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lingerTime, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}
