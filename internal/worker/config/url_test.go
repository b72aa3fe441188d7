package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/httpclient"
	"confab/internal/strictyaml"
)

// urlFields are the addresses of the configuration, by path.
func urlFields(c *Config) map[string]reflect.Value {
	found := map[string]reflect.Value{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		for _, f := range strictyaml.Fields(v) {
			below := strictyaml.JoinPath(path, f.Name)
			switch {
			case f.Value.Kind() == reflect.Struct:
				walk(f.Value, below)
			case f.Value.Kind() == reflect.String && (f.Name == "url" || strings.HasSuffix(f.Name, "_url")) && f.Name != "proxy_url": // a secret, which may hold a login
				found[below] = f.Value
			}
		}
	}
	walk(reflect.ValueOf(c).Elem(), "")
	return found
}

// withURL is a configuration in which one address is used.
func withURL(path, text string) *Config {
	c := Default()
	c.Export.Opik.Project, c.Export.Langfuse.PublicKey = "project", "pk"
	if path == "export.langfuse.url" {
		c.Export.Langfuse.SecretKey = "sk"
	}
	urlFields(c)[path].SetString(text)
	switch {
	case strings.HasPrefix(path, "llm."):
		e := c.LLM.Endpoints()[strings.Split(path, ".")[1]]
		e.Model = "m"
	case path == "kafka.sasl.oauth.token_url":
		c.Kafka.SASL.Mechanism, c.Kafka.SASL.OAuth.ClientID, c.Kafka.SASL.OAuth.ClientSecret = "OAUTHBEARER", "id", "secret"
	case path == "alerting.slack.api_url":
		c.Alerting.Slack.BotToken, c.Alerting.Slack.Channel = "xoxb-1", "C1"
	}
	return c
}

// Every address of the configuration is checked by the same rules and printed without its secrets.
func TestEveryURL(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	var paths []string
	for path := range urlFields(Default()) {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	require.Equal(t, []string{
		"alerting.alertmanager.url", "alerting.page_url", "alerting.runbook_url", "alerting.slack.api_url", "alerting.slack.webhook_url", "alerting.trace_url", "alerting.webhook.url",
		"export.langfuse.url", "export.logs.url", "export.opik.url", "export.phoenix.url", "export.traces.url", "kafka.sasl.oauth.token_url",
		"llm.embedder.base_url", "llm.judge.base_url", "llm.sampler.base_url", "llm.verifier.base_url", "schema_registry.url",
	}, paths)
	pages := []string{"alerting.page_url", "alerting.runbook_url", "alerting.trace_url", "alerting.webhook.url"} // and a secret
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			require.NoError(t, withURL(path, "https://host.example/{trace_id}").Validate())
			for _, bad := range []string{
				"https://user:canary@host.example/{trace_id}", "https://canary@host.example/{trace_id}", "ftp://canary.example/{trace_id}",
				"canary/{trace_id}", "https:///canary/{trace_id}",
			} {
				err := withURL(path, bad).Validate()
				require.Error(t, err, bad)
				require.NotContains(t, err.Error(), "canary")
			}
			for _, query := range []string{"https://host.example/{trace_id}?token=canary", "https://host.example/{trace_id}#canary"} {
				c := withURL(path, query)
				if slices.Contains(pages, path) {
					require.NoError(t, c.Validate())
				} else {
					require.Error(t, c.Validate(), query)
				}
				text, err := c.YAML()
				require.NoError(t, err)
				require.NotContains(t, string(text), "canary", "/config and `config print`")
			}
		})
	}
}

// The address of tokens is checked, too, and secrets of named settings are not printed.
func TestHTTPConfigs(t *testing.T) {
	with := func(url string) *Config {
		c := Default()
		c.HTTPConfigs = map[string]httpclient.Options{"gateway": {OAuth2: httpclient.OAuth2{TokenURL: url, ClientID: "id", ClientSecret: "canary"}}}
		return c
	}
	require.NoError(t, with("https://host.example/token").Validate())
	require.ErrorContains(t, with("http://host.example/token").Validate(), "http_configs.gateway.oauth2.token_url: is http, which would send a secret unencrypted")
	c := with("https://canary@host.example/token")
	require.ErrorContains(t, c.Validate(), "http_configs.gateway.oauth2.token_url: holds a login")
	text, err := c.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(text), "canary")
}

func TestMaskURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"https://traces.example/{trace_id}": "https://traces.example/{trace_id}",
		"https://traces.example/x?token=canary&id={trace_id}&q=a{trace_id}": "https://traces.example/x?token=[secret]&id={trace_id}&q=[secret]{trace_id}",
		"https://u:p@h/a@b?canary": "https://[secret]@h/a@b?[secret]",
		"https://h/#canary":        "https://h/#[secret]",
		"https://h?a=&b=1?2#c?d":   "https://h?a=&b=[secret]#[secret]",
		"u:p@h":                    "u:p@h",
	} {
		require.Equal(t, want, maskURL(in))
	}
}

// A printed trace address loads again.
func TestMaskedURLLoads(t *testing.T) {
	c := withURL("alerting.trace_url", "https://traces.example/?id={trace_id}&token=canary")
	text, err := c.YAML()
	require.NoError(t, err)
	again, err := loadText(text, LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, "https://traces.example/?id={trace_id}&token=[secret]", again.Alerting.TraceURL)
}
