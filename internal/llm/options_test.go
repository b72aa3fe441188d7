package llm

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"confab/internal/httpclient"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func TestOptionsThatCannotWork(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Options)
		says   string
	}{
		"no address":   {func(o *Options) { o.BaseURL = "" }, "base_url is not a URL"},
		"no scheme":    {func(o *Options) { o.BaseURL = "host/v1" }, "write http://"},
		"a file":       {func(o *Options) { o.BaseURL = "file:///v1" }, "base_url is not a URL"},
		"broken":       {func(o *Options) { o.BaseURL = "http://%zz" }, "base_url is not a URL"},
		"a password":   {func(o *Options) { o.BaseURL = "http://u:canary@host/v1" }, "more than host and path"},
		"a query":      {func(o *Options) { o.BaseURL = "http://host/v1?key=canary" }, "more than host and path"},
		"no model":     {func(o *Options) { o.Model = "" }, "no model"},
		"no redaction": {func(o *Options) { o.Redact = nil }, "no redaction"},
		"a line break": {func(o *Options) { o.APIKey = redact.Secret("canary\n") }, "line break"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{BaseURL: "http://host/v1", Model: "m", Redact: identityRedact}
			_, err := New(o)
			require.NoError(t, err)
			row.change(&o)
			_, err = New(o)
			require.ErrorContains(t, err, row.says)
			require.NotContains(t, err.Error(), "canary")
		})
	}
}

// An untrusted certificate is refused, and accepted where its authority is given.
func TestCertificates(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(chatBody("a"))) }))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = nil
	o := Options{BaseURL: s.URL + "/v1", Model: "m", Redact: identityRedact}
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	got, err := c.Chat(t.Context(), askOnce("Why?"))
	require.Equal(t, Refused, ClassOf(err))
	require.ErrorContains(t, err, "certificate")
	require.Equal(t, 1, got.Calls)

	o.HTTP.TLS.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(o.HTTP.TLS.CAFile, ca, 0o600))
	c, err = New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.Chat(t.Context(), askOnce("Why?"))
	require.NoError(t, err)
}

// Requests go through the proxy of the configuration.
func TestProxy(t *testing.T) {
	var asked string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		_, _ = w.Write([]byte(chatBody("a")))
	}))
	t.Cleanup(proxy.Close)
	c, err := New(Options{
		BaseURL: "http://llm.test/v1", Model: "m", Redact: identityRedact, HTTP: httpclient.Options{ProxyURL: redact.Secret(proxy.URL)},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.Chat(t.Context(), askOnce("Why?"))
	require.NoError(t, err)
	require.Equal(t, "http://llm.test/v1/chat/completions", asked)
	require.Equal(t, "m", c.Model())
}
