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

	"confab/internal/redact"
)

// Options are the HTTP settings of one service, as they are in the configuration. The zero value changes nothing.
type Options struct {
	// Proxy of every request, such as http://proxy:3128.
	ProxyURL redact.Secret `yaml:"proxy_url"`
	// Comma-separated hosts and networks that are reached without the proxy.
	NoProxy string `yaml:"no_proxy"`
	// Take the proxy from HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	ProxyFromEnvironment bool `yaml:"proxy_from_environment"`
	// Certificates. Client certificates are read again for every connection.
	TLS TLS `yaml:"tls_config"`
	// Access tokens by client credentials.
	OAuth2 OAuth2 `yaml:"oauth2"`
	// Headers of every request. Values are secrets.
	Headers map[string]redact.Secret `yaml:"http_headers"`
}

// TLS says which certificates are trusted and which one the client presents.
type TLS struct {
	// PEM file of the trusted certificate authorities. Empty: the system's.
	CAFile string `yaml:"ca_file"`
	// PEM file of the client certificate, for mutual TLS.
	CertFile string `yaml:"cert_file"`
	// PEM file of the client certificate's key.
	KeyFile string `yaml:"key_file"`
	// Name that the server's certificate must hold. Empty: the host that is dialed.
	ServerName string `yaml:"server_name"`
	// Do not check the server's certificate: for tests only.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
}

// OAuth2 holds client credentials for OAuth 2.0 access tokens.
type OAuth2 struct {
	// Address that issues tokens. Empty: no tokens.
	TokenURL string `yaml:"token_url"`
	// Id of the client.
	ClientID string `yaml:"client_id"`
	// Secret of the client, preferably as ${VAR}.
	ClientSecret redact.Secret `yaml:"client_secret"`
	// File that holds the secret; read for every token.
	ClientSecretFile string `yaml:"client_secret_file"`
	// Scopes to request.
	Scopes []string `yaml:"scopes"`
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
		u, err := url.Parse(o.ProxyURL.Reveal())
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
		headers.Headers[name] = promconfig.Header{Secrets: []promconfig.Secret{promconfig.Secret(o.Headers[name].Reveal())}}
	}
	return promconfig.NewHeadersRoundTripper(headers, next), nil
}
