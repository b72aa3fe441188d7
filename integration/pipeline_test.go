//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

const (
	interactions = 5000
	maxAlerts    = 200 // in groups: Slack takes one message a second
	sampleRate   = .1  // of the tagged interactions
	loadRate     = 200 // interactions a second, so that the fault falls into the load

	topicIn        = "llm.interactions"
	topicSampled   = "llm.interactions.sampled"
	topicIncidents = "llm.incidents"
	topicDLQ       = "llm.interactions.dlq"
)

// TestPipeline runs the built worker against real brokers, kills one of them under load, and holds what came out
// against what `confab check` says about the same rows: every flag, every post in Slack, every forwarded copy and every
// dead letter. It judges when the groups' lag is 0.
func TestPipeline(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	slack := startSlack(t)
	bin := buildWorker(t)
	config := writeConfig(t, c, slack)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()

	step := stopwatch(t)
	rows, want := expect(ctx, t, bin, config)
	step("expected by check")
	_, err := command(ctx, bin, "topics", "apply", "--config", config, "--partitions", "6")
	require.NoError(t, err)
	poison := producePoison(t, c)
	first := startWorker(t, bin, config, "detect,alert")
	second := startWorker(t, bin, config, "detect")
	step("workers ready")

	file := writeRows(t, "rows.jsonl", rows)
	load := make(chan error, 1)
	go func() {
		_, err := command(ctx, bin, "produce", "--config", config, "--rate", strconv.Itoa(loadRate), file)
		load <- err
	}()
	killUnderLoad(ctx, t, c)
	require.NoError(t, <-load)
	step("load, one broker killed")
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-alert", topicIncidents))
	step("lag 0")
	first.awaitDelivered(t)
	step("delivered")
	metrics := []series{first.scrape(t), second.scrape(t)}
	first.stop(t)
	second.stop(t)
	step("stopped in order")

	t.Run("flags", func(t *testing.T) { requireFlags(t, c, want) })
	t.Run("slack", func(t *testing.T) { requireSlackMessages(t, slack, want) })
	t.Run("forwarded", func(t *testing.T) { requireSampledCopies(t, c, rows) })
	t.Run("dead letters", func(t *testing.T) { requireDeadLetters(t, c, poison) })
	t.Run("metrics", func(t *testing.T) { requireMetrics(t, metrics, interactions+len(poison)) })
	t.Run("logs", func(t *testing.T) { requireCleanLogs(t, rows, first.output(t), second.output(t)) })
	step("judged")
}

func writeConfig(t *testing.T, c *integration.Cluster, slack *fakeSlack) string {
	t.Helper()
	text := fmt.Sprintf(`
kafka:
  seed_brokers: [%s]
  start_offset: earliest
  session_timeout: 10s
sampling: {rate: %g, tags: [medical], salt: integration-salt}
alerting:
  group_interval: 1s
  slack: {bot_token: %s, channel: %s, api_url: %s/api/}
log: {format: json}
`, strings.Join(c.Seeds(), ", "), sampleRate, slackToken, slackChannel, slack.URL)
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// flag is a flag as JSON that was not read with our own types.
type flag map[string]any

func (f flag) incident() string { s, _ := f["incident_id"].(string); return s }
func (f flag) fired() bool      { s, _ := f["fired"].([]any); return len(s) > 0 }
func (f flag) alert() bool      { b, _ := f["alert"].(bool); return b }

func parseFlag(t *testing.T, text []byte) flag {
	t.Helper()
	var f flag
	require.NoError(t, json.Unmarshal(text, &f))
	require.NotEmpty(t, f.incident())
	return f
}

// comparable is the verdict without what depends on where and when it was made.
func (f flag) comparable() flag {
	out := flag{}
	for k, v := range f {
		switch k {
		case "origin", "detected_at", "sampled", "sample_reason", "sample_probability":
		default:
			out[k] = v
		}
	}
	return out
}

// expect lets check measure candidates and keeps as many rows as the test needs, with no more alerts than Slack's rate
// allows in its time. It returns the rows and their flags by incident.
func expect(ctx context.Context, t *testing.T, bin, config string) ([]row, map[string]flag) {
	t.Helper()
	candidates := loadRows(t, interactions*3/2)
	out, err := command(ctx, bin, "check", "--config", config, writeRows(t, "candidates.jsonl", candidates))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	require.Len(t, lines, len(candidates), "check answers every line")
	var rows []row
	want := map[string]flag{}
	fired, alerts := 0, 0
	for i, line := range lines {
		f := parseFlag(t, line)
		if len(rows) == interactions || f.alert() && alerts == maxAlerts {
			continue
		}
		rows = append(rows, candidates[i])
		want[f.incident()] = f
		if f.fired() {
			fired++
		}
		if f.alert() {
			alerts++
		}
	}
	t.Logf("%d rows, %d flagged, %d of them alerts", len(rows), fired, alerts)
	require.Len(t, rows, interactions)
	require.Positive(t, alerts, "no row would reach Slack: the test would prove nothing")
	require.Greater(t, fired, alerts)
	return rows, want
}

// producePoison writes records that no worker can read.
func producePoison(t *testing.T, c *integration.Cluster) []string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topicIn))
	require.NoError(t, err)
	defer cl.Close()
	values := []string{"no json", `{"interaction_id":"x"}`, `{"interaction_id":"x","answer":"a","answer":"b"}`, `{"answer":` + strings.Repeat("[", 5000)}
	for _, v := range values {
		require.NoError(t, cl.ProduceSync(t.Context(), kgo.StringRecord(v)).FirstErr())
	}
	return values
}

// killUnderLoad kills a broker once flags flow, waits until the others have dropped it, and brings it back. All of that
// must fall into the load.
func killUnderLoad(ctx context.Context, t *testing.T, c *integration.Cluster) {
	t.Helper()
	const victim, observer = 1, 2
	require.NoError(t, integration.Await(ctx, "flags flow", func(ctx context.Context) (bool, error) {
		n, err := c.Length(ctx, topicIncidents)
		return n >= 50, err
	}))
	require.NoError(t, c.Kill(ctx, victim))
	require.NoError(t, c.AwaitISR(ctx, observer, topicIn, 2))
	require.NoError(t, c.Start(ctx, victim))
	var n int64
	require.NoError(t, integration.Await(ctx, "a new leader knows its end", func(ctx context.Context) (_ bool, err error) {
		n, err = c.Length(ctx, topicIn)
		return err == nil, err
	}))
	require.Less(t, n, int64(interactions), "the fault came after the load: lower loadRate")
	require.NoError(t, c.AwaitISR(ctx, observer, topicIn, 3))
}
