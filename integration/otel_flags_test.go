//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/integration"
)

// spanReader is a worker that reads spans and log records from the topics of the Collector.
type spanReader struct {
	cluster *integration.Cluster
	worker  *worker
}

// startSpanReader starts a worker with the configuration of examples/otel on the cluster.
func startSpanReader(t *testing.T, c *integration.Cluster) *spanReader {
	t.Helper()
	const config = "../examples/otel/confab.yaml"
	bin, seeds := buildWorker(t), "kafka.seed_brokers="+strings.Join(c.Seeds(), ",")
	_, err := command(t.Context(), bin, "topics", "apply", "--partitions", "3", "--replication-factor", "3", "--config", config, "--set", seeds)
	require.NoError(t, err)
	w := startWorker(t, bin, config, "detect,alert", seeds, "kafka.start_offset=earliest")
	return &spanReader{cluster: c, worker: w}
}

// awaitFlags stops the worker once it has read both topics, and returns the flags by service.
func (r *spanReader) awaitFlags(t *testing.T) map[string][]flag {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, topic := range []string{topicSpans, topicLogs} {
		require.NoError(t, r.cluster.AwaitCaughtUp(ctx, "confab-detect", topic))
	}
	metrics := r.worker.scrape(t)
	for _, outcome := range []string{"answer", "context", "failed", "no_text", "duplicate", "other", "unknown", "rejected"} {
		t.Logf("spans %-10s %4.0f", outcome, metrics.sum("confab_otlp_spans_total", `outcome="`+outcome+`"`))
	}
	assert.Zero(t, metrics.sum("confab_otlp_spans_total", `outcome="rejected"`))
	assert.Zero(t, metrics.sum("confab_dlq_records_total"))
	records, err := r.cluster.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	flags := map[string][]flag{}
	for _, record := range records {
		f := parseFlag(t, record.Value)
		service, _ := f["service"].(string)
		flags[service] = append(flags[service], f)
	}
	r.worker.stop(t)
	return flags
}

// requireFault expects one flag, for the year that the model made up. Without passages there is none.
func requireFault(t *testing.T, use otelUse, flags []flag) {
	t.Helper()
	if !use.joined {
		assert.Empty(t, flags)
		return
	}
	require.Len(t, flags, 1, "one answer is wrong, three are right")
	f := flags[0]
	assert.Equal(t, "retriever_span", f["sources_from"])
	assert.Contains(t, f["fired"], "facts")
	assert.Contains(t, f["question"], "World War II")
	assert.Contains(t, fmt.Sprint(f["signals"]), "1896")
	occurred, detected := timeOf(t, f, "occurred_at"), timeOf(t, f, "detected_at")
	t.Logf("from the end of the span to the flag: %.2f s", detected.Sub(occurred).Seconds())
	assert.Less(t, detected.Sub(occurred), time.Minute)
}

func timeOf(t *testing.T, f flag, field string) time.Time {
	t.Helper()
	text, _ := f[field].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err, field)
	return at
}
