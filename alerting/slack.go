package alerting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"github.com/slack-go/slack"

	"confab/internal/redact"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultInterval = time.Second // Slack's limit: about one message a second and channel
	maxRetryAfter   = time.Hour   // a longer wait is taken for a broken header
	maxReply        = 4 << 20     // bytes of a reply: a page of channel history fits

	checkConnection = "check the network, the proxy and the name resolution of this host"
	renewSecret     = "renew the webhook URL or the bot token in Slack and set it under alerting.slack"
)

// SendOptions are what both ways of posting to Slack share.
type SendOptions struct {
	// Timeout of one attempt, from the request to the end of the reply. Default: 10 s.
	Timeout time.Duration
	// Interval between two messages of one channel. Default: 1 s, Slack's limit. Negative: no pacing.
	Interval time.Duration
	// RenderOptions say what messages show.
	RenderOptions
	// Transport overrides the HTTP transport, for tests.
	Transport http.RoundTripper
}

// sender is the HTTP side of posting: one attempt each, paced by channel, with errors in our own words.
type sender struct {
	client   *http.Client
	timeout  time.Duration
	interval time.Duration
	look     RenderOptions

	mu    sync.Mutex
	lanes map[string]*rate.Limiter // by channel; channels come from the configuration, so they are few
}

