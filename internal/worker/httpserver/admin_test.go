package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"

	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
)

type httpResponse struct {
	status int
	header http.Header
	body   string
}

func serveRequest(t *testing.T, h http.Handler, method, target string, header ...string) httpResponse {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return httpResponse{status: w.Code, header: w.Header(), body: w.Body.String()}
}

// getURL requests a URL of a running server.
func getURL(t *testing.T, url string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text), nil
}

func adminOptions(change ...func(*AdminOptions)) AdminOptions {
	reg := prometheus.NewRegistry()
	promauto.With(reg).NewCounter(prometheus.CounterOpts{Name: "confab_test_total", Help: "A test."}).Inc()
	o := AdminOptions{Config: config.Default(), Gatherer: reg}
	for _, f := range change {
		f(&o)
	}
	return o
}

// The exposed routes are a golden list.
func TestAdminRoutes(t *testing.T) {
	o := adminOptions()
	require.Equal(t, []string{
		"GET /config", "GET /healthz", "GET /livez", "GET /metrics", "GET /readyz", "GET /version",
	}, slices.Sorted(maps.Keys(adminRoutes(o, nil, nil))))
	o.Config.Admin.Pprof = true
	require.Equal(t, []string{
		"GET /config", "GET /debug/pprof/", "GET /debug/pprof/cmdline", "GET /debug/pprof/profile", "GET /debug/pprof/symbol",
		"GET /debug/pprof/trace", "GET /healthz", "GET /livez", "GET /metrics", "GET /readyz", "GET /version",
	}, slices.Sorted(maps.Keys(adminRoutes(o, nil, nil))))
}

func TestAdminRejects(t *testing.T) {
	h, err := AdminHandler(adminOptions())
	require.NoError(t, err)
	for _, target := range []string{"/", "/debug/pprof/", "/debug/pprof/heap", "/config/x", "/-/reload", "/metrics/../etc"} {
		require.Contains(t, []int{http.StatusNotFound, http.StatusTemporaryRedirect}, serveRequest(t, h, http.MethodGet, target).status, target)
	}
	require.Equal(t, http.StatusMethodNotAllowed, serveRequest(t, h, http.MethodPost, "/config").status)
	require.Equal(t, http.StatusMethodNotAllowed, serveRequest(t, h, http.MethodDelete, "/metrics").status)
}

func TestAdminPprof(t *testing.T) {
	h, err := AdminHandler(adminOptions(func(o *AdminOptions) { o.Config.Admin.Pprof = true }))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, serveRequest(t, h, http.MethodGet, "/debug/pprof/goroutine?debug=1").status)
	require.Equal(t, http.StatusNotFound, serveRequest(t, h, http.MethodGet, "/debug/pprof/cmdline").status, "the command line may hold secrets")
}

func TestAdminProbes(t *testing.T) {
	broken := errors.New("has not joined its consumer group")
	var state error
	note := ""
	h, err := AdminHandler(adminOptions(func(o *AdminOptions) {
		o.Live = []Check{{Name: "loop", Ask: func() error { return nil }}}
		o.Ready = []Check{{Name: "producer", Ask: func() error { return nil }}, {Name: "detect", Ask: func() error { return state }, Note: func() string { return note }}}
	}))
	require.NoError(t, err)
	for _, tc := range []struct {
		name, target string
		state        error
		note         string
		status       int
		body         string
	}{
		{"alive", "/livez", broken, "", http.StatusOK, "ok\n"},
		{"healthz is livez", "/healthz?verbose", broken, "", http.StatusOK, "[+] loop\nok\n"},
		{"ready", "/readyz", nil, "", http.StatusOK, "ok\n"},
		{"ready, in words", "/readyz?verbose", nil, "", http.StatusOK, "[+] producer\n[+] detect\nok\n"},
		{"not ready", "/readyz", broken, "", http.StatusServiceUnavailable, "[+] producer\n[-] detect: has not joined its consumer group\nfailed\n"},
		{"noted", "/readyz", nil, "topic t partition 0 cannot be read", http.StatusOK, "[+] producer\n[!] detect: topic t partition 0 cannot be read\nok\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			state, note = tc.state, tc.note
			r := serveRequest(t, h, http.MethodGet, tc.target)
			require.Equal(t, tc.status, r.status)
			require.Equal(t, tc.body, r.body)
		})
	}
}

