//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// TestRepair holds `confab redrive`, `verify` and `replay` against real brokers: records that an input's map did not fit go back
// once the map is right, while their worker is killed. Then nothing is lost, a planted loss is found with its offset, and a
// replay is equal to the live flags.
func TestRepair(t *testing.T) {
	const interactions = 400
	c := startCluster(t, integration.ClusterOptions{})
	bin := buildWorker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	config := func(fields string) string {
		file := filepath.Join(t.TempDir(), "confab.yaml")
		text := fmt.Sprintf("kafka:\n  seed_brokers: [%s]\n  start_offset: earliest\n  session_timeout: 6s\n  poison_circuit: false\n  inputs: [{topic: %s, map: {%s}}]\n",
			strings.Join(c.Seeds(), ", "), topicIn, fields)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	wrong, right := config("answer: /response"), config("interaction_id: /id, answer: /reply, response_schema: /schema")
	confab := func(config string, args ...string) string {
		out, err := command(ctx, bin, append(args, "--config", config)...)
		require.NoError(t, err)
		return string(out)
	}
	step := stopwatch(t)
	confab(right, "topics", "apply", "--partitions", "3")
	flagged := produceReplies(ctx, t, c, interactions)
	step("produced")

	w := startWorker(t, bin, wrong, "detect")
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	w.stop(t)
	require.Contains(t, confab(wrong, "verify"), fmt.Sprintf("0 flagged, 0 quiet, %d dead letters, 0 tombstones; lost: 0\n", interactions))
	require.Contains(t, confab(wrong, "redrive"), fmt.Sprintf("--yes sends %d records", interactions))
	step("dead letters")

	first := startWorker(t, bin, right, "detect")
	sent := make(chan string, 1)
	go func() {
		out, _ := command(ctx, bin, "redrive", "--config", right, "--rate", "200", "--yes")
		sent <- string(out)
	}()
	require.NoError(t, integration.Await(ctx, "a flag", func(ctx context.Context) (bool, error) {
		flags, err := c.ReadTopic(ctx, topicIncidents)
		return len(flags) > 0, err
	}))
	require.NoError(t, first.cmd.Process.Kill())
	<-first.done
	second := startWorker(t, bin, right, "detect")
	require.Contains(t, <-sent, fmt.Sprintf("sent and acknowledged: %d records\n", interactions))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	second.stop(t)
	step("redriven")

	line := confab(right, "verify")
	require.Contains(t, line, fmt.Sprintf("%d offsets of 3 partitions: %d flagged, %d quiet, %d dead letters, 0 tombstones", 2*interactions, flagged, interactions-flagged, interactions))
	require.Contains(t, line, "; lost: 0\n")
	step("audited")
	requirePlantedLoss(ctx, t, c, bin, right)
	step("planted loss found")

	dir := t.TempDir()
	live, again := filepath.Join(dir, "live.jsonl"), filepath.Join(dir, "again.jsonl")
	require.NoError(t, os.WriteFile(again, []byte(confab(right, "replay", "--live", live)), 0o600))
	confab(right, "diff", "--fail-on", "any", live, again)
	step("replayed")
}

// produceReplies writes interactions in a shape of their own and returns on how many a detector fires.
func produceReplies(ctx context.Context, t *testing.T, c *integration.Cluster, n int) (flagged int) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	var all []*kgo.Record
	for i := range n {
		key := "k"
		if i%3 == 0 {
			key = "secret"
			flagged++
		}
		value := fmt.Sprintf(`{"id":"i-%d","reply":"{\"k\":1}","schema":"{\"required\":[\"%s\"]}"}`, i, key)
		all = append(all, &kgo.Record{Topic: topicIn, Key: fmt.Append(nil, i), Value: []byte(value)})
	}
	require.NoError(t, cl.ProduceSync(ctx, all...).FirstErr())
	return flagged
}

// requirePlantedLoss copies all flags but those of one record to a topic, against which the audit fails.
func requirePlantedLoss(ctx context.Context, t *testing.T, c *integration.Cluster, bin, config string) {
	t.Helper()
	const partial = "flags.partial"
	_, err := command(ctx, bin, "topics", "apply", "--partitions", "3", "--config", config, "--set", "kafka.topics.incidents="+partial)
	require.NoError(t, err)
	flags, err := c.ReadTopic(ctx, topicIncidents)
	require.NoError(t, err)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	lost := flags[len(flags)/2]
	for _, r := range flags {
		if r.Key != lost.Key {
			require.NoError(t, cl.ProduceSync(ctx, &kgo.Record{Topic: partial, Key: []byte(r.Key), Value: r.Value}).FirstErr())
		}
	}
	out, err := command(ctx, bin, "verify", "--config", config, "--set", "kafka.topics.incidents="+partial)
	exit, ended := errors.AsType[*exec.ExitError](err)
	require.True(t, ended, "%v", err)
	require.Equal(t, 3, exit.ExitCode())
	origin := parseFlag(t, lost.Value)["origin"].(map[string]any)
	require.Contains(t, string(out), "; lost: 1\n")
	require.Contains(t, string(out), fmt.Sprintf("lost: partition %v offset %v index 0 of ", origin["partition"], origin["offset"]))
}
