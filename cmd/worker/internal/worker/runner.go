package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"confab/consumer"
)

// alertLoop is the loop of the alert role and what works beside it.
type alertLoop struct {
	loop roleLoop
	// tell is the dispatcher's Run. It ends before the loop does: what it is about to write is written while the
	// partitions are still ours.
	deliver    func(ctx context.Context) error
	background []func(ctx context.Context) error // followers and servers of clicks
	grace      time.Duration                     // for tell to end
}

// errSinkLate says that telling did not end in time.
var errSinkLate = errors.New("a sink did not return within the grace period")

// Run implements runner.
func (a *alertLoop) Run(ctx context.Context) error {
	telling, stopTelling := context.WithCancel(ctx)
	defer stopTelling()
	looping, stopLoop := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoop()
	var side sync.WaitGroup
	errs := make(chan error, len(a.background)+1)
	told := make(chan struct{})
	go func() {
		defer close(told)
		if err := a.deliver(telling); err != nil && telling.Err() == nil {
			errs <- fmt.Errorf("tell alerts: %w", err)
			stopTelling()
		}
	}()
	for _, f := range a.background {
		side.Go(func() {
			if err := f(telling); err != nil && telling.Err() == nil {
				errs <- err
				stopTelling()
			}
		})
	}
	side.Go(func() {
		<-telling.Done()
		closedWithin(told, a.grace)
		stopLoop()
	})
	err := a.loop.Run(looping)
	stopTelling()
	side.Wait()
	if !closedWithin(told, 0) { // it has had its time
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

// Ready implements runner.
func (a *alertLoop) Ready() bool { return a.loop.Ready() }

// Progress implements runner.
func (a *alertLoop) Progress() consumer.Progress { return a.loop.Progress() }

// closedWithin says whether done is closed in time.
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