func TestAdminDocuments(t *testing.T) {
	h, err := AdminHandler(adminOptions(func(o *AdminOptions) {
		o.Config.Kafka.SASL.Password = "canary-password"
		o.Config.Alerting.Slack.WebhookURL = "https://hooks.example.com/canary-webhook"
		o.Config.Sampling.Salt = "canary-salt"
	}))
	require.NoError(t, err)

	config := serveRequest(t, h, http.MethodGet, "/config").body
	require.Contains(t, config, "password: '[secret]'")
	require.NotContains(t, config, "canary")

	var build buildinfo.Info
	require.NoError(t, json.Unmarshal([]byte(serveRequest(t, h, http.MethodGet, "/version").body), &build))
	require.Equal(t, buildinfo.Read(), build)

	metrics := serveRequest(t, h, http.MethodGet, "/metrics")
	require.Contains(t, metrics.body, "confab_test_total 1")
	open := serveRequest(t, h, http.MethodGet, "/metrics", "Accept", "application/openmetrics-text; version=1.0.0")
	require.Contains(t, open.header.Get("Content-Type"), "openmetrics")
	require.Contains(t, open.body, "# EOF")
	require.Equal(t, "nosniff", open.header.Get("X-Content-Type-Options"))
}

func TestServeAdmin(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	address := make(chan net.Addr, 1)
	o := adminOptions(func(o *AdminOptions) {
		o.Config.Admin.Listen = "127.0.0.1:0"
		o.Started = func(a net.Addr) { address <- a }
	})
	done := make(chan error, 1)
	go func() { done <- ServeAdmin(ctx, o) }()
	at := (<-address).String()

	text, err := getURL(t, "http://"+at+"/livez")
	require.NoError(t, err)
	require.Equal(t, "ok\n", text)

	taken := adminOptions(func(o *AdminOptions) { o.Config.Admin.Listen = at })
	err = ServeAdmin(t.Context(), taken)
	require.ErrorContains(t, err, at)
	require.True(t, strings.HasPrefix(err.Error(), "admin server: "))
	require.ErrorContains(t, err, "choose another address with admin.listen")

	stop()
	require.NoError(t, <-done)
	_, err = getURL(t, "http://"+at+"/livez")
	require.Error(t, err, "nothing listens any more")
}

func TestServeAdminOff(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, ServeAdmin(ctx, adminOptions(func(o *AdminOptions) { o.Config.Admin.Listen = "" })))
}

// A server on loopback answers under the names of this machine only; another one answers under any, since probes come by
// the pod's address.
func TestServeAdminChecksTheHost(t *testing.T) {
	serve := func(listen string) string {
		ctx, stop := context.WithCancel(t.Context())
		address, done := make(chan net.Addr, 1), make(chan error, 1)
		o := adminOptions(func(o *AdminOptions) {
			o.Config.Admin.Listen = listen
			o.Started = func(a net.Addr) { address <- a }
		})
		go func() { done <- ServeAdmin(ctx, o) }()
		t.Cleanup(func() { stop(); require.NoError(t, <-done) })
		_, port, err := net.SplitHostPort((<-address).String())
		require.NoError(t, err)
		return port
	}
	status := func(port, host string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/config", nil)
		require.NoError(t, err)
		r.Host = host
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	port := serve("127.0.0.1:0")
	for _, host := range []string{"localhost", "LOCALHOST:" + port, "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:9464"} {
		require.Equal(t, http.StatusOK, status(port, host), host)
	}
	for _, host := range []string{"evil.example", "evil.example:" + port, "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "localhost."} {
		require.Equal(t, http.StatusMisdirectedRequest, status(port, host), host)
	}
	public := serve("0.0.0.0:0")
	for _, host := range []string{"10.0.0.1:9464", "evil.example"} {
		require.Equal(t, http.StatusOK, status(public, host), host)
	}
}

func TestLocalHostsAcceptsTheConfiguredName(t *testing.T) {
	h := LocalHosts("127.0.0.53", staticHandler("text/plain", []byte("x")))
	require.Equal(t, http.StatusOK, serveRequest(t, h, http.MethodGet, "http://127.0.0.53:9464/").status)
	require.Equal(t, http.StatusMisdirectedRequest, serveRequest(t, h, http.MethodGet, "http://confab.example/").status)
}
