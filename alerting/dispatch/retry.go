package dispatch

import (
	"log/slog"
	"time"

	"confab/alerting"
	"confab/internal/retry"
)

const (
	operatorPause = time.Minute     // between attempts that only a person can make succeed
	logInterval   = time.Minute     // one line a minute, whoever waits
	recordTimeout = 3 * time.Second // to remember a sent alert when the process is told to stop
)

// retryDelay is how long to wait after a failure: what the sink asked for, a slow beat where a person must act, and else
// capped exponential backoff with full jitter. jitter is in [0, 1).
func retryDelay(e *alerting.Error, attempt int, jitter float64) time.Duration {
	if e.Class == alerting.Operator {
		return operatorPause
	}
	backoff := retry.Backoff{Initial: 500 * time.Millisecond, Max: time.Minute}
	wait := backoff.Wait(attempt, jitter)
	if e.After > 0 {
		return e.After + min(wait, backoff.Initial)
	}
	return wait
}

// logLevel is an error where a person must act.
func logLevel(e *alerting.Error) slog.Level {
	if e.Class == alerting.Operator {
		return slog.LevelError
	}
	return slog.LevelWarn
}
