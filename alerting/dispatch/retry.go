package dispatch

import (
	"log/slog"
	"time"

	"confab/alerting"
	"confab/internal/retry"
)

const (
	operatorPause = time.Minute     // between attempts after a failure that a person must fix
	logInterval   = time.Minute     // between log lines
	recordTimeout = 3 * time.Second // to record a sent message during shutdown
)

// retryDelay is how long to wait after a failure: operatorPause if a person must fix it, what the sink asked for, or capped
// exponential backoff with full jitter. jitter is in [0, 1).
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

// logLevel is error for failures that a person must fix.
func logLevel(e *alerting.Error) slog.Level {
	if e.Class == alerting.Operator {
		return slog.LevelError
	}
	return slog.LevelWarn
}
