package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/consumer"
	"confab/internal/worker/config"
)

// A shutdown has one deadline, shutdown_grace after the worker is asked to stop. The roles end closingTime before it; the
// admin server, the budget and the producer are closed in the rest.

// closingTime is the part of the grace period in which the rest is closed after the roles.
func closingTime(c *config.Config) time.Duration { return min(3*time.Second, c.ShutdownGrace/5) }

// roleGrace is the part of the grace period in which the roles must end.
func roleGrace(c *config.Config) time.Duration { return c.ShutdownGrace - closingTime(c) }

// stopTime is the time to close one of the things that are closed after the roles.
func stopTime(c *config.Config) time.Duration { return closingTime(c) / 3 }

// deliveryGrace is the part of roleGrace for messages in progress, before the alert role gives up its partitions.
func deliveryGrace(c *config.Config) time.Duration { return min(maxDeliveryGrace, roleGrace(c)/4) }

var errShutdown = errors.New("shutdown did not end within shutdown_grace: unfinished work is repeated after the restart")

// runWithGrace returns the result of f, or errShutdown when the limit has passed since the end of ctx. Then f still runs: the
// process is about to end.
func (w *worker) runWithGrace(ctx context.Context, limit time.Duration, f func() error) error {
	late, cancel := consumer.WithGrace(ctx, limit)
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
		w.Logger.ErrorContext(ctx, "shutdown did not end in time", "grace", limit.String())
		return fmt.Errorf("%w (now %s)", errShutdown, limit)
	}
}

// runWatchdog returns an error when a role is stuck. A stuck handler would keep its partitions, since its client still sends
// heartbeats, and without an orchestrator no probe restarts the process.
func (w *worker) runWatchdog(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		for _, r := range w.roles {
			if err := r.alive(w.Now(), w.Config.Watchdog); err != nil {
				return fmt.Errorf("watchdog: %w: restart the process", err)
			}
		}
	}
}
