package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/records"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// newSampleHarness is a harness whose worker runs all three roles, with the server as sampler and judge.
func newSampleHarness(t *testing.T, o llmtest.Options) (*workerHarness, *llmtest.Server) {
	t.Helper()
	server, err := llmtest.Listen(t, o)
	require.NoError(t, err)
	b := newWorkerHarness(t)
	for _, e := range []*config.Endpoint{&b.config.LLM.Sampler, &b.config.LLM.Judge.Endpoint} {
		e.BaseURL, e.Model = server.URL+"/v1", "model"
	}
	b.config.LLM.Sampler.PromptPrice, b.config.LLM.Sampler.CompletionPrice = 3, 5
	require.NoError(t, b.config.Validate())
	require.Equal(t, []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert}, b.config.ActiveRoles())
	return b, server
}

// asks is an interaction with a question, sources and a tag that is sampled.
const asks = `{"interaction_id":%q,"tenant":%q,"operation":"qa","tags":["medical"],
	"messages":[{"role":"user","content":"When do standard parcels leave the warehouse in Rotterdam?"}],
	"answer":"Standard parcels leave the Rotterdam warehouse within two working days of the order.",
	"sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days of the order."}]}`

// answersAlike gives the sampled responses; its replies to a judge are not JSON.
func answersAlike(llmtest.Chat, int) string {
	return "Standard parcels leave the Rotterdam warehouse within two working days of the order."
}

// readDeepFlags waits for n deep flags among the flags, of which there are all.
func (b *workerHarness) readDeepFlags(all int) map[string]schemas.Flag {
	b.t.Helper()
	flags := map[string]schemas.Flag{}
	for _, r := range b.read("llm.incidents", all) {
		var f schemas.Flag
		require.NoError(b.t, json.DecodeFlag(r.Value, &f))
		if f.Pass == schemas.PassDeep {
			flags[f.InteractionID] = f
		}
	}
	return flags
}

func signalOf(t *testing.T, f *schemas.Flag, detector string) schemas.Signal {
	t.Helper()
	for _, s := range f.Signals {
		if s.Detector == detector {
			return s
		}
	}
	t.Fatal("no signal of ", detector)
	return schemas.Signal{}
}

func TestDeepEvaluation(t *testing.T) {
	b, server := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.config.Emit = config.EmitAll
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "i-1", ""))
	var fast, deep schemas.Flag
	for _, r := range b.read("llm.incidents", 2) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		if f.Pass == schemas.PassDeep {
			deep = f
		} else {
			fast = f
		}
	}
	require.Equal(t, fast.IncidentID, deep.IncidentID)
	require.Equal(t, fast.Origin, deep.Origin)
	require.True(t, deep.Sampled)
	require.Equal(t, "high_stakes", deep.SampleReason)
	require.InDelta(t, 1, deep.SampleProbability, 0)
	require.Equal(t, fast.Signals, deep.Signals[:len(fast.Signals)], "the fast rules say the same")

	s := signalOf(t, &deep, "consistency")
	require.Contains(t, []schemas.Outcome{schemas.Fired, schemas.Clear}, s.Outcome, s.Reason)
	require.InDelta(t, 4, s.Measures["samples"], 0)
	require.InDelta(t, 1, s.Measures["calls"], 0)
	cost := (3*s.Measures["prompt_tokens"] + 5*s.Measures["completion_tokens"]) / 1e6
	require.Positive(t, cost)
	require.InDelta(t, cost, s.Measures["cost"], 1e-12)
	require.InDelta(t, cost, b.metric(t, "confab_llm_cost_total", "model", "model"), 1e-12)

	verdict := map[schemas.Outcome]string{schemas.Fired: "wrong", schemas.Clear: "fine"}[s.Outcome]
	require.InDelta(t, 1, b.metric(t, "confab_sampled_verdicts_total", "verdict", verdict), 0)
	judged := signalOf(t, &deep, "faithfulness")
	require.Equal(t, schemas.Failed, judged.Outcome, "a judge that sends no JSON clears nobody")
	require.InDelta(t, 1, b.metric(t, "confab_not_judged_total", "reason", "judge_unreadable"), 0)
	require.NotEmpty(t, server.Requests())
	for _, r := range server.Requests() {
		require.Equal(t, "/v1/chat/completions", r.Path)
	}
	require.Positive(t, b.metric(t, "confab_budget_reserved_tokens", "tenant", "default"))
}

// A tenant that has opted out, one without tokens and one with tokens at the same time.
func TestNotJudged(t *testing.T) {
	b, server := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.config.Kafka.Inputs[0].TenantFrom = config.TenantPayload
	b.config.Tenants = map[string]config.Tenant{
		"private": {LLM: config.TenantLLM{OptOut: true}},
		"poor":    {LLM: config.TenantLLM{TokensPerWindow: new(int64)}},
	}
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "i-private", "private"), fmt.Sprintf(asks, "i-poor", "poor"))
	flags := b.readDeepFlags(2)
	require.Len(t, flags, 2)
	for id, why := range map[string]string{"i-private": "opt_out", "i-poor": "budget"} {
		f := flags[id]
		require.Empty(t, f.Fired)
		for _, detector := range []string{"consistency", "faithfulness", "entailment"} {
			s := signalOf(t, &f, detector)
			require.Equal(t, schemas.Skipped, s.Outcome, "%s of %s: %s", detector, id, s.Reason)
			require.Equal(t, why, s.Reason)
		}
		require.InDelta(t, 1, b.metric(t, "confab_not_judged_total", "reason", why), 0)
	}
	require.Empty(t, server.Requests(), "not a single request")
}

