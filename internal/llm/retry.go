package llm

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstPause    = 500 * time.Millisecond // the mean; full jitter makes it 0 to 1 s
	longestPause  = 15 * time.Second       // the mean of the longest
	maxRetryAfter = time.Minute

	budgetRatio = 0.1 // retries a call earns
	budgetBurst = 10  // retries in hand at most, and at the start
)

// exchange makes a call, again where that may help, and returns the body of the last reply, a refusal's too, and the
// number of attempts.
func (c *Client) exchange(ctx context.Context, job call) (body []byte, attempts int, failure *Error) {
	c.budget.earn()
	pace := newPace()
	try := func() (struct{}, error) {
		attempts++
		if body, failure = c.attempt(ctx, job); failure == nil {
			return struct{}{}, nil
		}
		if !failure.again(attempts) || attempts > c.retries || !timeFor(ctx, failure.wait) || !c.budget.spend() {
			return struct{}{}, backoff.Permanent(failure)
		}
		pace.asked = failure.wait
		return struct{}{}, failure
	}
	_, err := backoff.Retry(ctx, try, backoff.WithBackOff(pace), backoff.WithMaxElapsedTime(0))
	if err == nil {
		return body, attempts, nil
	}
	if ctx.Err() != nil && failure.cause == nil { // it ended while waiting
		failure = abandoned(job.op, ctx.Err())
	}
	return body, attempts, failure
}

// timeFor says whether the caller's time allows a wait; if not, the reason is worth more now than the end of the time later.
func timeFor(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// pace is exponential backoff with full jitter, on top of what the server asked for: those who were told the same time
// do not come back at the same time.
type pace struct {
	*backoff.ExponentialBackOff
	asked time.Duration
}

func newPace() *pace {
	return &pace{ExponentialBackOff: &backoff.ExponentialBackOff{
		InitialInterval: firstPause, RandomizationFactor: 1, Multiplier: 2, MaxInterval: longestPause,
	}}
}

// NextBackOff is the time to wait before the next attempt.
func (p *pace) NextBackOff() time.Duration { return p.asked + p.ExponentialBackOff.NextBackOff() }

// retryAfter reads the header: seconds, or a date, held against the reply's own date where it has one since clocks
// differ. What cannot be read is no wish.
func retryAfter(v, date string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(v, 64); err == nil { // some servers send fractions
		if !(n > 0) {
			return 0
		}
		return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	until, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(date); err == nil {
		now = sent
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
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
