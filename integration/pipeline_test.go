//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

const (
	interactions = 5000
	maxAlerts    = 40  // Slack takes one message a second
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
	faultUnderLoad(ctx, t, c)
	require.NoError(t, <-load)
	step("load, one broker killed")
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-alert", topicIncidents))
	step("lag 0")
	first.stop(t)
	second.stop(t)
	step("stopped in order")

	t.Run("flags", func(t *testing.T) { judgeFlags(t, c, want) })
	t.Run("slack", func(t *testing.T) { judgeSlack(t, slack, want) })
	t.Run("forwarded", func(t *testing.T) { judgeForwarded(t, c, rows) })
	t.Run("dead letters", func(t *testing.T) { judgeDeadLetters(t, c, poison) })
	t.Run("logs", func(t *testing.T) { judgeLogs(t, rows, first.output(t), second.output(t)) })
	step("judged")
}

func writeConfig(t *testing.T, c *integration.Cluster, slack *fakeSlack) string {
	t.Helper()
	text := fmt.Sprintf(`
kafka:
  seed_brokers: [%s]
  start_offset: earliest
  session_timeout: 10s
  heartbeat_interval: 1s
sampling: {rate: %g, tags: [medical], salt: integration-salt}
alerting:
  slack: {bot_token: %s, channel: %s, api_url: %s/api/, timeout: 5s}
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

// faultUnderLoad kills a broker once flags flow, waits until the others have dropped it, and brings it back. All of that
// must fall into the load.
func faultUnderLoad(ctx context.Context, t *testing.T, c *integration.Cluster) {
	t.Helper()
	const victim, witness = 1, 2
	require.NoError(t, integration.Await(ctx, "flags flow", func(ctx context.Context) (bool, error) {
		n, err := c.Length(ctx, topicIncidents)
		return n >= 50, err
	}))
	require.NoError(t, c.Kill(ctx, victim))
	require.NoError(t, c.AwaitISR(ctx, witness, topicIn, 2))
	require.NoError(t, c.Start(ctx, victim))
	var n int64
	require.NoError(t, integration.Await(ctx, "a new leader knows its end", func(ctx context.Context) (_ bool, err error) {
		n, err = c.Length(ctx, topicIn)
		return err == nil, err
	}))
	require.Less(t, n, int64(interactions), "the fault came after the load: lower loadRate")
	require.NoError(t, c.AwaitISR(ctx, witness, topicIn, 3))
}

func judgeFlags(t *testing.T, c *integration.Cluster, want map[string]flag) {
	t.Helper()
	ours, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	got := map[string]flag{}
	repeats := 0
	for _, r := range ours {
		f := parseFlag(t, r.Value)
		require.Equal(t, f.incident(), r.Key, "the record's key")
		if earlier, ok := got[f.incident()]; ok {
			repeats++
			require.Empty(t, cmp.Diff(earlier.comparable(), f.comparable()), "a repeat says the same")
		}
		got[f.incident()] = f
	}
	var missing, differ, uncalled int
	for id, w := range want {
		g, ok := got[id]
		switch {
		case !ok && w.fired():
			missing++
		case ok:
			if d := cmp.Diff(w.comparable(), g.comparable()); d != "" {
				if differ++; differ <= 3 {
					t.Logf("%s: check (-) and the topic (+) differ:\n%s", id, d)
				}
			}
		}
	}
	for id := range got {
		if w, ok := want[id]; !ok || !w.fired() {
			uncalled++
		}
	}
	t.Logf("%d flags, %d repeats", len(got), repeats)
	require.Zero(t, missing, "flags that check gives and the topic lacks")
	require.Zero(t, differ, "flags that differ")
	require.Zero(t, uncalled, "flags that check does not give")

	theirs, err := c.KcatRead(t.Context(), topicIncidents)
	if requireKcat(t, err) {
		require.Equal(t, byPlace(ours), byPlace(theirs), "kcat reads the same records")
	}
}

func byPlace(records []integration.Record) map[string]string {
	out := map[string]string{}
	for _, r := range records {
		out[fmt.Sprintf("%d/%d", r.Partition, r.Offset)] = r.Key + " " + string(r.Value)
	}
	return out
}

// judgeSlack expects each alert in the channel, once; another post of the same must say that it may be a repeat.
func judgeSlack(t *testing.T, slack *fakeSlack, want map[string]flag) {
	t.Helper()
	unmarked := map[string]int{}
	told := map[string]bool{}
	for _, p := range slack.snapshot() {
		told[p.Incident] = true
		if !strings.Contains(strings.ToLower(p.Text+p.Blocks), "may repeat") {
			unmarked[p.Incident]++
		}
	}
	due := map[string]bool{}
	for id, f := range want {
		if f.alert() {
			due[id] = true
		}
	}
	require.Equal(t, due, told, "incidents told in Slack")
	for id, n := range unmarked {
		require.LessOrEqual(t, n, 1, "posts about %s without a mark", id)
	}
	t.Logf("%d alerts told in %d posts", len(told), len(slack.snapshot()))
}

// judgeForwarded expects copies of tagged interactions, byte for byte as they were read, and as many as flags speak of.
func judgeForwarded(t *testing.T, c *integration.Cluster, rows []row) {
	t.Helper()
	input, err := c.ReadTopic(t.Context(), topicIn)
	require.NoError(t, err)
	values := map[string]bool{}
	for _, r := range input {
		values[string(r.Value)] = true
	}
	copies, err := c.ReadTopic(t.Context(), topicSampled)
	require.NoError(t, err)
	forwarded := map[string]bool{}
	for _, r := range copies {
		require.True(t, values[string(r.Value)], "a copy differs from every record that was read")
		require.Contains(t, string(r.Value), `"medical"`)
		forwarded[r.Key] = true
	}
	flags, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	picked := 0
	for _, r := range flags {
		f := parseFlag(t, r.Value)
		if f["sampled"] == true {
			picked++
			require.True(t, forwarded[f["interaction_id"].(string)], "a flag says sampled and no copy is there")
		}
	}
	t.Logf("%d copies, %d flags speak of one", len(forwarded), picked)
	require.Positive(t, picked)
	tagged := 0.0
	for _, r := range rows {
		if r.tagged {
			tagged++
		}
	}
	require.InDelta(t, sampleRate*tagged, len(forwarded), 5*math.Sqrt(tagged*sampleRate*(1-sampleRate)), "the share of the draw, within five sigma")
}

func judgeDeadLetters(t *testing.T, c *integration.Cluster, want []string) {
	t.Helper()
	letters, err := c.ReadTopic(t.Context(), topicDLQ)
	require.NoError(t, err)
	var got []string
	seen := map[string]bool{}
	for _, r := range letters {
		if !seen[string(r.Value)] {
			seen[string(r.Value)] = true
			got = append(got, string(r.Value))
		}
	}
	require.ElementsMatch(t, want, got)
}

// judgeLogs looks for text of answers, and for the token, in what the workers logged.
func judgeLogs(t *testing.T, rows []row, logs ...[]byte) {
	t.Helper()
	for _, log := range logs {
		require.NotEmpty(t, log)
		require.NotContains(t, string(log), slackToken)
		for _, r := range rows {
			if len(r.answer) >= 40 {
				require.False(t, bytes.Contains(log, []byte(r.answer[:40])), "the answer of %s is in a log", r.id)
			}
		}
	}
}

// requireKcat reports whether the second reader could be asked.
func requireKcat(t *testing.T, err error) bool {
	t.Helper()
	if errors.Is(err, integration.ErrNoKcat) && os.Getenv("REQUIRE_DOCKER") != "1" {
		t.Log(err)
		return false
	}
	require.NoError(t, err)
	return true
}
