package consumer

import (
	"context"
	"time"
)

// maxReserve bounds reserveOf.
const maxGraceReserve = 8 * time.Second

// WithGrace returns a context that ends grace after ctx ends, or when the returned function is called.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-later.Done():
		}
	})
	return later, func() { stop(); cancel() }
}

// reserveOf is the part of the grace period that is reserved for handlers whose context was canceled and for the final
// steps.
func reserveOf(grace time.Duration) time.Duration { return min(maxGraceReserve, grace/2) }

// stepTime is the least time for each final step: commit, direct commit, close the client, leave the group.
func stepTime(grace time.Duration) time.Duration { return reserveOf(grace) / 8 }
