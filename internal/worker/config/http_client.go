package config

import (
	"cmp"
	"net/http"

	"confab/internal/httpclient"
	"confab/internal/redact"
)

// HTTPClient holds the settings of HTTP connections to a service, with keys and meaning of Prometheus' http_config.
type HTTPClient struct {
	// Proxy of every request, such as http://proxy:3128.
	ProxyURL redact.Secret `yaml:"proxy_url"`
	// Comma-separated hosts and networks that are reached without the proxy.
	NoProxy string `yaml:"no_proxy"`
	// Take the proxy from HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	ProxyFromEnvironment bool `yaml:"proxy_from_environment"`
	// Certificates.
	TLSConfig TLSConfig `yaml:"tls_config"`
	// Access tokens by client credentials.
	OAuth2 OAuth2 `yaml:"oauth2"`
	// Headers of every request. Values are secrets.
	HTTPHeaders map[string]redact.Secret `yaml:"http_headers"`
}

// TLSConfig says which certificates are trusted and which one the client presents.
type TLSConfig struct {
	// PEM file of the trusted certificate authorities. Empty: the system's.
	CAFile string `yaml:"ca_file"`
	// PEM file of the client certificate, for mutual TLS.
	CertFile string `yaml:"cert_file"`
	// PEM file of the client certificate's key.
	KeyFile string `yaml:"key_file"`
	// Name expected in the server's certificate. Empty: the host of the URL.
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
	// File that holds the secret.
	ClientSecretFile string `yaml:"client_secret_file"`
	// Scopes to request.
	Scopes []string `yaml:"scopes"`
}

// Options are the settings as [httpclient.Wrap] takes them.
func (h *HTTPClient) Options() httpclient.Options {
	o := httpclient.Options{
		ProxyURL: h.ProxyURL.Reveal(), NoProxy: h.NoProxy, ProxyFromEnvironment: h.ProxyFromEnvironment, TLS: httpclient.TLS(h.TLSConfig),
		OAuth2: httpclient.OAuth2{
			ClientID: h.OAuth2.ClientID, ClientSecret: h.OAuth2.ClientSecret.Reveal(), ClientSecretFile: h.OAuth2.ClientSecretFile, TokenURL: h.OAuth2.TokenURL, Scopes: h.OAuth2.Scopes,
		},
	}
	for name, value := range h.HTTPHeaders {
		if o.Headers == nil {
			o.Headers = make(map[string]string, len(h.HTTPHeaders))
		}
		o.Headers[name] = value.Reveal()
	}
	return o
}

// isSet reports whether a key of the section is set.
func (h *HTTPClient) isSet() bool {
	return h.ProxyURL != "" || h.NoProxy != "" || h.ProxyFromEnvironment || h.TLSConfig != (TLSConfig{}) || len(h.HTTPHeaders) > 0 ||
		h.OAuth2.TokenURL != "" || h.OAuth2.ClientID != "" || h.OAuth2.ClientSecret != ""
}

// loginKeys names the login of a service for [checker.httpClient]; "" when it has none.
func loginKeys(path string, token, password redact.Secret) string {
	if token == "" && password == "" {
		return ""
	}
	return "the user or token of " + path
}

// httpClient checks the section at path. login is the key of the service's own login, which excludes OAuth 2.0; "" when it
// is not set.
func (k *checker) httpClient(path string, h *HTTPClient, login string) {
	path += ".http_config"
	token := &h.OAuth2
	if token.TokenURL == "" && cmp.Or(token.ClientID, token.ClientSecret.Reveal()) != "" {
		k.fail(path+".oauth2.token_url", "is missing: client_id and client_secret need it")
		return
	}
	if token.TokenURL != "" {
		k.url(path+".oauth2.token_url", token.TokenURL, urlRules{private: true, login: path + ".oauth2.client_id and client_secret"})
		if login != "" {
			k.fail(path+".oauth2", "%s is set, too: keep one login", login)
		}
	}
	if _, err := httpclient.Wrap(h.Options(), &http.Transport{}); err != nil {
		k.fail(path, "%s", err)
	}
}
