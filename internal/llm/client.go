package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"confab/internal/httpclient"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/sync/semaphore"
)

const (
	defaultTimeout     = time.Minute
	defaultConcurrency = 4
	defaultRetries     = 3
	maxReply           = 1 << 20 // bytes of a decompressed reply
	maxHeaderBytes     = 64 << 10
)

// Secret is a credential that does not print itself, such as redact.Secret.
type Secret interface{ Reveal() string }

// azureVersion is the version of Azure's API that is asked for.
const azureVersion = "2024-10-21"

// Options configure one endpoint: a server and a model. BaseURL, Model and Redact are required.
type Options struct {
	// BaseURL of a server with OpenAI's API, with the version: https://host/v1, or of a deployment of Azure OpenAI:
	// https://host/openai/deployments/NAME. For Verify the whole address, unless its form is a chat.
	BaseURL string
	// Model is sent with every request, and is a metric label.
	Model string
	// APIKey is sent as a bearer token, to Azure as api-key. Nil: none.
	APIKey Secret
	// Redact is applied to every outgoing text. The identity function turns redaction off.
	Redact func(string) string

	// Timeout of one attempt, from the request to the end of the reply. Default: 1 minute.
	Timeout time.Duration
	// MaxConcurrency is the number of concurrent attempts. Default: 4.
	MaxConcurrency int
	// MaxRetries of one call. Default: 3. Negative: none.
	MaxRetries int

	// HTTP has proxy, certificates, OAuth 2.0 and headers. Without a proxy there, the environment is not read.
	HTTP httpclient.Options
	// Dial replaces TCP connections, for tests.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Metrics of the requests. Nil: not exported.
	Metrics *Metrics
}

// Client is a client of one endpoint. It is safe for concurrent use. Close it after use.
type Client struct {
	http    *http.Client
	api     openai.ClientConfig // copied for each attempt
	model   string
	address string // BaseURL, for Verify
	key     string
	redact  func(string) string

	timeout time.Duration
	retries int
	slots   *semaphore.Weighted
	metrics *Metrics

	mu      sync.Mutex
	refused map[string]bool // parameters that the endpoint refused, in requests that succeeded without them
}

// New returns a client. It does not connect. Its errors name the setting to correct and quote neither URL nor key.
func New(o Options) (*Client, error) {
	key, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("llm endpoint: %w", err)
	}
	o = o.withDefaults()
	client, err := newHTTPClient(&o)
	if err != nil {
		return nil, err
	}
	c := &Client{
		http:  client,
		model: o.Model, address: o.BaseURL, key: key, redact: o.Redact,
		timeout: o.Timeout, retries: max(o.MaxRetries, 0),
		slots:   semaphore.NewWeighted(int64(o.MaxConcurrency)),
		metrics: o.Metrics, refused: map[string]bool{},
	}
	c.api = openai.DefaultConfig(key)
	c.api.BaseURL = o.BaseURL
	if resource, deployment, found := strings.Cut(o.BaseURL, "/openai/deployments/"); found {
		c.api = openai.DefaultAzureConfig(key, resource)
		c.api.APIVersion = azureVersion
		c.api.AzureModelMapperFunc = func(string) string { return strings.TrimSuffix(deployment, "/") }
	}
	return c, nil
}

// openAI is the library's client that sends with via.
func (c *Client) openAI(via openai.HTTPDoer) *openai.Client {
	api := c.api
	api.HTTPClient = via
	return openai.NewClientWithConfig(api)
}

// Close closes idle connections. Contexts end calls in flight.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Format hides the key for every verb: fmt reads unexported fields.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "llm.Client") } // it has no other place to fail

// Model returns the configured name.
func (c *Client) Model() string { return c.model }

func (o Options) check() (key string, err error) {
	u, parseErr := url.Parse(o.BaseURL) // the error quotes the URL
	if o.APIKey != nil {
		key = o.APIKey.Reveal()
	}
	switch {
	case parseErr != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		err = errors.New("base_url is not a URL; write http:// or https:// and the version, as in https://host/v1")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		err = errors.New("base_url holds more than host and path; give credentials as the API key")
	case o.Model == "":
		err = errors.New("no model; set the model to request")
	case o.Redact == nil:
		err = errors.New("no redaction; set Redact")
	case strings.ContainsFunc(key, unicode.IsControl):
		err = errors.New("the API key holds a line break or another control character; remove it")
	}
	return key, err
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxConcurrency <= 0 {
		o.MaxConcurrency = defaultConcurrency
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = defaultRetries
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	return o
}

func newHTTPClient(o *Options) (*http.Client, error) {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	transport, err := httpclient.Wrap(o.HTTP, &http.Transport{
		DialContext:            dial,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    o.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("llm endpoint: http_config: %w", err)
	}
	return &http.Client{
		Transport: transport,
		// A redirect would send the prompt, and Azure's api-key, to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
