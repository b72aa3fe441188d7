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

	budgetRatio = 0.1 // retries per call
	budgetBurst = 10  // maximum and initial number of retries
)

// callWithRetries makes a call with retries. It returns the body of the last reply, also of a refusal, and the number of
// attempts.
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
		// The jitter is added to Retry-After, so that clients with the same value do not return together.
		if retry.Sleep(ctx, failure.wait+retryBackoff().Wait(attempts-1, rand.Float64())) != nil {
			break
		}
	}
	if ctx.Err() != nil && failure.cause == nil { // it ended during the wait
		failure = canceledError(job.op, ctx.Err())
	}
	return body, attempts, failure
}

func retryBackoff() retry.Backoff { return retry.Backoff{Initial: time.Second, Max: 30 * time.Second} }

// deadlineAllows reports whether a wait ends before the caller's deadline; if not, the error is returned at once.
func deadlineAllows(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// retryBudget limits retries to a tenth of the calls, plus a burst, so that a failing server does not receive a multiple
// of the requests.
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
