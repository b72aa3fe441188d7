package httpsend

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"confab/internal/retry"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultInterval = time.Second // Slack's limit is about one message a second per channel
)

// Options are common to all HTTP sinks.
type Options struct {
	// Timeout of one attempt, from the request to the end of the reply. Default: 10 s.
	Timeout time.Duration
	// Interval between two messages of one channel. Default: 1 s, Slack's limit. Negative: no limit.
	Interval time.Duration
	// Transport overrides the HTTP transport. Default: [NewTransport].
	Transport http.RoundTripper
	// Credential says where the credential was configured, such as a path or a file, for remedies. It is not the credential.
	Credential string
}

// Sender makes single attempts over HTTP with a rate limit per key, and explains their errors.
type Sender struct {
	HTTP     *http.Client
	timeout  time.Duration
	interval time.Duration
	advice   Advice

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by channel or method
}

// New returns a sender whose errors hold the remedies of advice.
func New(opts Options, advice Advice) *Sender {
	s := &Sender{
		timeout: cmp.Or(max(opts.Timeout, 0), defaultTimeout), interval: cmp.Or(opts.Interval, defaultInterval), advice: advice,
		limiters: make(map[string]*rate.Limiter),
	}
	base := opts.Transport
	if base == nil {
		base = NewTransport(s.timeout)
	}
	s.HTTP = &http.Client{
		Transport: boundedTransport{base},
		// A redirect would send the message and the token to a host that is not configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// NewTransport makes the transport of a sender, with the environment's proxy. Zero is the default timeout.
func NewTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    cmp.Or(max(timeout, 0), defaultTimeout),
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// Close ends idle connections.
func (s *Sender) Close() { s.HTTP.CloseIdleConnections() }

// ShareLimit makes id share the rate limit of name: both are one channel.
func (s *Sender) ShareLimit(name, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limiter, ok := s.limiters[name]; ok && name != id {
		s.limiters[id] = limiter
	}
}

// Limit selects the rate limit of a request: that of a channel or of a method.
type Limit struct {
	Key      string
	Interval time.Duration // 0: the sender's interval
}

// waitForLimit waits until the limiter of the key allows a request.
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
	reservation := limiter.Reserve()
	// The limiter counts in floating point and would let some go a nanosecond early.
	err := retry.Sleep(ctx, (reservation.Delay() + time.Millisecond - 1).Truncate(time.Millisecond))
	if err != nil {
		reservation.Cancel()
	}
	return err
}

// Call makes one attempt with its own deadline after waiting for the limit. op names it in errors.
func (s *Sender) Call(ctx context.Context, op string, l Limit, do func(context.Context) error) error {
	if err := s.waitForLimit(ctx, l); err != nil {
		return fmt.Errorf("%s: wait for the rate limit: %w", op, err)
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
