package alerting

import (
	"time"

	"confab/schemas"
)

// bucketKey is who shares a token bucket.
type bucketKey struct {
	pool string
	lane schemas.Lane
}

// bucket holds the tokens for new messages.
type bucket struct {
	tokens float64
	at     time.Time
}

const rounding = 1e-6 // of a token

// tokens is how many whole new messages the pool may cause now, and when there will be one more.
func (b *book) tokens(k bucketKey, now time.Time) (int, time.Time) {
	held, ok := b.buckets[k]
	if !ok {
		return b.opts.NewMessages.Burst, now
	}
	b.fill(held, now)
	whole := int(held.tokens + rounding)
	missing := 1 - (held.tokens - float64(whole))
	return whole, held.at.Add(time.Duration(missing * float64(b.opts.NewMessages.Every)))
}

func (b *book) fill(held *bucket, now time.Time) {
	if now.After(held.at) {
		held.tokens += float64(now.Sub(held.at)) / float64(b.opts.NewMessages.Every)
		held.tokens = min(held.tokens, float64(b.opts.NewMessages.Burst))
		held.at = now
	}
}

// take takes a token.
func (b *book) take(k bucketKey, now time.Time) {
	held, ok := b.buckets[k]
	if !ok {
		held = &bucket{tokens: float64(b.opts.NewMessages.Burst), at: now}
		b.buckets[k] = held
	}
	b.fill(held, now)
	held.tokens--
}

// tidyBuckets forgets buckets that are full, which is what an unknown one is.
func (b *book) tidyBuckets(now time.Time) {
	for k, held := range b.buckets {
		b.fill(held, now)
		if held.tokens >= float64(b.opts.NewMessages.Burst) {
			delete(b.buckets, k)
		}
	}
}
