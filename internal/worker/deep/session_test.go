package deep

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/llm/llmtest"
	"confab/internal/logtest"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/sampling/budget"
	"confab/schemas"
)

// newMemorySessions are sessions within a budget that no other process shares.
func newMemorySessions(t *testing.T, tokens int64) (*sessionFactory, *budget.Ledger) {
	t.Helper()
	c := config.Default()
	c.LLM.Budget.TokensPerWindow = tokens
	ledger := NewRunLedger(c, func() time.Time { return time.Unix(1_700_000_000, 0) })
	c.Tenants = map[string]config.Tenant{"private": {LLM: config.TenantLLM{OptOut: true}}}
	return newSessionFactory(c, ledger, &Clients{}, logUnread(nil)), ledger
}

func reservedTokens(t *testing.T, ledger *budget.Ledger, name string) float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	require.NoError(t, reg.Register(ledger))
	families, err := reg.Gather()
	require.NoError(t, err)
	sum := 0.0
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// countingResampler answers and counts how often it was asked.
type countingResampler struct {
	gate  sampling.Gate
	asked int
}

func (c *countingResampler) Resample(ctx context.Context, _ *schemas.Interaction, _ schemas.SampleRequest) ([]schemas.SampledResponse, schemas.Usage, error) {
	if err := c.gate(ctx, 100); err != nil {
		return nil, schemas.Usage{}, err
	}
	c.asked++
	return []schemas.SampledResponse{{Text: "a"}}, schemas.Usage{Calls: 1, PromptTokens: 20, CompletionTokens: 10}, nil
}

// newCountingResampler is a metered resampler of the session, and the resampler behind it.
func (s *session) newCountingResampler(e *config.Endpoint) (meteredResampler, *countingResampler) {
	inner := &countingResampler{gate: s.reserve}
	client := &modelClient{endpoint: e, cost: prometheus.NewCounter(prometheus.CounterOpts{Name: "cost"})}
	return meteredResampler{inner, endpointMeter{s, client}}, inner
}

func TestRepliesAreChargedOnce(t *testing.T) {
	all, ledger := newMemorySessions(t, 1000)
	r, inner := all.open("default", 0, time.Unix(0, 0)).newCountingResampler(&config.Endpoint{PromptPrice: 1, CompletionPrice: 2})
	for range 2 {
		answers, used, err := r.Resample(t.Context(), nil, schemas.SampleRequest{Answers: 4})
		require.NoError(t, err)
		require.Len(t, answers, 1)
		require.Equal(t, 20, used.PromptTokens, "an answer that is known tells what it cost")
		require.InDelta(t, 40e-6, used.Cost, 1e-12)
	}
	require.Equal(t, 1, inner.asked)
	require.InDelta(t, 30, reservedTokens(t, ledger, "confab_budget_spent_tokens"), 0)
	_, _, err := r.Resample(t.Context(), nil, schemas.SampleRequest{Answers: 5})
	require.NoError(t, err)
	require.Equal(t, 2, inner.asked, "another question")
}

func TestSessionsShareNoReplies(t *testing.T) {
	server, err := llmtest.Listen(t, llmtest.Options{Answer: func(llmtest.Chat, int) string { return "Within two days." }})
	require.NoError(t, err)
	c := config.Default()
	c.LLM.Sampler.BaseURL, c.LLM.Sampler.Model = server.URL+"/v1", "model"
	clients, err := OpenClients(c, NewMetrics(prometheus.NewRegistry(), &c.LLM))
	require.NoError(t, err)
	defer clients.Close()
	all, _ := newMemorySessions(t, 100_000)
	all.clients = clients
	for _, tenant := range []string{"default", "private", "default"} {
		models := all.open(tenant, 0, time.Unix(0, 0)).models
		require.Nil(t, models.Judge, "not configured")
		for range 2 {
			in := &schemas.Interaction{Messages: []schemas.Message{{Role: "user", Content: "When?"}}}
			_, _, err := models.Resampler.Resample(t.Context(), in, schemas.SampleRequest{Answers: 2, MaxTokens: 10})
			if tenant == "private" {
				require.ErrorIs(t, err, schemas.OptedOut)
			} else {
				require.NoError(t, err)
			}
		}
	}
	require.Len(t, server.Requests(), 2, "one a session; none of a tenant that has opted out")
}

// Prompts to language models have no matches of own patterns.
func TestPromptsAreRedactedByOwnPatterns(t *testing.T) {
	server, err := llmtest.Listen(t, llmtest.Options{Answer: func(llmtest.Chat, int) string { return "Within two days." }})
	require.NoError(t, err)
	c := config.Default()
	c.LLM.Sampler.BaseURL, c.LLM.Sampler.Model = server.URL+"/v1", "model"
	c.Redaction.Patterns = []config.RedactionPattern{{Name: "customer", Pattern: `KD-[0-9]+`}}
	clients, err := OpenClients(c, NewMetrics(prometheus.NewRegistry(), &c.LLM))
	require.NoError(t, err)
	defer clients.Close()
	all, _ := newMemorySessions(t, 100_000)
	all.clients = clients
	in := &schemas.Interaction{Messages: []schemas.Message{{Role: "user", Content: "When does KD-4711 get it?"}}}
	_, _, err = all.open("default", 0, time.Unix(0, 0)).models.Resampler.Resample(t.Context(), in, schemas.SampleRequest{Answers: 2, MaxTokens: 10})
	require.NoError(t, err)
	requests := server.Requests()
	require.NotEmpty(t, requests)
	require.Contains(t, requests[0].Body, "When does [customer] get it?")
}

