package httpsend

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"confab/internal/redact"
	"confab/internal/retry"
)

// MaxRetryAfter is the longest wait that a sink may request.
const MaxRetryAfter = time.Hour

// MaxReply is how many bytes of a reply are read. A page of channel history fits.
const MaxReply = 4 << 20

// transportError is a request without a reply. It does not unwrap, so that its cause is never printed.
type transportError struct {
	cause error
	sent  bool // the request headers were written, so it may have had an effect
}

// Error is a placeholder; [Advice.Explain] replaces it.
func (*transportError) Error() string { return "request failed" }

// boundedTransport bounds replies, records whether a failed request was sent, and rewrites Retry-After to whole seconds,
// the only form that the Slack library reads.
type boundedTransport struct{ http.RoundTripper }

// RoundTrip makes one request.
func (h boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	var sent atomic.Bool
	hooks := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	resp, err := h.RoundTripper.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), hooks)))
	if err != nil {
		return nil, &transportError{cause: err, sent: sent.Load()}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, MaxReply), resp.Body}
	if v := resp.Header.Get("Retry-After"); v != "" {
		resp.Header.Del("Retry-After")
		if wait, ok := retry.ParseAfter(v, resp.Header.Get("Date"), time.Time{}, MaxRetryAfter); ok {
			seconds := (wait + time.Second - 1) / time.Second
			resp.Header.Set("Retry-After", strconv.Itoa(int(seconds)))
		}
	}
	return resp, nil
}

// CloseIdleConnections forwards the call, because the embedded interface lacks it.
func (h boundedTransport) CloseIdleConnections() {
	if c, ok := h.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// CheckURL checks a URL to which secrets will be sent. Errors use name, that of the setting, and do not quote the URL: it may be a
// secret.
func CheckURL(name string, raw redact.Secret) error {
	u, err := url.Parse(raw.Reveal())
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("%s is not a URL; use one that begins with https", name)
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%s does not use https; use a URL that begins with it", name)
	}
	ip := net.ParseIP(u.Hostname())
	if local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); u.Scheme != "https" && !local {
		return fmt.Errorf("%s does not use https; use it for every host but this one", name)
	}
	return nil
}

// StatusOf returns a reply's status and Retry-After as an error.
func StatusOf(resp *http.Response) StatusError {
	s, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return StatusError{code: resp.StatusCode, after: time.Duration(s) * time.Second}
}
