package httpsend

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultInterval = time.Second // Slack's limit: about one message a second and channel
)

// Options are what all ways of posting over HTTP share.
type Options struct {
	// Timeout of one attempt, from the request to the end of the reply. Default: 10 s.
	Timeout time.Duration
	// Interval between two messages of one channel. Default: 1 s, Slack's limit. Negative: no pacing.
	Interval time.Duration
	// Transport overrides the HTTP transport, for tests.
	Transport http.RoundTripper
}

// Sender is the HTTP side of posting: one attempt each, paced by lane, with errors in our own words.
type Sender struct {
	HTTP     *http.Client
	timeout  time.Duration
	interval time.Duration
	advice   Advice

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // channels, and methods that have a limit of their own; both are few
}

// New makes a sender; words explain its failures.
func New(opts Options, words Advice) *Sender {
	s := &Sender{
		timeout: opts.Timeout, interval: opts.Interval, advice: words,
		limiters: make(map[string]*rate.Limiter),
	}
	if s.timeout <= 0 {
		s.timeout = defaultTimeout
	}
	if s.interval == 0 {
		s.interval = defaultInterval
	}
	base := opts.Transport
	if base == nil {
		base = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			TLSHandshakeTimeout:    s.timeout,
			MaxResponseHeaderBytes: 64 << 10,
		}
	}
	s.HTTP = &http.Client{
		Transport: boundedTransport{base},
		// A redirect would carry the message, or the token, to a host nobody configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// Close ends idle connections.
func (s *Sender) Close() { s.HTTP.CloseIdleConnections() }

// ShareLimit makes two names of one channel share its turns.
func (s *Sender) ShareLimit(name, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lane, ok := s.limiters[name]; ok && name != id {
		s.limiters[id] = lane
	}
}

// Limit is a request's turn among those of one channel, or of one method.
type Limit struct {
	Key      string
	Interval time.Duration // 0: the sender's interval
}

// waitForLimit waits for the lane's turn.
func (s *Sender) waitForLimit(ctx context.Context, l Limit) error {
	if s.interval < 0 {
		return nil
	}
	s.mu.Lock()
	limiter, ok := s.limiters[l.Key]
	if !ok {
		limiter = rate.NewLimiter(rate.Every(max(s.interval, l.Interval)), 1)
		s.limiters[l.Key] = limiter
	}
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	turn := limiter.Reserve()
	timer := time.NewTimer(wholeMillis(turn.Delay()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return ctx.Err()
	}
}

// wholeMillis rounds up: the limiter counts in floating point and would let some go a nanosecond early.
func wholeMillis(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// Call makes one paced attempt. op names it; do is given the attempt's own deadline.
func (s *Sender) Call(ctx context.Context, op string, l Limit, do func(context.Context) error) error {
	if err := s.waitForLimit(ctx, l); err != nil {
		return fmt.Errorf("%s: wait for the channel's turn: %w", op, err)
	}
	attempt, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := do(attempt)
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("%s: %w", op, cause)
	}
	return s.advice.Explain(op, err)
}
