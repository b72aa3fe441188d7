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
	Settings *httpclient.Options `yaml:"-"`
}

// HTTPOptions are the settings as [httpclient.Wrap] takes them.
func (h *HTTPClient) HTTPOptions() httpclient.Options {
	if h.Settings == nil {
		return httpclient.Options{}
	}
	return *h.Settings
}

// connectHTTP gives every service the settings that it names.
func (c *Config) connectHTTP() {
	clients := []*HTTPClient{
		&c.SchemaRegistry.HTTPClient, &c.Alerting.Alertmanager.HTTPClient,
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

func (k *checker) httpConfigs(all map[string]httpclient.Options) {
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
		if _, err := httpclient.Wrap(h, &http.Transport{}); err != nil {
			k.fail(path, "%s", err)
		}
	}
}
