package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"confab/consumer"
)

// alertLoop runs the consumer loop of the alert role together with its dispatcher and its background work.
type alertLoop struct {
	loop roleLoop
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
	err := a.loop.Run(loopCtx)
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

// Ready implements roleLoop.
func (a *alertLoop) Ready() bool { return a.loop.Ready() }

// Progress implements roleLoop.
func (a *alertLoop) Progress() consumer.Progress { return a.loop.Progress() }

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
