package consumer

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"confab/internal/retry"
)

// logEvery is the least time between two logs of the same condition.
const logEvery = time.Minute

// retryAfter is implemented by errors that know when to retry.
type retryAfter interface{ RetryAfter() time.Duration }

// backoff waits before the next attempt at the batch of p; false when the partition was halted meanwhile.
func (l *Loop[T]) backoff(p *partition[T], attempt int, err error) bool {
	l.metrics.Retries.WithLabelValues(string(p.phase)).Inc()
	wait := retry.Backoff{Initial: l.opts.RetryInitial, Max: l.opts.RetryMax}.Wait(attempt-1, rand.Float64())
	var hint retryAfter
	if errors.As(err, &hint) {
		wait = max(wait, hint.RetryAfter())
	}
	if l.retryLogThrottle.Allow(p.ID) {
		l.opts.Logger.Warn("process batch failed, retrying",
			slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
			slog.String("phase", string(p.phase)), slog.Int("attempt", attempt), slog.Any("error", err))
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.Stop:
		return false
	}
}
