package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"confab/internal/retry"
)

const (
	maxRetryAfter = time.Minute

	budgetRatio = 0.1 // retries a call earns
	budgetBurst = 10  // retries in hand at most, and at the start
)

// callWithRetries makes a call, again where that may help, and returns the body of the last reply, a refusal's too, and the
// number of attempts.
func (c *Client) callWithRetries(ctx context.Context, job apiCall) (body []byte, attempts int, failure *Error) {
	c.budget.earn()
	for {
		attempts++
		if body, failure = c.attemptOnce(ctx, job); failure == nil {
			return body, attempts, nil
		}
		if !failure.shouldRetry(attempts) || attempts > c.retries || !deadlineAllows(ctx, failure.wait) || !c.budget.spend() {
			break
		}
		// The jitter comes on top of what the server asked for: clients that were told the same time must not return together.
		if retry.Sleep(ctx, failure.wait+retryBackoff().Wait(attempts-1, rand.Float64())) != nil {
			break
		}
	}
	if ctx.Err() != nil && failure.cause == nil { // it ended while waiting
		failure = canceledError(job.op, ctx.Err())
	}
	return body, attempts, failure
}

// retryBackoff is the wait between attempts.
func retryBackoff() retry.Backoff { return retry.Backoff{Initial: time.Second, Max: 30 * time.Second} }

// deadlineAllows says whether the caller's time allows a wait; if not, the reason is worth more now than the end of the time later.
func deadlineAllows(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// retryBudget keeps a server that fails from being asked several times as often as one that works: a call earns a tenth
// of a retry, and a retry costs one.
type retryBudget struct {
	mu   sync.Mutex
	have float64
}

func newRetryBudget() *retryBudget { return &retryBudget{have: budgetBurst} }

func (b *retryBudget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.have = min(b.have+budgetRatio, budgetBurst)
}

func (b *retryBudget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.have < 1 {
		return false
	}
	b.have--
	return true
}
