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
	"confab/integration/llmserver"
)

// answered are interactions as an application writes them, about things that the test model was trained on: with what it
// would say, and with something else, which names an address that cannot exist: a cheap detector sees that much.
var answered = []struct{ question, likely, unlikely string }{
	{"What is the capital of France?", "The capital is Paris.", "Nobody has been able to tell for 14 years, see https://data.gov.notatld/a."},
	{"What is the capital of Greece?", "The capital is Athens.", "Greece has moved it to Monaco in 1831, see https://data.gov.notatld/a."},
	{"What is the chemical symbol for gold?", "The symbol is Au.", "Chemists write a small circle with 3 dots, see https://data.gov.notatld/a."},
	{"What year did the Berlin Wall fall?", "It happened in 1989.", "No wall of this name ever stood there, see https://data.gov.notatld/a."},
	{"Who wrote Hamlet?", "It was written by William Shakespeare.", "A committee of monks in Ghent composed it, see https://data.gov.notatld/a."},
	{"What is 5 plus 6?", "The answer is 11.", "Both numbers vanish, leaving nothing but silence, see https://data.gov.notatld/a."},
}

// TestDeepEvaluation lets the built worker, in all of its roles, ask a real server of language models about every answer on
// three real brokers: each ends in one deep flag under the id of its fast one, with a verdict on four fresh answers.
func TestDeepEvaluation(t *testing.T) {
	python := llmserver.RequirePython(t)
	c := startCluster(t, integration.ClusterOptions{})
	slack := startSlack(t)
	bin := buildWorker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	step := stopwatch(t)
	server, err := llmserver.Start(ctx, python, llmserver.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, server.Await(ctx))
	config := writeDeepConfig(t, c, slack, server)
	_, err = command(ctx, bin, "topics", "apply", "--config", config, "--partitions", "3")
	require.NoError(t, err)
	w := startWorker(t, bin, config, "detect,sample,alert")
	step("ready")

	rows := answeredRows()
	_, err = command(ctx, bin, "produce", "--config", config, writeRows(t, "rows.jsonl", rows))
	require.NoError(t, err)
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-sample", topicSampled))
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-alert", topicIncidents))
	step("lag 0")
	w.awaitTold(t)
	metrics := w.scrape(t)
	w.stop(t)

	judgeDeep(t, c, len(rows))
	judgeDeepTold(t, c, slack)
	requests, tokens := int(metrics.sum("confab_llm_requests_total", `code="200"`)), metrics.sum("confab_llm_tokens_total")
	t.Logf("%d deep looks, %d requests, %g tokens", len(rows), requests, tokens)
	require.Equal(t, len(rows), requests, "four fresh answers are one request")
	require.Greater(t, tokens, float64(16*len(rows)), "each costs a question and a few words four times")
	require.Zero(t, metrics.sum("confab_not_judged_total"))
	require.Zero(t, metrics.sum("confab_panics_total"))
	for _, a := range answered {
		for _, text := range []string{a.question, a.likely, a.unlikely} {
			require.NotContains(t, string(w.output(t)), text, "in a log")
		}
	}
}

func writeDeepConfig(t *testing.T, c *integration.Cluster, slack *fakeSlack, server *llmserver.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], start_offset: earliest}
emit: all
sampling: {rate: 1, tags: [medical], salt: integration-salt}
llm: {sampler: {base_url: %s, model: tiny-facts}}
detectors: {consistency: {max_tokens: 32}}
alerting:
  threshold: 1
  unusual: {share: 1}
  group_interval: 1s
  slack: {bot_token: %s, channel: %s, api_url: %s/api/, timeout: 5s}
log: {format: json}
`, strings.Join(c.Seeds(), ", "), server.URL(), slackToken, slackChannel, slack.URL), 0o600))
	return file
}

func answeredRows() []row {
	var rows []row
	for i, a := range answered {
		for k, answer := range []string{a.likely, a.unlikely} {
			rows = append(rows, row{line: fmt.Appendf(nil,
				`{"interaction_id":"%s-%d","operation":"qa","tags":["medical"],"messages":[{"role":"user","content":%q}],"answer":%q}`,
				[]string{"likely", "unlikely"}[k], i, a.question, answer)})
		}
	}
	return rows
}

// judgeDeep expects a fast and a deep flag of each interaction under one id, and more divergence where the answer is not
// what the model says.
func judgeDeep(t *testing.T, c *integration.Cluster, want int) {
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
		scores[kind] += score / float64(len(answered))
	}
	t.Logf("mean divergence %v", scores)
	require.Less(t, scores["likely"], scores["unlikely"])
}

// judgeDeepTold expects each incident that alerts, by whatever pass, told once, and what the deep look found in the
// messages that stood before it.
func judgeDeepTold(t *testing.T, c *integration.Cluster, slack *fakeSlack) {
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
		if before[p.Incident] && p.Edits > 0 && strings.Contains(p.Blocks, "consistency") {
			both++
		}
	}
	t.Logf("%d incidents told in %d messages and %d replies, %d of them told and then edited", len(due), len(slack.snapshot()), len(slack.replies), both)
	require.Equal(t, len(due), slack.told(t))
	require.Positive(t, both, "no message was edited after a deep look")
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
