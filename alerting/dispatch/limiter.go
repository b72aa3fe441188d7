package dispatch

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"confab/schemas"
)

// limiterKey names the new messages that share a token bucket.
type limiterKey struct {
	pool     string
	severity schemas.Severity
}

// tokens returns how many new messages the pool may post now, and when there will be one more.
func (pl *workPlanner) tokens(k limiterKey, now time.Time) (whole int, more time.Time) {
	o := pl.store.options.NewMessages
	l, ok := pl.limiters[k]
	if !ok {
		return o.Burst, now
	}
	held := l.TokensAt(now)
	floor := math.Floor(held)
	return int(floor), now.Add(time.Duration(math.Ceil((1 - held + floor) * float64(o.Every))))
}

// takeToken uses up a token. The caller has seen that there is one.
func (pl *workPlanner) takeToken(k limiterKey, now time.Time) {
	l, ok := pl.limiters[k]
	if !ok {
		o := pl.store.options.NewMessages
		l = rate.NewLimiter(rate.Every(o.Every), o.Burst)
		pl.limiters[k] = l
	}
	l.AllowN(now, 1)
}

// dropFullLimiters removes full token buckets. A missing one counts as full.
func (pl *workPlanner) dropFullLimiters(now time.Time) {
	for k, l := range pl.limiters {
		if l.TokensAt(now) >= float64(l.Burst()) {
			delete(pl.limiters, k)
		}
	}
}