func TestUnknownCostKeepsTheWholeReservation(t *testing.T) {
	tests := map[string]struct {
		err   error
		calls int
		spent float64
	}{
		"answered":      {nil, 1, 30},
		"a verdict":     {schemas.JudgeCompromised, 1, 30},
		"a failure":     {errors.New("broken"), 1, 0},
		"asked in vain": {nil, 2, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all, ledger := newMemorySessions(t, 1000)
			s := all.open("default", 0, time.Unix(0, 0))
			require.NoError(t, s.reserve(t.Context(), 100))
			s.releaseUnused(schemas.Usage{Calls: tt.calls, PromptTokens: 20, CompletionTokens: 10}, 1, tt.err)
			require.InDelta(t, tt.spent, reservedTokens(t, ledger, "confab_budget_spent_tokens"), 0)
		})
	}
}

func TestReserve(t *testing.T) {
	all, _ := newMemorySessions(t, 1000)
	s := all.open("default", 0, time.Unix(0, 0))
	require.NoError(t, s.reserve(t.Context(), 0), "classifiers cost no tokens")
	require.NoError(t, s.reserve(t.Context(), 500))
	require.ErrorIs(t, s.reserve(t.Context(), 1), schemas.BudgetSpent, "both attempts of the first fill it")
	require.NoError(t, s.failure)

	private := all.open("private", 0, time.Unix(0, 0))
	require.ErrorIs(t, private.reserve(t.Context(), 0), schemas.OptedOut)
	r, inner := private.newCountingResampler(&config.Endpoint{})
	_, _, err := r.Resample(t.Context(), nil, schemas.SampleRequest{})
	require.ErrorIs(t, err, schemas.OptedOut)
	require.Zero(t, inner.asked)

	stranger := all.open("default", 7, time.Unix(0, 0))
	require.Error(t, stranger.reserve(t.Context(), 1))
	require.Error(t, stranger.failure, "books that cannot be written are worth another attempt")
}

func TestNotJudgedReasons(t *testing.T) {
	tests := map[string]struct {
		signal schemas.Signal
		want   sampling.NotJudged
	}{
		"fired":         {schemas.Signal{Outcome: schemas.Fired, Reason: "2 of 4"}, ""},
		"no sources":    {schemas.Signal{Outcome: schemas.NotCheckable, Reason: "no sources"}, ""},
		"not armed":     {schemas.Signal{Outcome: schemas.Skipped, Reason: detectors.ReasonNotArmed}, ""},
		"late":          {schemas.Signal{Outcome: schemas.Skipped, Reason: detectors.ReasonDeadline}, sampling.NotJudgedError},
		"opted out":     {schemas.Signal{Outcome: schemas.Skipped, Reason: "opt_out"}, sampling.NotJudgedOptOut},
		"spent":         {schemas.Signal{Outcome: schemas.Skipped, Reason: "budget"}, sampling.NotJudgedBudget},
		"compromised":   {schemas.Signal{Outcome: schemas.Failed, Reason: "judge_compromised"}, sampling.NotJudgedCompromised},
		"unreadable":    {schemas.Signal{Outcome: schemas.Failed, Reason: "judge_unreadable"}, sampling.NotJudgedUnreadable},
		"another error": {schemas.Signal{Outcome: schemas.Failed, Reason: "chat: auth"}, sampling.NotJudgedError},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, notJudged(&tt.signal, false)) })
	}
}

func TestProbabilityOfACopy(t *testing.T) {
	for text, want := range map[string]float64{"0.01": 0.01, "1": 1, "": 0, "2": 0, "-1": 0, "NaN": 0, "x": 0} {
		require.InDelta(t, want, probability([]byte(text)), 0, text)
	}
}

// Replies that cannot be read reach the given function. The log does not have their texts.
func TestUnreadReplies(t *testing.T) {
	all, _ := newMemorySessions(t, 1000)
	var got []string
	all.unread = func(failure error, reply string) { got = append(got, failure.Error()+": "+reply) }
	m := endpointMeter{all.open("default", 0, time.Unix(0, 0)), &modelClient{endpoint: &config.Endpoint{}, cost: prometheus.NewCounter(prometheus.CounterOpts{Name: "cost"})}}
	for _, failure := range []error{&sampling.UnreadableError{Reply: "secret"}, schemas.JudgeCompromised, errors.New("down"), nil} {
		_, _, err := callMetered(m, "key", 1, func() (int, schemas.Usage, error) { return 0, schemas.Usage{}, failure })
		require.Equal(t, failure, err)
	}
	require.Equal(t, []string{"judge_unreadable: secret"}, got)
	require.ErrorIs(t, &sampling.UnreadableError{Reply: "secret"}, schemas.JudgeUnreadable)

	var lines logtest.Buffer
	log := logUnread(slog.New(slog.NewTextHandler(&lines, nil)))
	log(schemas.JudgeUnreadable, "secret")
	require.Equal(t, 1, lines.Count("\n"))
	require.Equal(t, 1, lines.Count("error=judge_unreadable"))
	require.Zero(t, lines.Count("secret"))
}

// A session that yields sends nothing, and takes nothing from the budget.
func TestYieldingSession(t *testing.T) {
	all, ledger := newMemorySessions(t, 1000)
	s := all.open("default", 0, time.Unix(0, 0))
	s.yields = true
	r, inner := s.newCountingResampler(&config.Endpoint{})
	_, _, err := r.Resample(t.Context(), nil, schemas.SampleRequest{Answers: 4})
	require.ErrorIs(t, err, schemas.BudgetSpent)
	require.Zero(t, inner.asked)
	require.Zero(t, reservedTokens(t, ledger, "confab_budget_reserved_tokens"))
}
