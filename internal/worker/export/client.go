package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"confab/internal/httpclient"
	"confab/internal/retry"
	"confab/internal/worker/config"
	"confab/schemas"
)

// flagID is the stable id of a flag: a repeated evaluation of the same answer by the same pass has the same id.
func flagID(f *schemas.Flag) string { return f.IncidentID + ":" + string(f.Pass) }

// rejectedError are the flags of a batch that a destination refused for good, by id. They are counted and logged, never
// repeated. The other flags of the batch were delivered.
type rejectedError struct{ flags map[string]error }

// Error names the number of flags and the reason of one of them.
func (e *rejectedError) Error() string {
	for _, id := range slices.Sorted(maps.Keys(e.flags)) {
		return fmt.Sprintf("%d flags rejected: %v", len(e.flags), e.flags[id])
	}
	return "0 flags rejected"
}

// refusedError is a request that the destination refuses for what it holds. Batches are halved until what it refuses is alone.
type refusedError struct{ cause error }

func (e *refusedError) Error() string { return e.cause.Error() }
func (e *refusedError) Unwrap() error { return e.cause }

// pauseError is a temporary failure after which the server asked for a pause. The consumer's loop waits for it.
type pauseError struct {
	error
	after time.Duration
}

// RetryAfter is the wait.
func (e *pauseError) RetryAfter() time.Duration { return e.after }

// Unwrap returns the failure.
func (e *pauseError) Unwrap() error { return e.error }

const (
	requestTimeout = 10 * time.Second
	maxReply       = 1 << 20
	maxWait        = 5 * time.Minute // that a server may ask for
)

// client sends requests to one destination. No error quotes an address, a credential or a reply.
type client struct {
	url, section string
	headers      func(http.Header) // adds credentials; a function, so that printing the value shows none
	timeout      time.Duration
	http         *http.Client
}

// request is one request and what a reply means.
type request struct {
	op, method, path string
	contentType      string
	body             []byte
	gzip             bool
	read             func(reply []byte, h http.Header) error // of a reply with a status of success
	missing          func(reply []byte) bool                 // whether a reply of status 404 says that a span is missing; else the address is wrong
}

func newClient(e *config.Export, section, address string, headers func(http.Header)) (*client, error) {
	transport, err := httpclient.Wrap(httpclient.Options{TLS: httpclient.TLS{CAFile: e.CAFile}}, &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		TLSHandshakeTimeout: requestTimeout, MaxResponseHeaderBytes: 64 << 10,
	})
	if err != nil {
		return nil, fmt.Errorf("HTTP client: %w", err)
	}
	return &client{
		url: strings.TrimRight(address, "/"), section: "export." + section, headers: headers, timeout: requestTimeout,
		// A redirect would send the credentials to a host that is not configured.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// close ends idle connections.
func (c *client) close() { c.http.CloseIdleConnections() }

// send makes one attempt. Its error is a *refusedError or temporary.
func (c *client) send(ctx context.Context, r *request) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		return fmt.Errorf("%s: %s.url cannot be used", r.op, c.section)
	}
	req.Header.Set("Accept", r.contentType)
	c.headers(req.Header)
	if r.method != http.MethodGet {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", r.op, withoutAddress(ctx, err))
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode == http.StatusNotFound && r.missing != nil && r.missing(reply):
		return &refusedError{errMissing}
	case resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices:
		return c.explain(r.op, resp)
	case err != nil:
		return fmt.Errorf("%s: read the reply: %w", r.op, withoutAddress(ctx, err))
	}
	if err := r.read(reply, resp.Header); err != nil {
		return fmt.Errorf("%s: %w: set %s.url to the base address of the API", r.op, err, c.section)
	}
	return nil
}

func withoutAddress(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("no reply in time")
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return err
}

// explain turns a status into an error. Only what concerns the content of a request is refused for good: an expired token or
// a wrong address would lose everything until someone corrects it.
func (c *client) explain(op string, resp *http.Response) error {
	code := resp.StatusCode
	err := fmt.Errorf("%s: HTTP status %d", op, code)
	switch {
	case code == http.StatusBadRequest, code == http.StatusConflict, code == http.StatusRequestEntityTooLarge, code == http.StatusUnprocessableEntity:
		return &refusedError{err}
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		if after, ok := retry.ParseAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date"), time.Now(), maxWait); ok && after > 0 {
			return &pauseError{fmt.Errorf("%w (asked to wait %s)", err, after), after}
		}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%w: correct the credentials under %s", err, c.section)
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed, code == http.StatusGone:
		return fmt.Errorf("%w: set %s.url to the base address of the API", err, c.section)
	case code == http.StatusUnsupportedMediaType:
		return fmt.Errorf("%w: the endpoint must accept protobuf with gzip", err)
	case code < http.StatusBadRequest:
		return fmt.Errorf("%w: redirects are not followed: set %s.url to the address of the API", err, c.section)
	}
	return err
}

// halve sends all items with one request, and halves of them while they are refused. Single ones that are refused go to reject.
func halve[T any](ctx context.Context, items []T, send func(ctx context.Context, items []T) error, reject func(item T, err error)) error {
	err := send(ctx, items)
	refused, ok := errors.AsType[*refusedError](err)
	if !ok {
		return err
	}
	if len(items) == 1 {
		reject(items[0], refused)
		return nil
	}
	if err := halve(ctx, items[:len(items)/2], send, reject); err != nil {
		return err
	}
	return halve(ctx, items[len(items)/2:], send, reject)
}
