package schemaregistry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"

	"confab/internal/httpclient"
	"confab/internal/kafka"
)

const (
	// maxRegistryBody bounds a response: a schema takes some kilobytes.
	maxRegistryBody = 4 << 20
	maxRedirects    = 3
)

func newRegistryClient(o *Options) (*sr.Client, *http.Client, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2,
		ResponseHeaderTimeout: o.Timeout, TLSHandshakeTimeout: o.Timeout,
	}
	tlsConfig, err := kafka.TLS{Enabled: true, CAFile: o.CAFile}.ClientConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("schema registry: %w", err)
	}
	transport.TLSClientConfig = tlsConfig
	wrapped, err := httpclient.Wrap(o.HTTP, transport)
	if err != nil {
		return nil, nil, fmt.Errorf("schema registry: http_config: %w", err)
	}
	client := &http.Client{
		Transport: limitedTransport{wrapped}, Timeout: o.Timeout,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || len(via) > maxRedirects {
				return errRedirect
			}
			return nil
		},
	}
	opts := []sr.ClientOpt{sr.URLs(o.URL), sr.HTTPClient(client), sr.UserAgent(kafka.DefaultClientID)}
	if o.Username != "" {
		opts = append(opts, sr.BasicAuth(o.Username, o.Password))
	}
	if o.Token != "" {
		opts = append(opts, sr.BearerToken(o.Token))
	}
	registry, err := sr.NewClient(opts...)
	if err != nil {
		return nil, nil, fmt.Errorf("schema registry: %w", err)
	}
	return registry, client, nil
}

var (
	errRedirect = errors.New("it redirects to another host, to which no login is sent: set schema_registry.url to the final address")
	errNoSchema = errors.New("no schema in the answer")
	errTooLong  = errors.New("its answer is too long for a schema")
	// errOversized means that the registry itself returned too long a schema, so that a retry does not help.
	errOversized = errors.New("the schema is too long")
)

// limitedTransport bounds the size of response bodies.
type limitedTransport struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c limitedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.base.RoundTrip(req)
	if err == nil {
		body := &limitedBody{ReadCloser: resp.Body, left: maxRegistryBody, over: errTooLong}
		if resp.StatusCode == http.StatusOK && strings.Contains(resp.Header.Get("Content-Type"), "json") {
			body.over = errOversized
		}
		resp.Body = body
	}
	return resp, err
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (c limitedTransport) CloseIdleConnections() {
	(&http.Client{Transport: c.base}).CloseIdleConnections()
}

type limitedBody struct {
	io.ReadCloser
	left int
	over error // error when left is 0
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.over
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// describeError describes err without text of the response: a proxy's page may hold anything.
func (r *Client) describeError(doing string, err error) error {
	if err == nil {
		return nil
	}
	var answer *sr.ResponseError
	if !errors.As(err, &answer) {
		if isMalformed(err) {
			return fmt.Errorf("%s: the schema registry's answer holds no schema: check schema_registry.url, a proxy may stand in between", doing)
		}
		return fmt.Errorf("%s: the schema registry cannot be reached: %w", doing, withoutURL(err))
	}
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound && answer.ErrorCode/100 == 404: // 40401 subject, 40402 version, 40403 schema
		return fmt.Errorf("%s: %w", doing, ErrUnknownSchema)
	case code == http.StatusNotFound:
		return fmt.Errorf("%s: status 404, but not from a schema registry: check the path in schema_registry.url", doing)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("%s: the schema registry refuses the login (status %d): check schema_registry.username, password and token", doing, code)
	case code == http.StatusConflict || code == http.StatusUnprocessableEntity:
		return fmt.Errorf("%s: %w (code %d)", doing, ErrIncompatible, answer.ErrorCode)
	default:
		return fmt.Errorf("%s: the schema registry answers status %d", doing, code)
	}
}

// isMalformed reports whether a response arrived that could not be parsed.
func isMalformed(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || shape || errors.Is(err, errNoSchema)
}

// withoutURL returns the cause of an HTTP client's error, whose text repeats the address.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
