package dispatch

import (
	"time"

	"confab/schemas"
)

// bucketKey is who shares a token bucket.
type bucketKey struct {
	pool string
	lane schemas.Severity
}

// bucket holds the tokens for new messages.
type bucket struct {
	tokens float64
	at     time.Time
}

const rounding = 1e-6 // of a token

// tokens is how many whole new messages the pool may cause now, and when there will be one more.
func (pl *planner) tokens(k bucketKey, now time.Time) (int, time.Time) {
	held, ok := pl.buckets[k]
	if !ok {
		return pl.store.Options.NewMessages.Burst, now
	}
	pl.fill(held, now)
	whole := int(held.tokens + rounding)
	missing := 1 - (held.tokens - float64(whole))
	return whole, held.at.Add(time.Duration(missing * float64(pl.store.Options.NewMessages.Every)))
}

func (pl *planner) fill(held *bucket, now time.Time) {
	if now.After(held.at) {
		held.tokens += float64(now.Sub(held.at)) / float64(pl.store.Options.NewMessages.Every)
		held.tokens = min(held.tokens, float64(pl.store.Options.NewMessages.Burst))
		held.at = now
	}
}

// take takes a token.
func (pl *planner) take(k bucketKey, now time.Time) {
	held, ok := pl.buckets[k]
	if !ok {
		held = &bucket{tokens: float64(pl.store.Options.NewMessages.Burst), at: now}
		pl.buckets[k] = held
	}
	pl.fill(held, now)
	held.tokens--
}

// tidyBuckets forgets buckets that are full, which is what an unknown one is.
func (pl *planner) tidyBuckets(now time.Time) {
	for k, held := range pl.buckets {
		pl.fill(held, now)
		if held.tokens >= float64(pl.store.Options.NewMessages.Burst) {
			delete(pl.buckets, k)
		}
	}
}
