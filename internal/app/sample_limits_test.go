package app

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/llm/llmtest"
	"confab/sampling"
	"confab/schemas"
)

// TestEndedWorkIsNotASpentBudget: a deep detector that the counted work ends reads "skipped", "budget", as one without
// tokens does. The metric of what was not judged tells the two apart.
func TestEndedWorkIsNotASpentBudget(t *testing.T) {
	for name, tt := range map[string]struct {
		maxWork, tokens int64
		counted         sampling.NotJudged
	}{
		"work ended":     {1, 1000, sampling.NotJudgedError},
		"tokens refused": {0, 1, sampling.NotJudgedBudget},
	} {
		t.Run(name, func(t *testing.T) {
			fast := newLimitBench(t, tt.maxWork)
			c, base := DefaultConfig(), fast.role.verdict.Load().base
			base.Metrics = nil
	base.config = c
			base.deep = true
			server, err := llmtest.Listen(t, llmtest.Options{Answer: answersAlike})
			require.NoError(t, err)
			c.LLM.Sampler.BaseURL, c.LLM.Sampler.Model = server.URL+"/v1", "model"
			clients, err := openClients(&c.LLM, newDeepMetrics(prometheus.NewRegistry(), &c.LLM))
			require.NoError(t, err)
			defer clients.close()
			v, err := newVerdict(c, base, schemas.PassDeep)
			require.NoError(t, err)
			all, _ := memorySessions(t, tt.tokens)
			all.clients = clients
			reg := prometheus.NewRegistry()
			s := &sample{
				sessions: all, timeout: time.Minute, publisher: fast.role.publisher, now: time.Now,
				notJudged: sampling.NewNotJudgedMetrics(reg), busyUntil: func(time.Time) {}, waiting: make(map[int32]waitingSession),
			}
			s.verdict.Store(v)
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
				got := (&bench{registry: reg}).metric(t, "confab_not_judged_total", "reason", string(reason))
				require.InDelta(t, want, got, 0, reason)
			}
			require.Empty(t, server.Requests())
		})
	}
}
