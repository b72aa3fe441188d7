package config

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"confab/internal/httpclient"
	"confab/internal/redact"
)

// HTTPClient is the HTTP client of one service.
type HTTPClient struct {
	// Name of the settings of its connections in http_configs: proxy, certificates, OAuth 2.0 and headers. Empty: none.
	HTTPConfig string `yaml:"http_config"`

	// Settings are those of that name, once the configuration is loaded; nil for none.
	Settings *HTTPConfig `yaml:"-"`
}

// HTTPConfig holds the settings of HTTP connections, with keys and meaning of Prometheus' http_config.
type HTTPConfig struct {
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
	if h.Settings == nil {
		return httpclient.Options{}
	}
	return h.Settings.options()
}

func (h *HTTPConfig) options() httpclient.Options {
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

// isSet reports whether the service names settings.
func (h *HTTPClient) isSet() bool { return h.HTTPConfig != "" }

// sendsHeaders reports whether requests have headers of the operator, which are secrets.
func (h *HTTPClient) sendsHeaders() bool { return h.Settings != nil && len(h.Settings.HTTPHeaders) > 0 }

// connectHTTP gives every service the settings that it names.
func (c *Config) connectHTTP() {
	clients := []*HTTPClient{
		&c.SchemaRegistry.HTTPClient, &c.Alerting.Alertmanager.HTTPClient,
		&c.Export.Logs.HTTPClient, &c.Export.Traces.HTTPClient, &c.Export.Phoenix.HTTPClient, &c.Export.Langfuse.HTTPClient, &c.Export.Opik.HTTPClient,
	}
	for _, e := range c.LLM.Endpoints() {
		clients = append(clients, &e.HTTPClient)
	}
	for _, h := range clients {
		if settings, found := c.HTTPConfigs[h.HTTPConfig]; found {
			h.Settings = &settings
		}
	}
}

// loginKeys names the login of a service for [checker.httpClient]; "" when it has none.
func loginKeys(path string, token, password redact.Secret) string {
	if token == "" && password == "" {
		return ""
	}
	return "the user or token of " + path
}

// httpClient checks the client of the service at path. login is the key of the service's own login, which excludes OAuth
// 2.0; "" when it is not set.
func (k *checker) httpClient(path string, h *HTTPClient, login string) {
	path += ".http_config"
	switch {
	case h.HTTPConfig == "":
	case h.Settings == nil:
		k.fail(path, "http_configs has no entry %q: add it, or correct the name", h.HTTPConfig)
	case h.Settings.OAuth2.TokenURL != "" && login != "":
		k.fail(path, "%s is set, and so is oauth2 of http_configs.%s: keep one login", login, h.HTTPConfig)
	}
}

func (k *checker) httpConfigs(all map[string]HTTPConfig) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h, path := all[name], "http_configs."+name
		token := &h.OAuth2
		if token.TokenURL == "" && cmp.Or(token.ClientID, token.ClientSecret.Reveal()) != "" {
			k.fail(path+".oauth2.token_url", "is missing: client_id and client_secret need it")
			continue
		}
		if token.TokenURL != "" {
			k.url(path+".oauth2.token_url", token.TokenURL, urlRules{private: true, login: path + ".oauth2.client_id and client_secret"})
		}
		if _, err := httpclient.Wrap(h.options(), &http.Transport{}); err != nil {
			k.fail(path, "%s", err)
		}
	}
}