// A dead server causes lag of the sample role only. After llm.patience the deep flag is written without the verdict.
func TestDeadServerDoesNotBlockOtherPartitions(t *testing.T) {
	b, server := newSampleHarness(t, llmtest.Options{Script: []llmtest.Reply{{Hang: true, Times: -1}}})
	b.config.ShutdownGrace, b.config.Alerting.ConfirmWithin = time.Second, time.Second
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "i-1", ""))
	eventually(t, func() bool { return len(server.Requests()) > 0 }, 30*time.Second, 5*time.Millisecond)
	for i := range 20 {
		b.produce("llm.interactions", fmt.Sprintf(ungrounded, fmt.Sprint("u-", i)))
	}
	require.Len(t, b.read("llm.incidents", 20), 20, "detect goes on")
	require.Empty(t, b.readDeepFlags(20))
	eventually(t, func() bool {
		return b.metric(t, "confab_interactions_total", "role", "alert") >= 20 && strings.Contains(b.console.String(), "Possible hallucination")
	}, 30*time.Second, 5*time.Millisecond, "alert goes on")
	require.Zero(t, b.metric(t, "confab_not_judged_total", "reason", "error"))
}

func TestFlagIsWrittenAfterPatience(t *testing.T) {
	b, _ := newSampleHarness(t, llmtest.Options{Script: []llmtest.Reply{{Reset: true, Times: -1}}})
	b.config.LLM.Patience, b.config.LLM.EvaluationTimeout = 0, 200*time.Millisecond // too short for a second attempt of the client
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "i-1", ""))
	f := b.readDeepFlags(1)["i-1"]
	require.Equal(t, schemas.Failed, signalOf(t, &f, "consistency").Outcome)
	require.Contains(t, signalOf(t, &f, "consistency").Reason, "timeout")
	require.InDelta(t, 1, b.metric(t, "confab_not_judged_total", "reason", "error"), 0)
}

// A copy without a readable origin has no tenant: it is dead-lettered.
func TestCopyWithoutOrigin(t *testing.T) {
	b, server := newSampleHarness(t, llmtest.Options{})
	b.start()
	require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{
		Topic: "llm.interactions.sampled", Partition: kafka.AnyPartition, Value: []byte(fmt.Sprintf(asks, "i-1", "")),
		Headers: []kafka.Header{{Key: sampling.HeaderOrigin, Value: []byte("2;a")}},
	}))
	letter := b.read("llm.interactions.dlq", 1)[0]
	reason := ""
	for _, h := range letter.Headers {
		if h.Key == "confab-reason" {
			reason = string(h.Value)
		}
	}
	require.Equal(t, "missing_origin", reason)
	require.Empty(t, server.Requests())
}

// check --deep evaluates in the same way, within the budget of one window.
func TestDeepEvaluatorWithoutKafka(t *testing.T) {
	server, err := llmtest.Listen(t, llmtest.Options{Answer: answersAlike})
	require.NoError(t, err)
	c := config.Default()
	_, _, err = deep.NewEvaluator(c, deep.EvaluatorOptions{Now: time.Now})
	require.ErrorContains(t, err, "llm.sampler")
	c.LLM.Sampler.BaseURL, c.LLM.Sampler.Model = server.URL+"/v1", "model"
	c.LLM.Budget.TokensPerWindow = 20_000
	v, closeIt, err := deep.NewEvaluator(c, deep.EvaluatorOptions{Now: time.Now})
	require.NoError(t, err)
	defer closeIt()
	in := &schemas.Interaction{}
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(fmt.Appendf(nil, asks, "i-1", ""), in))
	input, err := records.NewFileInput(c, "")
	require.NoError(t, err)
	input.Admit(in, schemas.Origin{Topic: "file", Offset: 1})
	f := v.Evaluate(t.Context(), in, schemas.Origin{Topic: "file", Offset: 1}, time.Now())
	require.Equal(t, schemas.PassDeep, f.Pass)
	require.Equal(t, schemas.Clear, signalOf(t, &f, "consistency").Outcome, signalOf(t, &f, "consistency").Reason)
	require.Equal(t, "no judge", signalOf(t, &f, "faithfulness").Reason)

	c.LLM.Budget.TokensPerWindow = 100
	poor, closePoor, err := deep.NewEvaluator(c, deep.EvaluatorOptions{Now: time.Now})
	require.NoError(t, err)
	defer closePoor()
	f = poor.Evaluate(t.Context(), in, schemas.Origin{Topic: "file", Offset: 1}, time.Now())
	require.Equal(t, "budget", signalOf(t, &f, "consistency").Reason)
	require.Len(t, server.Requests(), 1)
}

// When the judge recovers the evaluation continues: responses are not sampled again.
func TestRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b, server := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	back := make(chan struct{})
	down, err := llmtest.Listen(t, llmtest.Options{Script: []llmtest.Reply{
		{Status: 503, Times: 3}, {Wait: back, Body: "{}"},
	}})
	require.NoError(t, err)
	b.config.LLM.Judge.BaseURL = down.URL + "/v1"
	b.config.LLM.EvaluationTimeout = 300 * time.Millisecond // the client does not begin to wait for longer than that
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "i-1", ""))
	eventually(t, func() bool { return len(down.Requests()) > 3 }, 30*time.Second, 5*time.Millisecond)
	require.Zero(t, b.metric(t, "confab_flags_total", "pass", "deep"))
	close(back)
	f := b.readDeepFlags(1)["i-1"]
	require.Equal(t, schemas.Clear, signalOf(t, &f, "consistency").Outcome)
	require.Len(t, server.Requests(), 1)
}
