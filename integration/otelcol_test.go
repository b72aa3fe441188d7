//go:build integration

package integration_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/integration"
)

// otelPython returns a Python with the instrumentations, made on first use.
func otelPython(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../examples/presets/record/otlp_python.sh", "chain").Output()
	if err != nil {
		requireExample(t, false, "no Python with the instrumentations: "+err.Error())
	}
	return strings.TrimSpace(string(out))
}

// buildCollector builds the Collector of integration/otelcol into bin/, or uses CONFAB_TEST_OTELCOL.
func buildCollector(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("CONFAB_TEST_OTELCOL"); bin != "" {
		return bin
	}
	bin, err := filepath.Abs("../bin/otelcol")
	require.NoError(t, err)
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	build.Dir = "otelcol"
	out, err := build.CombinedOutput()
	requireExample(t, err == nil, "the Collector cannot be built: "+string(out))
	return bin
}

// collectorForTest adds a second Kafka exporter, which writes JSON with the trace id as key.
const collectorForTest = `exporters:
  kafka/json:
    brokers: ${env:KAFKA_BROKERS}
    partition_traces_by_id: true
    traces: {topic: otel.spans.json, encoding: otlp_json}
processors:
  groupbytrace: {wait_duration: 1s}
service:
  pipelines:
    traces: {exporters: [kafka, kafka/json]}
`

// startCollector starts the Collector with examples/otel/collector.yaml and returns the base URL of its receiver. It is
// stopped with the test, must then end in order, and must have sent the spans to the trace backend too.
func startCollector(t *testing.T, bin string, c *integration.Cluster) (otlp string) {
	t.Helper()
	var exports atomic.Int64
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			exports.Add(1)
		}
	}))
	extra := filepath.Join(t.TempDir(), "extra.yaml")
	require.NoError(t, os.WriteFile(extra, []byte(collectorForTest), 0o600))
	port := freePort(t)
	cmd := exec.Command(bin, "--config", "../examples/otel/collector.yaml", "--config", extra) //nolint:noctx // stopped in order
	cmd.Env = append(os.Environ(), "OTLP_HTTP_PORT="+port, "OTLP_GRPC_PORT="+freePort(t), "KAFKA_BROKERS="+strings.Join(c.Seeds(), ","), "PHOENIX_URL="+backend.URL)
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, cmd.Wait(), "the Collector ends in order")
		backend.Close()
		assert.Positive(t, exports.Load(), "exports to the trace backend")
		if t.Failed() {
			t.Log(string(tail([]byte(log.text()))))
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port) //nolint:noctx // loopback
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 30*time.Second, 100*time.Millisecond, "the receiver listens")
	return "http://127.0.0.1:" + port
}
