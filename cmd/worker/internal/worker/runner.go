package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"confab/consumer"
)

// alertRunner is the loop of the alert role and what works beside it.
type alertRunner struct {
	loop runner
	// tell is the dispatcher's Run. It ends before the loop does: what it is about to write is written while the
	// partitions are still ours.
	tell   func(ctx context.Context) error
	beside []func(ctx context.Context) error // followers and servers of clicks
	grace  time.Duration                     // for tell to end
}

// errLate says that telling did not end in time.
var errLate = errors.New("a sink did not return within the grace period")

// Run implements runner.
func (a *alertRunner) Run(ctx context.Context) error {
	telling, stopTelling := context.WithCancel(ctx)
	defer stopTelling()
	looping, stopLoop := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoop()
	var side sync.WaitGroup
	errs := make(chan error, len(a.beside)+1)
	told := make(chan struct{})
	go func() {
		defer close(told)
		if err := a.tell(telling); err != nil && telling.Err() == nil {
			errs <- fmt.Errorf("tell alerts: %w", err)
			stopTelling()
		}
	}()
	for _, f := range a.beside {
		side.Go(func() {
			if err := f(telling); err != nil && telling.Err() == nil {
				errs <- err
				stopTelling()
			}
		})
	}
	side.Go(func() {
		<-telling.Done()
		within(told, a.grace)
		stopLoop()
	})
	err := a.loop.Run(looping)
	stopTelling()
	side.Wait()
	if !within(told, 0) { // it has had its time
		err = errors.Join(err, errLate)
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

// Ready implements runner.
func (a *alertRunner) Ready() bool { return a.loop.Ready() }

// Progress implements runner.
func (a *alertRunner) Progress() consumer.Progress { return a.loop.Progress() }

// within says whether done is closed in time.
func within(done <-chan struct{}, limit time.Duration) bool {
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
