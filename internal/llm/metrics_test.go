package llm

import (
	"fmt"
	"strings"
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
	want := `
# HELP confab_llm_requests_total Requests to language models and classifiers, each attempt by its HTTP status or what came instead.
# TYPE confab_llm_requests_total counter
confab_llm_requests_total{code="200",model="tiny"} 3
confab_llm_requests_total{code="3xx",model="tiny"} 1
confab_llm_requests_total{code="429",model="tiny"} 1
confab_llm_requests_total{code="4xx",model="tiny"} 1
confab_llm_requests_total{code="5xx",model="tiny"} 1
confab_llm_requests_total{code="bad_reply",model="tiny"} 1
confab_llm_requests_total{code="connection",model="tiny"} 1
confab_llm_requests_total{code="timeout",model="tiny"} 1
# HELP confab_llm_tokens_total Tokens of requests that were answered, as the server counts them or estimated, by kind: prompt, completion.
# TYPE confab_llm_tokens_total counter
confab_llm_tokens_total{kind="completion"} 6
confab_llm_tokens_total{kind="prompt"} 7
`
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(want), "confab_llm_requests_total", "confab_llm_tokens_total"))
}

// Whatever a server answers, and whatever models there are, the number of series has a limit.
func TestLabelsAreBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "tiny")
	for status := range 2000 {
		for _, model := range []string{"tiny", fmt.Sprint("model-", status)} {
			m.observe(model, statusError("chat", status, apiRefusal{}), 0)
		}
	}
	n, err := testutil.GatherAndCount(reg, "confab_llm_requests_total")
	require.NoError(t, err)
	require.LessOrEqual(t, n, 2*23)
}
