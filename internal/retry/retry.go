// Package retry computes how long to wait before another attempt: capped exponential backoff with full jitter, and the
// time that a server asks for. Whether there is to be another attempt is the caller's decision.
package retry

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Backoff is capped exponential backoff with full jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture
// Blog, 2015).
type Backoff struct {
	Initial time.Duration // upper bound of the first wait
	Max     time.Duration // upper bound of every wait
}

// Limit returns the upper bound of the wait after so many earlier ones: Initial × 2^earlier, at most Max.
func (b Backoff) Limit(earlier int) time.Duration {
	if limit := b.Initial << min(earlier, 62); limit>>min(earlier, 62) == b.Initial && limit < b.Max {
		return limit
	}
	return b.Max
}

// Wait returns the share of Limit that random, a number in [0, 1), gives.
func (b Backoff) Wait(earlier int, random float64) time.Duration {
	return time.Duration(random * float64(b.Limit(earlier)))
}

// ParseAfter returns the wait that a Retry-After header asks for, from 0 to limit. Its value is a number of seconds, which
// may be a fraction, or a date. A date is compared with the reply's own Date header, since clocks differ; where that cannot
// be read, with now, unless it is zero. False means that the header cannot be read.
func ParseAfter(value, date string, now time.Time, limit time.Duration) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(value, 64); !math.IsNaN(n) && (err == nil || n > 0) { // out of range is an infinite number and an error
		return time.Duration(min(max(n, 0), limit.Seconds()) * float64(time.Second)), true
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(date); err == nil {
		now = sent
	}
	if now.IsZero() {
		return 0, false
	}
	return min(max(until.Sub(now), 0), limit), true
}

// Sleep waits for d and returns nil, or returns the context's error as soon as it ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
