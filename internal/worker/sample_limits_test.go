package worker

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/evaluation"
	"confab/sampling"
	"confab/schemas"
)

// TestWorkLimitIsNotABudgetRefusal: a deep detector that reaches the limit on counted work has the outcome "skipped",
// "budget", like one without tokens. The metric of missing verdicts distinguishes the two.
func TestWorkLimitIsNotABudgetRefusal(t *testing.T) {
	for name, tt := range map[string]struct {
		maxWork, tokens int64
		counted         sampling.NotJudged
	}{
		"work ended":     {1, 1000, sampling.NotJudgedError},
		"tokens refused": {0, 1, sampling.NotJudgedBudget},
	} {
		t.Run(name, func(t *testing.T) {
			fast := newLimitHarness(t, tt.maxWork)
			c, o := config.Default(), fast.options
			o.Pass, o.Suite.Metrics = schemas.PassDeep, nil
			server, err := llmtest.Listen(t, llmtest.Options{Answer: answersAlike})
			require.NoError(t, err)
			c.LLM.Sampler.BaseURL, c.LLM.Sampler.Model = server.URL+"/v1", "model"
			clients, err := deep.OpenClients(c, deep.NewMetrics(prometheus.NewRegistry(), &c.LLM))
			require.NoError(t, err)
			defer clients.Close()
			v, err := evaluation.New(c, o)
			require.NoError(t, err)
			c.LLM.Budget.TokensPerWindow, c.LLM.EvaluationTimeout = tt.tokens, time.Minute
			ledger := deep.NewRunLedger(c, time.Now)
			reg := prometheus.NewRegistry()
			s := deep.NewHandler(&deep.Options{
				Config: c, Budget: ledger, Clients: clients, NotJudged: sampling.NewNotJudgedMetrics(reg), Publisher: fast.role.publisher,
				Now: time.Now, BusyUntil: func(time.Time) {},
			})
			s.Evaluator.Store(v)
			in := &schemas.Interaction{
				ID: "i-1", Tenant: "default", Answer: "The old bridge was opened in May 1937.",
				Messages: []schemas.Message{{Role: "user", Content: "When was it opened?"}},
			}
			origin := schemas.Origin{Topic: "in"}
			out, copied := &flagsOf{}, consumer.Record[*schemas.Interaction]{
				Topic: "sampled", Value: in, Headers: []kafka.Header{{Key: sampling.HeaderOrigin, Value: origin.Header("default")}},
			}
			require.NoError(t, s.Handle(t.Context(), []consumer.Record[*schemas.Interaction]{copied}, out))
			require.Len(t, out.list, 1)
			signal := signalOf(t, &out.list[0], "consistency")
			require.Equal(t, schemas.Skipped, signal.Outcome)
			require.Equal(t, "budget", signal.Reason)
			for _, reason := range sampling.NotJudgedReasons() {
				want := 0.0
				if reason == tt.counted {
					want = 1
				}
				got := (&workerHarness{registry: reg}).metric(t, "confab_not_judged_total", "reason", string(reason))
				require.InDelta(t, want, got, 0, reason)
			}
			require.Empty(t, server.Requests())
		})
	}
}
