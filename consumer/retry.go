package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"confab/internal/retry"
)

// The stages and reasons that the loop itself gives to dead letters.
const (
	StageDecode   = "decode"
	StageValidate = "validate"
	StageHandle   = "handle"
	StagePublish  = "publish"

	ReasonTooLarge = "too_large"
	ReasonPanic    = "panic"

	// ReasonCrashSuspect says that processes ended while they worked on the record.
	ReasonCrashSuspect = "crash_suspect"
)

// logEvery is how often a partition that cannot go on says so.
const logEvery = time.Minute

// retryAfter is implemented by errors that know when trying again makes sense.
type retryAfter interface{ RetryAfter() time.Duration }

// backoff waits before the next attempt at the batch of p and reports whether there is to be one: false when the
// partition was halted meanwhile.
func (l *Loop[T]) backoff(p *partition[T], attempt int, err error) bool {
	l.metrics.retry(p.phase)
	wait := retry.Backoff{Initial: l.opts.RetryInitial, Max: l.opts.RetryMax}.Wait(attempt-1, rand.Float64())
	var hint retryAfter
	if errors.As(err, &hint) {
		wait = max(wait, hint.RetryAfter())
	}
	if l.retryLogThrottle.allow(p.ID) {
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

// panicked counts and reports a panic that was recovered. A Go stack holds no record text, the panic's value may.
func (l *Loop[T]) panicked(in string, v any) {
	l.metrics.panicked(in)
	if l.logThrottle.allow("panic " + in) {
		l.opts.Logger.Error("panic recovered", slog.String("in", in), slog.Any("error", panicError(v)),
			slog.String("stack", string(debug.Stack())))
	}
}

// panicError describes a panic. Only the runtime's own text is kept: any other may quote a record.
func panicError(v any) error {
	var rt runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &rt) {
		return fmt.Errorf("panic: %w", rt)
	}
	return fmt.Errorf("panic: %T", v)
}

// eventThrottle lets one event per key and interval through.
type eventThrottle[K comparable] struct {
	every time.Duration
	mu    sync.Mutex
	last  map[K]time.Time
}

// allow reports whether the event is to be let through. Keys come from small sets: partitions and fixed words.
func (t *eventThrottle[K]) allow(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if last, ok := t.last[key]; ok && now.Sub(last) < t.every {
		return false
	}
	if t.last == nil {
		t.last = make(map[K]time.Time)
	}
	t.last[key] = now
	return true
}
