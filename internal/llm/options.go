package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/sync/semaphore"
)

const (
	defaultTimeout     = time.Minute
	defaultConcurrency = 4
	defaultRetries     = 3
	defaultMaxReply    = 1 << 20
	maxHeaderBytes     = 64 << 10
)

// Secret is a credential that does not print itself; redact.Secret is one.
type Secret interface{ Reveal() string }

// Azure picks a deployment behind an Azure OpenAI resource; BaseURL is then the resource without a path.
type Azure struct {
	Deployment string // in the path of every request; "": not Azure
	APIVersion string // in the query of every request, a date
}

// Options describe one endpoint: a server and the model asked of it. BaseURL, Model and Redact are required.
type Options struct {
	// BaseURL of an OpenAI-compatible server, with its version: https://host/v1. For Classify the whole address.
	BaseURL string
	// Model is sent with every request, and is a label of the metrics.
	Model string
	// APIKey is sent as a bearer token, to Azure as api-key. Nil: none.
	APIKey Secret
	// Azure is set for an Azure OpenAI deployment.
	Azure Azure
	// Redact is applied to every text before it leaves. One that returns its argument switches redaction off.
	Redact func(string) string

	// Timeout of one attempt, from the request to the end of the reply. Default: 1 minute.
	Timeout time.Duration
	// MaxConcurrency is the number of attempts that may be under way at a time. Default: 4.
	MaxConcurrency int
	// MaxRetries of one call; all calls together retry about a tenth of their number. Default: 3. Negative: none.
	MaxRetries int
	// MaxReplyBytes of one reply, unpacked. Default: 1 MiB.
	MaxReplyBytes int64
	// IgnoresN says that the server is known to give one choice whatever n is. Otherwise it is found out.
	IgnoresN bool

	// Proxy for every request. Nil: none; the environment is not asked.
	Proxy *url.URL
	// TLS settings, for servers with a certificate of one's own. Nil: those of the system.
	TLS *tls.Config
	// Dial overrides how connections are made, for tests. Nil: TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Metrics count what became of requests. Nil: nobody counts.
	Metrics *Metrics
	// Now is the clock of durations. Default: time.Now. Waiting is by real timers.
	Now func() time.Time
}

// Client speaks to one endpoint. It is safe for concurrent use. Close it.
type Client struct {
	http    *http.Client
	api     openai.ClientConfig // a copy of it per attempt carries the attempt as its HTTP client
	model   string
	address string // BaseURL, for what go-openai does not know
	key     string
	redact  func(string) string

	timeout     time.Duration
	retries     int
	maxReply    int64
	slots       *semaphore.Weighted
	budget      *retryBudget
	unsupported *unsupportedParams
	metrics     *Metrics
	now         func() time.Time
}

// New makes a client. It connects to nothing. Its errors name what is to be corrected and quote neither URL nor key.
func New(o Options) (*Client, error) {
	key, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("llm endpoint: %w", err)
	}
	o = o.withDefaults()
	c := &Client{
		http:  newHTTPClient(o),
		model: o.Model, address: o.BaseURL, key: key, redact: o.Redact,
		timeout: o.Timeout, retries: max(o.MaxRetries, 0), maxReply: o.MaxReplyBytes,
		slots:  semaphore.NewWeighted(int64(o.MaxConcurrency)),
		budget: newRetryBudget(), unsupported: newUnsupportedParams(o.IgnoresN),
		metrics: o.Metrics, now: o.Now,
	}
	c.api = openai.DefaultConfig(key)
	if o.Azure.Deployment != "" {
		c.api = openai.DefaultAzureConfig(key, o.BaseURL)
		c.api.APIVersion = o.Azure.APIVersion
		c.api.AzureModelMapperFunc = func(string) string { return url.PathEscape(o.Azure.Deployment) }
	}
	c.api.BaseURL = o.BaseURL
	return c, nil
}

// Close ends idle connections. Calls under way are ended by their contexts.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Format keeps the key inside, whatever the verb: fmt reads unexported fields.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "llm.Client") } // it has no other place to fail

// Model is the configured name, as it is sent and counted.
func (c *Client) Model() string { return c.model }

func (o Options) check() (key string, err error) {
	u, parseErr := url.Parse(o.BaseURL) // its error quotes the URL
	if o.APIKey != nil {
		key = o.APIKey.Reveal()
	}
	switch {
	case parseErr != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		err = errors.New("base_url is no URL; it begins with http:// or https:// and ends with the version, as in https://host/v1")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		err = errors.New("base_url holds more than host and path; give credentials as the API key, the version under azure")
	case o.Model == "":
		err = errors.New("no model; name the one that the server is to be asked for")
	case o.Redact == nil:
		err = errors.New("no redaction; texts may not leave without one")
	case strings.ContainsFunc(key, unicode.IsControl):
		err = errors.New("the API key holds a line break or another control character; remove it")
	case (o.Azure.Deployment == "") != (o.Azure.APIVersion == ""):
		err = errors.New("azure needs both deployment and api_version, or neither")
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
	if o.MaxReplyBytes <= 0 {
		o.MaxReplyBytes = defaultMaxReply
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func newHTTPClient(o Options) *http.Client {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyURL(o.Proxy),
			DialContext:            dial,
			TLSClientConfig:        o.TLS,
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    o.MaxConcurrency,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
		// Another host would be given the prompt, and Azure's api-key with it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