func newSender(opts SendOptions) *sender {
	s := &sender{
		timeout: opts.Timeout, interval: opts.Interval, look: opts.RenderOptions,
		lanes: make(map[string]*rate.Limiter),
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
	s.client = &http.Client{
		Transport: hardened{base},
		// A redirect would carry the message, or the token, to a host nobody configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

func (s *sender) close() { s.client.CloseIdleConnections() }

// pace waits for the channel's turn.
func (s *sender) pace(ctx context.Context, channel string) error {
	if s.interval < 0 {
		return nil
	}
	s.mu.Lock()
	lane, ok := s.lanes[channel]
	if !ok {
		lane = rate.NewLimiter(rate.Every(s.interval), 1)
		s.lanes[channel] = lane
	}
	s.mu.Unlock()
	return lane.Wait(ctx)
}

// call makes one paced attempt. op names it; do is given the attempt's own deadline.
func (s *sender) call(ctx context.Context, op, channel string, do func(context.Context) error) error {
	if err := s.pace(ctx, channel); err != nil {
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
	return explain(op, err)
}

// explain puts a library's error into our own words. It never quotes: a transport's error holds the webhook's URL, and a
// reply may hold anything.
func explain(op string, err error) *Error {
	e := &Error{Class: Retryable, Reason: ReasonUnknown, Op: op, Detail: "the reply could not be understood", Ambiguous: true}
	if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		e.limited(limited.RetryAfter)
	} else if status, ok := errors.AsType[slack.StatusCodeError](err); ok {
		e.status(status.Code)
	} else if reply, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		e.code(reply.Err)
	} else if wire, ok := errors.AsType[*wireError](err); ok {
		e.wire(wire)
	} else if errors.Is(err, context.DeadlineExceeded) {
		e.Reason, e.Detail = ReasonTimeout, "the reply did not end in time"
	}
	return e
}

func (e *Error) limited(after time.Duration) {
	e.Reason, e.Ambiguous, e.After = ReasonRateLimited, false, after // the transport has bounded it
	e.Detail = "too many messages"
}

// operator makes the failure one that a person must end.
func (e *Error) operator(reason Reason, remedy string) {
	e.Class, e.Reason, e.Remedy, e.Ambiguous = Operator, reason, remedy, false
}

// status explains an HTTP status, the only thing a webhook tells us.
func (e *Error) status(code int) {
	e.Detail = "HTTP status " + strconv.Itoa(code)
	switch {
	case code == http.StatusTooManyRequests:
		e.limited(0)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.operator(ReasonAuth, renewSecret)
	case code == http.StatusNotFound, code == http.StatusGone:
		e.operator(ReasonNotFound, "the webhook or its channel is gone: "+renewSecret)
	case code == http.StatusRequestTimeout:
		e.Reason = ReasonTimeout
	case code >= http.StatusInternalServerError:
		e.Reason = ReasonServer
	case code >= http.StatusBadRequest:
		e.operator(ReasonRefused, "the message was not accepted; report it with this line")
	case code >= http.StatusMultipleChoices:
		e.operator(ReasonNotFound, "redirects are not followed: correct the URL under alerting.slack")
	}
}

// code explains the error code of a reply of Slack's Web API.
func (e *Error) code(code string) {
	known, ok := apiErrors(code)
	if !ok {
		e.Detail = "Slack answered with an error this version does not know"
		return
	}
	e.Detail = "Slack answered " + code
	switch {
	case known.class == Operator:
		e.operator(known.reason, known.remedy)
	case known.reason == ReasonRateLimited:
		e.limited(0)
	default:
		e.Reason = known.reason
	}
}

// wire explains a failure below HTTP.
func (e *Error) wire(w *wireError) {
	e.Reason, e.Ambiguous, e.Remedy = ReasonConnection, w.sent, checkConnection
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	switch {
	case errors.As(w.cause, &dns):
		e.Detail = "the host name does not resolve"
	case errors.Is(w.cause, syscall.ECONNREFUSED):
		e.Detail = "the connection was refused"
	case errors.Is(w.cause, context.DeadlineExceeded), errors.As(w.cause, &timeout) && timeout.Timeout():
		e.Reason, e.Detail = ReasonTimeout, "no reply in time"
	case w.sent:
		e.Detail = "the connection broke before the reply"
	default:
		e.Detail = "no connection"
	}
}

// wireError is a request that got no reply. It does not unwrap, lest its cause be printed.
type wireError struct {
	cause error
	sent  bool // the whole head of the request was written, so it may have been acted on
}

// Error is for the library between us and the transport; nobody prints it.
func (*wireError) Error() string { return "request failed" }

// hardened bounds replies, notes whether a failed request had been sent, and rewrites Retry-After to whole seconds, the
// only form that the Slack library reads.
type hardened struct{ http.RoundTripper }

// RoundTrip makes one request.
func (h hardened) RoundTrip(req *http.Request) (*http.Response, error) {
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	resp, err := h.RoundTripper.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, &wireError{cause: err, sent: sent.Load()}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxReply), resp.Body}
	if v := resp.Header.Get("Retry-After"); v != "" {
		resp.Header.Del("Retry-After")
		if s, ok := retrySeconds(v, resp.Header.Get("Date")); ok {
			resp.Header.Set("Retry-After", strconv.Itoa(s))
		}
	}
	return resp, nil
}

// CloseIdleConnections passes the wish on; embedding an interface hides the method.
func (h hardened) CloseIdleConnections() {
	if c, ok := h.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// retrySeconds reads a Retry-After: whole seconds, or a date held against the reply's own Date, which no clock of ours
// can skew.
func retrySeconds(v, date string) (int, bool) {
	limit := int(maxRetryAfter / time.Second)
	if n, err := strconv.Atoi(v); err == nil {
		return min(max(n, 0), limit), true
	}
	until, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(date)
	if err != nil {
		return 0, false
	}
	wait := min(max(until.Sub(now), 0), maxRetryAfter)
	return int((wait + time.Second - 1) / time.Second), true
}

// endpoint checks a URL that requests, with their secrets, will go to.
func endpoint(name string, raw redact.Secret) error {
	u, err := url.Parse(raw.Reveal())
	if err != nil || u.Host == "" { // the parser's error quotes the URL
		return fmt.Errorf("%s is no URL; use the one that Slack shows, beginning with https", name)
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("%s does not use https; only this machine may be reached without", name)
	}
	return nil
}
