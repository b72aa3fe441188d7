//go:build integration

package integration_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/integration"
	"confab/internal/kafka/embedded"
)

// TestCollectorToServe sends spans through a real Collector with examples/otel/serve.collector.yaml, over gRPC, to a worker with
// examples/otel/serve.yaml, which starts later: nothing is lost, and the flags are of the login's tenant.
func TestCollectorToServe(t *testing.T) {
	const config = "../examples/otel/serve.yaml"
	t.Setenv("CONFAB_OTLP_TOKEN", "a token that nobody guesses")
	broker, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	bin, seeds, listen := buildWorker(t), "kafka.seed_brokers="+strings.Join(broker.Seeds(), ","), freeAddress(t)
	_, err = command(t.Context(), bin, "topics", "apply", "--partitions", "2", "--replication-factor", "1", "--config", config, "--set", seeds)
	require.NoError(t, err)

	port, extra := freePort(t), filepath.Join(t.TempDir(), "extra.yaml")
	require.NoError(t, os.WriteFile(extra, []byte("processors: {groupbytrace: {wait_duration: 1s}}"), 0o600))
	collector := exec.Command(buildCollector(t), "--config", "../examples/otel/serve.collector.yaml", "--config", extra) //nolint:noctx // stopped in order
	collector.Env = append(os.Environ(), "OTLP_HTTP_PORT="+port, "OTLP_GRPC_PORT="+freePort(t), "CONFAB_SERVE="+listen)
	var log syncBuffer
	collector.Stdout, collector.Stderr = &log, &log
	require.NoError(t, collector.Start())
	t.Cleanup(func() {
		assert.NoError(t, collector.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, collector.Wait())
		if t.Failed() {
			t.Log(string(tail([]byte(log.text()))))
		}
	})
	spans, err := os.ReadFile("../examples/presets/otlp/genai.traces.json")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		resp, err := http.Post("http://127.0.0.1:"+port+"/v1/traces", "application/json", bytes.NewReader(spans)) //nolint:noctx // loopback
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode, string(text))
		return true
	}, 30*time.Second, 100*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(log.text(), "retry") }, 30*time.Second, 100*time.Millisecond, "the exporter tries")

	w := startWorker(t, bin, config, "serve,detect", seeds, "serve.listen="+listen, "kafka.start_offset=earliest", "emit=all")
	require.Eventually(t, func() bool {
		records, err := integration.ReadRecords(t.Context(), broker.Seeds(), topicIncidents)
		require.NoError(t, err)
		for _, r := range records {
			require.Equal(t, "shop", parseFlag(t, r.Value)["tenant"])
		}
		return len(records) > 0
	}, time.Minute, 200*time.Millisecond)
	w.stop(t)
}
