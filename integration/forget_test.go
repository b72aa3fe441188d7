//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// TestForget holds the topics of `confab topics apply` against real brokers, and a deleted label against their compaction:
// its text leaves the log, the mark stays.
func TestForget(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	bin := buildWorker(t)
	config := filepath.Join(t.TempDir(), "confab.yaml")
	text := fmt.Sprintf("kafka: {seed_brokers: [%s]}\nalerting: {console: true}\n", strings.Join(c.Seeds(), ", "))
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	confab := func(args ...string) string {
		out, err := command(ctx, bin, append(args, "--config", config)...)
		require.NoError(t, err)
		return string(out)
	}
	step := stopwatch(t)
	confab("topics", "apply", "--partitions", "2")
	require.Contains(t, confab("topics", "plan", "--partitions", "2"), "topics match the configuration")

	const topic, secret = "llm.feedback", "a secret comment"
	incident := strings.Repeat("5e", 32)
	confab("label", incident, "--verdict", "wrong", "--force", "--comment", secret)
	require.Contains(t, confab("forget", "--incident-id", incident), "nothing was changed")
	require.Contains(t, confab("forget", "--incident-id", incident, "--yes"), "written and acknowledged: 1 record")
	require.Equal(t, []bool{true, true}, logHolds(ctx, t, c, topic, secret, `"forgotten"`))
	step("marked")

	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	short := "1000"
	_, err = kadm.NewClient(cl).AlterTopicConfigs(ctx, []kadm.AlterConfig{{Name: "max.compaction.lag.ms", Value: &short}, {Name: "segment.ms", Value: &short}}, topic)
	require.NoError(t, err)
	require.NoError(t, integration.Await(ctx, "the compaction of the label", func(ctx context.Context) (bool, error) {
		for p := range int32(3) { // a segment ends when the next record is written
			r := &kgo.Record{Topic: topic, Partition: p, Key: []byte("later"), Value: []byte("{}")}
			if err := cl.ProduceSync(ctx, r).FirstErr(); err != nil {
				return false, err
			}
		}
		return !logHolds(ctx, t, c, topic, secret)[0], nil
	}))
	require.Equal(t, []bool{false, true}, logHolds(ctx, t, c, topic, secret, `"forgotten"`))
	step("compacted")
	require.Contains(t, confab("forget", "--incident-id", incident), "nothing was found")
}

// logHolds reports for each text whether a record of the topic contains it.
func logHolds(ctx context.Context, t *testing.T, c *integration.Cluster, topic string, texts ...string) []bool {
	t.Helper()
	records, err := c.ReadTopic(ctx, topic)
	require.NoError(t, err)
	held := make([]bool, len(texts))
	for _, r := range records {
		for i, text := range texts {
			held[i] = held[i] || strings.Contains(string(r.Value), text)
		}
	}
	return held
}
