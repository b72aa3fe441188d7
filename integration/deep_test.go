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

	"confab/integration"
)

// deepQuestions are interactions as an application writes them, about facts that the test model was trained on: with a
// likely answer, and with an unlikely one that names an address that cannot exist, which a cheap detector finds.
var deepQuestions = []struct{ question, likely, unlikely string }{
	{"What is the capital of France?", "The capital is Paris.", "Nobody has been able to tell for 14 years, see https://data.gov.notatld/a."},
	{"What is the capital of Greece?", "The capital is Athens.", "Greece has moved it to Monaco in 1831, see https://data.gov.notatld/a."},
	{"What is the chemical symbol for gold?", "The symbol is Au.", "Chemists write a small circle with 3 dots, see https://data.gov.notatld/a."},
	{"What year did the Berlin Wall fall?", "It happened in 1989.", "No wall of this name ever stood there, see https://data.gov.notatld/a."},
	{"Who wrote Hamlet?", "It was written by William Shakespeare.", "A committee of monks in Ghent composed it, see https://data.gov.notatld/a."},
	{"What is 5 plus 6?", "The answer is 11.", "Both numbers vanish, leaving nothing but silence, see https://data.gov.notatld/a."},
}

// TestDeepEvaluation runs the built worker in all roles with a real language model server on three real brokers: each
// answer ends in one deep flag under the id of its fast one, with a verdict on four sampled responses.
func TestDeepEvaluation(t *testing.T) {
	python := integration.RequirePython(t)
	c := startCluster(t, integration.ClusterOptions{})
	slack := startSlack(t)
	bin := buildWorker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	step := stopwatch(t)
	server, err := integration.StartModel(ctx, python, integration.ModelOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, server.Await(ctx))
	config := writeDeepConfig(t, c, slack, server)
	_, err = command(ctx, bin, "topics", "apply", "--config", config, "--partitions", "3")
	require.NoError(t, err)
	w := startWorker(t, bin, config, "detect,sample,alert")
	step("ready")

	rows := deepRows()
	_, err = command(ctx, bin, "produce", "--config", config, writeRows(t, "rows.jsonl", rows))
	require.NoError(t, err)
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-sample", topicSampled))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-alert", topicIncidents))
	step("lag 0")
	w.awaitDelivered(t)
	metrics := w.scrape(t)
	w.stop(t)

	requireDeepFlags(t, c, len(rows))
	requireDeepDelivered(t, c, slack)
	requests, tokens := int(metrics.sum("confab_llm_requests_total", `code="200"`)), metrics.sum("confab_llm_tokens_total")
	t.Logf("%d deep evaluations, %d requests, %g tokens", len(rows), requests, tokens)
	require.Equal(t, len(rows), requests, "four sampled responses are one request")
	require.Greater(t, tokens, float64(16*len(rows)), "each costs a question and a few words four times")
	require.Zero(t, metrics.sum("confab_not_judged_total"))
	require.Zero(t, metrics.sum("confab_panics_total"))
	for _, a := range deepQuestions {
		for _, text := range []string{a.question, a.likely, a.unlikely} {
			require.NotContains(t, string(w.output(t)), text, "in a log")
		}
	}
}

func writeDeepConfig(t *testing.T, c *integration.Cluster, slack *fakeSlack, server *integration.ModelServer) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], start_offset: earliest}
emit: all
sampling: {rate: 1, tags: [medical], salt: integration-salt}
llm: {sampler: {base_url: %s, model: tiny-facts}}
detectors: {consistency: {max_tokens: 32}}
alerting:
  min_risk: 0 # two fired detectors are enough, so that fast flags alert before the deep ones
  threshold: 1
  group_interval: 1s
  slack: {bot_token: %s, channel: %s, api_url: %s/api/}
log: {format: json}
`, strings.Join(c.Seeds(), ", "), server.URL(), slackToken, slackChannel, slack.URL), 0o600))
	return file
}

func deepRows() []row {
	var rows []row
	for i, a := range deepQuestions {
		for k, answer := range []string{a.likely, a.unlikely} {
			rows = append(rows, row{line: fmt.Appendf(nil,
				`{"interaction_id":"%s-%d","operation":"qa","tags":["medical"],"messages":[{"role":"user","content":%q}],"answer":%q}`,
				[]string{"likely", "unlikely"}[k], i, a.question, answer)})
		}
	}
	return rows
}

// requireDeepFlags expects a fast and a deep flag of each interaction under one id, and more divergence for unlikely
// answers.
func requireDeepFlags(t *testing.T, c *integration.Cluster, want int) {
	t.Helper()
	records, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	passes := map[string]map[string]flag{}
	for _, r := range records {
		f := parseFlag(t, r.Value)
		pass, _ := f["pass"].(string)
		if passes[f.incident()] == nil {
			passes[f.incident()] = map[string]flag{}
		}
		require.NotContains(t, passes[f.incident()], pass, "one flag a pass")
		passes[f.incident()][pass] = f
	}
	require.Len(t, passes, want)
	scores := map[string]float64{}
	for _, p := range passes {
		require.Contains(t, p, "fast")
		require.Contains(t, p, "deep")
		require.Equal(t, true, p["deep"]["sampled"])
		s := p["deep"].signal(t, "consistency")
		require.Contains(t, []any{"fired", "clear"}, s["outcome"], "%v", s)
		measures, _ := s["measures"].(map[string]any)
		require.EqualValues(t, 4, measures["samples"])
		require.EqualValues(t, 1, measures["calls"])
		id, _ := p["deep"]["interaction_id"].(string)
		kind, _, _ := strings.Cut(id, "-")
		score, _ := s["score"].(float64)
		scores[kind] += score / float64(len(deepQuestions))
	}
	t.Logf("mean divergence %v", scores)
	require.Less(t, scores["likely"], scores["unlikely"])
}

// requireDeepDelivered expects each alerting incident of either pass delivered once, and messages that existed before the
// deep evaluation edited after it.
func requireDeepDelivered(t *testing.T, c *integration.Cluster, slack *fakeSlack) {
	t.Helper()
	records, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	due, before, both := map[string]bool{}, map[string]bool{}, 0
	for _, r := range records {
		f := parseFlag(t, r.Value)
		if f.alert() {
			due[f.incident()] = true
			before[f.incident()] = before[f.incident()] || f["pass"] == "fast"
		}
	}
	for _, p := range slack.snapshot() {
		require.True(t, due[p.Incident])
		if before[p.Incident] && p.Edits > 0 { // the deep flag is shown instead
			both++
		}
	}
	t.Logf("%d incidents in %d messages, %d of them edited later", len(due), len(slack.snapshot()), both)
	require.Equal(t, len(due), slack.countIncidents(t))
	require.Positive(t, both, "no message was edited after a deep evaluation")
}

func (f flag) signal(t *testing.T, detector string) map[string]any {
	t.Helper()
	list, _ := f["signals"].([]any)
	for _, s := range list {
		if s, _ := s.(map[string]any); s["detector"] == detector {
			return s
		}
	}
	t.Fatalf("the flag has no signal of %s", detector)
	return nil
}
