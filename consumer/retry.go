package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"confab/internal/retry"
)

// Stages and reasons of the loop's own dead letters.
const (
	StageDecode  = "decode"
	StageHandle  = "handle"
	StagePublish = "publish"

	ReasonTooLarge = "too_large"
	ReasonPanic    = "panic"

	// ReasonCrashSuspect means that processes ended while they worked on the record.
	ReasonCrashSuspect = "crash_suspect"
)

// logEvery is the least time between two logs of the same condition.
const logEvery = time.Minute

// retryAfter is implemented by errors that know when to retry.
type retryAfter interface{ RetryAfter() time.Duration }

// backoff waits before the next attempt at the batch of p; false when the partition was halted meanwhile.
func (l *Loop[T]) backoff(p *partition[T], attempt int, err error) bool {
	l.metrics.CountRetry(string(p.phase))
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

// panicked counts and logs a recovered panic. The stack holds no text of a record; the panic's value may.
func (l *Loop[T]) panicked(in string, v any) {
	l.metrics.CountPanic(in)
	if l.logThrottle.Allow("panic " + in) {
		l.opts.Logger.Error("panic recovered", slog.String("in", in), slog.Any("error", panicError(v)),
			slog.String("stack", string(debug.Stack())))
	}
}

// panicError converts a panic's value. Only the runtime's own errors keep their text: any other may quote a record.
func panicError(v any) error {
	var rt runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &rt) {
		return fmt.Errorf("panic: %w", rt)
	}
	return fmt.Errorf("panic: %T", v)
}
