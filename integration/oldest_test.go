//go:build integration

package integration_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// TestOldestBroker runs all roles on the oldest supported Kafka, which `make integration-oldest` builds. The doctor finds no
// problem there.
func TestOldestBroker(t *testing.T) {
	version := os.Getenv("OLDEST_KAFKA")
	if version == "" {
		t.Skip("make integration-oldest runs it")
	}
	c := startCluster(t, integration.ClusterOptions{Env: map[string]string{"KAFKA_ZOOKEEPER_CONNECT": "broker-1:2181"}})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	step := stopwatch(t)
	r := newRoles(t, &securedCluster{Cluster: c, authority: newAuthority(t), dir: t.TempDir(), bin: buildWorker(t)})
	for _, name := range []string{"detect", "people", "forget"} {
		r.configs[name] = r.open
	}
	_, err := command(ctx, r.bin, "topics", "apply", "--partitions", "3", "--replication-factor", "3", "--config", r.open)
	require.NoError(t, err)
	w := startWorker(t, r.bin, r.open, "detect,sample,alert,export,serve,ui", "kafka.start_offset=earliest")
	step("roles ready")
	r.requireWork(ctx, t, "first")
	step("roles have worked")
	r.assertHealthy(ctx, t, "detect")
	out, err := command(ctx, r.bin, "doctor", "--config", r.open)
	require.NoError(t, err)
	require.Contains(t, string(out), "v"+version[:3])
	step("doctor")
	w.stop(t)
}
