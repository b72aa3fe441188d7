package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/cmd/worker/internal/config"
	"confab/consumer"
)

// A shutdown has one deadline, shutdown_grace after the worker is told to stop. The roles end before it, by closingTime;
// what follows them (the admin server, the budget, the producer) shares that.

// closingTime is the end of the grace period that the roles leave to what is closed after them.
func closingTime(c *config.Config) time.Duration { return min(3*time.Second, c.ShutdownGrace/5) }

// roleGrace is the time that roles have to end.
func roleGrace(c *config.Config) time.Duration { return c.ShutdownGrace - closingTime(c) }

// StopTime is the time that one of the things closed after the roles has.
func stopTime(c *config.Config) time.Duration { return closingTime(c) / 3 }

// deliveryGrace is the part of roleGrace that messages under way may take, before the alert role's partitions are given up.
func deliveryGrace(c *config.Config) time.Duration { return min(maxDeliveryGrace, roleGrace(c)/4) }

// errShutdown says that the grace period was over before the worker was closed.
var errShutdown = errors.New("shutdown did not end within shutdown_grace: what was in work is done again after the restart")

// runWithGrace returns what f does, or errShutdown when grace has passed since the end of ctx. Then f is left behind: the
// process is about to end.
func (w *worker) runWithGrace(ctx context.Context, grace time.Duration, f func() error) error {
	late, cancel := consumer.WithGrace(ctx, grace)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-late.Done():
	}
	select {
	case err := <-done:
		return err
	default:
		w.Logger.ErrorContext(ctx, "shutdown did not end in time", "grace", grace.String())
		return fmt.Errorf("%w (now %s)", errShutdown, grace)
	}
}
