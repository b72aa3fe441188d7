package otlphttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"confab/internal/httpclient"
	"confab/internal/retry"
	"confab/internal/worker/export/delivery"
	"confab/schemas"
)

// Options configure a Client. URL, Path and Encode are required.
type Options struct {
	URL     string // base address, or the full one, which ends in Path
	Path    string // of the signal: /v1/logs or /v1/traces
	Headers map[string]string
	Timeout time.Duration // of one request; 10 s when zero
	Gzip    bool
	HTTP    httpclient.Options

	// Encode returns the request's body, nil when the flags have no data.
	Encode func(flags []*schemas.Flag) ([]byte, error)
	// OnPartial is called when the endpoint accepted a request and refused items of it. It may be nil.
	OnPartial func(ctx context.Context, p Partial)
}

// Partial is what an endpoint says about items of an accepted request. OTLP forbids to send them again.
type Partial struct {
	Rejected int64  // number of log records or spans
	Message  string // the endpoint's; it may quote the request
}

// Client is a [delivery.Destination].
type Client struct {
	opts Options
	url  string
	http *http.Client
}

var _ delivery.Destination = (*Client)(nil)

const (
	defaultTimeout = 10 * time.Second
	maxReply       = 64 << 10
	maxRetryAfter  = 5 * time.Minute
	contentType    = "application/x-protobuf"
)

// New returns a client. Its error names the key of http_config that is wrong.
func New(o *Options) (*Client, error) {
	c := &Client{opts: *o, url: strings.TrimRight(o.URL, "/")}
	if !strings.HasSuffix(c.url, o.Path) {
		c.url += o.Path
	}
	if c.opts.Timeout <= 0 {
		c.opts.Timeout = defaultTimeout
	}
	transport, err := httpclient.Wrap(o.HTTP, &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		TLSHandshakeTimeout: c.opts.Timeout, MaxResponseHeaderBytes: maxReply,
	})
	if err != nil {
		return nil, fmt.Errorf("HTTP client: %w", err)
	}
	// A redirect would send the headers to a host that is not configured.
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Check sends an empty request, which OTLP allows.
func (c *Client) Check(ctx context.Context) error { return c.post(ctx, nil) }

// Deliver implements [delivery.Destination]. When the endpoint refuses a request, its halves are sent, so that the flags at
// fault are found.
func (c *Client) Deliver(ctx context.Context, flags []*schemas.Flag) error {
	body, err := c.opts.Encode(flags)
	if err != nil || body == nil {
		return err
	}
	err = c.post(ctx, body)
	if _, refused := errors.AsType[*refusedError](err); !refused {
		return err
	}
	if len(flags) == 1 {
		return &delivery.RejectedError{Flags: map[string]error{delivery.FlagID(flags[0]): err}}
	}
	all := &delivery.RejectedError{Flags: map[string]error{}}
	for _, half := range [][]*schemas.Flag{flags[:len(flags)/2], flags[len(flags)/2:]} {
		err := c.Deliver(ctx, half)
		if rejected, ok := errors.AsType[*delivery.RejectedError](err); ok {
			maps.Copy(all.Flags, rejected.Flags)
		} else if err != nil {
			return err
		}
	}
	if len(all.Flags) == 0 { // the halves are accepted: it was too large
		return nil
	}
	return all
}

// post makes one attempt.
func (c *Client) post(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	req, err := c.request(ctx, body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the address
		}
		return fmt.Errorf("post %s: %w", c.opts.Path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return explainStatus(c.opts.Path, resp)
	}
	if err != nil {
		return fmt.Errorf("post %s: read the reply: %w", c.opts.Path, err)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), contentType) {
		return nil
	}
	if p := parsePartial(reply); (p.Rejected > 0 || p.Message != "") && c.opts.OnPartial != nil {
		c.opts.OnPartial(ctx, p)
	}
	return nil
}

func (c *Client) request(ctx context.Context, body []byte) (*http.Request, error) {
	var packed bytes.Buffer
	if c.opts.Gzip {
		z := gzip.NewWriter(&packed)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return nil, fmt.Errorf("compress: %w", err)
		}
		body = packed.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("post %s: the address cannot be used", c.opts.Path)
	}
	for name, value := range c.opts.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", contentType)
	if c.opts.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	return req, nil
}

// refusedError means that the endpoint refused the data of a request.
type refusedError struct {
	path string
	code int
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("post %s: HTTP status %d: the endpoint refuses the data", e.path, e.code)
}

// explainStatus turns a status into an error. OTLP lets a client drop the data after any other status than 429, 502, 503
// and 504. Only those that concern the data do so here: an expired token or a wrong address would lose everything until
// someone corrects it.
func explainStatus(path string, resp *http.Response) error {
	code := resp.StatusCode
	remedy := ""
	switch code {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return &refusedError{path, code}
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		err := fmt.Errorf("post %s: HTTP status %d", path, code)
		after, ok := retry.ParseAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date"), time.Now(), maxRetryAfter)
		if ok {
			return &delivery.RetryAfterError{After: after, Err: err}
		}
		return err
	case http.StatusUnauthorized, http.StatusForbidden:
		remedy = ": check headers_file"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		remedy = ": check the url: the endpoint may not take this signal"
	case http.StatusUnsupportedMediaType:
		remedy = ": it must accept protobuf; try compression: none"
	}
	if code >= http.StatusMultipleChoices && code < http.StatusBadRequest {
		remedy = ": redirects are not followed: set the url to the address of the endpoint"
	}
	return fmt.Errorf("post %s: HTTP status %d%s", path, code, remedy)
}
