package llm

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// Each attempt counts once, by what became of it; tokens count where a server answered.
func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "tiny")
	script := scriptedServer(
		llmtest.Reply{Status: 429}, llmtest.Reply{Reset: true}, llmtest.Reply{Status: 599}, llmtest.Reply{}, // the first call
		llmtest.Reply{Hang: true}, llmtest.Reply{Body: "no JSON"}, // the second
		llmtest.Reply{Status: 307}, llmtest.Reply{Status: 418}, // the third and the fourth
	)
	inBubble(t, script, func(t *testing.T, c *Client, _ *llmtest.Server) {
		for range 5 {
			_, _ = c.Chat(t.Context(), askOnce("one two"))
		}
		_, err := c.Embed(t.Context(), []string{"a b c"})
		require.NoError(t, err)
	}, func(o *Options) { o.Metrics = m })
	require.Equal(t, map[string]float64{
		"confab_llm_requests_total 200 tiny": 3, "confab_llm_requests_total 3xx tiny": 1, "confab_llm_requests_total 429 tiny": 1,
		"confab_llm_requests_total 4xx tiny": 1, "confab_llm_requests_total 5xx tiny": 1, "confab_llm_requests_total bad_reply tiny": 1,
		"confab_llm_requests_total connection tiny": 1, "confab_llm_requests_total timeout tiny": 1,
		"confab_llm_tokens_total completion": 6, "confab_llm_tokens_total prompt": 7,
	}, countedSeries(t, reg))
}

// countedSeries returns the counters above 0 by name and label values.
func countedSeries(t *testing.T, reg prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	counted := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			key := f.GetName()
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			if v := m.GetCounter().GetValue(); v > 0 {
				counted[key] = v
			}
		}
	}
	return counted
}

// Whatever a server answers, and whatever models there are, the number of series has a limit.
func TestLabelsAreBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "tiny")
	for status := range 2000 {
		for _, model := range []string{"tiny", fmt.Sprint("model-", status)} {
			m.observe(t.Context(), model, statusError("chat", status, ""), 0)
		}
	}
	n, err := testutil.GatherAndCount(reg, "confab_llm_requests_total")
	require.NoError(t, err)
	require.LessOrEqual(t, n, 2*23)
}
