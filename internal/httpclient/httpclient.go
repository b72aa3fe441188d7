// Package httpclient applies the HTTP settings of a configured service to a transport: proxy, TLS with client certificates,
// OAuth 2.0 and extra headers. The keys and their meaning are those of Prometheus' HTTP client configuration, whose library
// does most of the work. Timeouts, size limits and redirects are the caller's.
package httpclient

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	promconfig "github.com/prometheus/common/config"
)

// Options are the HTTP settings of one service. The zero value changes nothing.
type Options struct {
	ProxyURL             string // of every request; empty: the transport's own proxy
	NoProxy              string // comma-separated hosts and networks without proxy
	ProxyFromEnvironment bool   // take HTTP_PROXY, HTTPS_PROXY and NO_PROXY
	TLS                  TLS
	OAuth2               OAuth2
	Headers              map[string]string // sent with every request; values are secrets
}

// TLS says whom to trust and who the client is. Client certificates are read again for every connection.
type TLS struct {
	CAFile             string // PEM; empty: the system's authorities
	CertFile           string // PEM of the client certificate
	KeyFile            string // PEM of its key
	ServerName         string // expected in the certificate; empty: the host of the URL
	InsecureSkipVerify bool   // for tests only
}

// OAuth2 are client credentials for access tokens. Without TokenURL it is off.
type OAuth2 struct {
	ClientID         string
	ClientSecret     string
	ClientSecretFile string // overrides ClientSecret; read for every token
	TokenURL         string
	Scopes           []string
	Params           url.Values // further parameters of the request, such as audience
}

// Wrap applies o to base, which must not be in use yet, and returns the transport for requests. Its error names the key
// that is wrong.
func Wrap(o Options, base *http.Transport) (http.RoundTripper, error) {
	proxy, err := o.proxy()
	if err != nil {
		return nil, err
	}
	if proxy.ProxyURL.URL != nil || proxy.ProxyFromEnvironment {
		base.Proxy = proxy.Proxy()
	}
	if o.TLS != (TLS{}) {
		base.TLSClientConfig, err = promconfig.NewTLSConfig(o.TLS.config())
		if err != nil {
			return nil, fmt.Errorf("tls_config: %w", err)
		}
	}
	transport, err := o.withHeaders(base)
	if err != nil || o.OAuth2.TokenURL == "" {
		return transport, err
	}
	return o.withToken(transport, base)
}

func (o *Options) proxy() (promconfig.ProxyConfig, error) {
	c := promconfig.ProxyConfig{NoProxy: o.NoProxy, ProxyFromEnvironment: o.ProxyFromEnvironment}
	if o.ProxyURL != "" {
		u, err := url.Parse(o.ProxyURL)
		if err != nil || u.Host == "" {
			return c, errors.New("proxy_url: expected a URL with scheme and host, such as http://proxy:3128") // the URL may hold a password
		}
		c.ProxyURL.URL = u
	}
	return c, c.Validate()
}

func (t *TLS) config() *promconfig.TLSConfig {
	return &promconfig.TLSConfig{
		CAFile: t.CAFile, CertFile: t.CertFile, KeyFile: t.KeyFile, ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify,
	}
}

func (o *Options) withHeaders(next http.RoundTripper) (http.RoundTripper, error) {
	if len(o.Headers) == 0 {
		return next, nil
	}
	headers := &promconfig.Headers{Headers: make(map[string]promconfig.Header, len(o.Headers))}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Host", "Content-Length", "Content-Encoding", "Content-Type", "Transfer-Encoding", "User-Agent":
			return nil, fmt.Errorf("http_headers: %s is set by the client: remove it", name)
		}
		headers.Headers[name] = promconfig.Header{Secrets: []promconfig.Secret{promconfig.Secret(o.Headers[name])}}
	}
	return promconfig.NewHeadersRoundTripper(headers, next), nil
}
