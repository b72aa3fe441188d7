package config

import (
	"confab/internal/httpclient"
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
		&c.SchemaRegistry.HTTPClient, &c.Alerting.Alertmanager.HTTPClient, &c.Alerting.Webhook.HTTPClient,
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
