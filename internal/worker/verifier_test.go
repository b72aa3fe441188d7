package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/schemas"
)

// newVerifierHarness is a harness whose worker asks the server as a verifier about these answers, and no other model.
func newVerifierHarness(t *testing.T, on string, o llmtest.Options) (*workerHarness, *llmtest.Server) {
	t.Helper()
	server, err := llmtest.Listen(t, o)
	require.NoError(t, err)
	b := newWorkerHarness(t)
	v := &b.config.LLM.Verifier
	v.BaseURL, v.Model, v.On = server.URL+"/predict", "nli", on
	b.config.Sampling.Salt, b.config.Sampling.Rate = "", 0 // nothing is sampled
	b.config.Kafka.Inputs[0].TenantFrom = config.TenantPayload
	b.config.Tenants = map[string]config.Tenant{"private": {LLM: config.TenantLLM{OptOut: true}}}
	require.NoError(t, b.config.Validate())
	require.Equal(t, []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert}, b.config.ActiveRoles())
	return b, server
}

// A flagged answer is checked by the verifier, which is a witness of its own; a quiet one and those of a tenant that has opted out are not.
func TestVerifierChecksFlagged(t *testing.T) {
	b, server := newVerifierHarness(t, "flagged", llmtest.Options{})
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "quiet", ""), wrongAnswer("hidden", "private"), wrongAnswer("bad", "default"))
	flags := b.readDeepFlags(3)
	require.Len(t, flags, 1)
	f := flags["bad"]
	require.Equal(t, "verify", f.SampleReason)
	require.Zero(t, f.SampleProbability, "no part of the random sample")
	require.Subset(t, f.Fired, []string{"citation", "facts", "entailment"})
	require.Nil(t, f.OneWitness())
	require.Equal(t, schemas.NotCheckable, signalOf(t, &f, schemas.JudgeDetector).Outcome)
	require.NotEmpty(t, server.Requests())
	for _, r := range server.Requests() {
		require.Equal(t, "/predict", r.Path)
		require.NotContains(t, r.Body, "ada.lovelace", "texts leave redacted")
	}
	require.InDelta(t, 1, b.metric(t, "confab_sampled_total", "reason", "verify"), 0)
	require.NoError(t, stop())
}

func TestVerifierChecksAll(t *testing.T) {
	b, _ := newVerifierHarness(t, "all", llmtest.Options{})
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(asks, "quiet", ""), fmt.Sprintf(asks, "hidden", "private"))
	f := b.readDeepFlags(1)["quiet"]
	require.Empty(t, f.Fired)
	require.Equal(t, schemas.Clear, signalOf(t, &f, "entailment").Outcome)
	require.NoError(t, stop())
	require.Empty(t, b.console.String())
}

// A verifier that is down or too slow costs its verdict and holds nothing up: neither for llm.patience nor an alert.
func TestVerifierIsDown(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{"gone": {Reset: true, Times: -1}, "slow": {Hang: true, Times: -1}} {
		t.Run(name, func(t *testing.T) {
			b, _ := newVerifierHarness(t, "flagged", llmtest.Options{Script: []llmtest.Reply{reply}})
			b.config.LLM.EvaluationTimeout = 200 * time.Millisecond // too short for a second attempt of the client
			require.Positive(t, b.config.LLM.Patience)
			stop := b.start()
			b.produce("llm.interactions", wrongAnswer("bad", "default"))
			f := b.deepFlag()
			require.Equal(t, schemas.Failed, signalOf(t, &f, "entailment").Outcome)
			require.Subset(t, f.Fired, []string{"citation", "facts"})
			b.waitForAlert(1)
			require.InDelta(t, 1, b.metric(t, "confab_not_judged_total", "reason", "error"), 0)
			require.NoError(t, stop())
		})
	}
}

// An alert that waits for the judge does not wait for the verifier.
func TestJudgeConfirmsWithoutTheVerifier(t *testing.T) {
	b, server := newConfirmHarness(t, llmtest.Options{Answer: judge(true, false)})
	v := &b.config.LLM.Verifier
	v.BaseURL, v.Model, v.On = server.URL+"/predict", "nli", "all"
	stop := b.start()
	b.produce("llm.interactions", wrongAnswer("bad", "default"))
	b.waitForAlert(1)
	f := b.deepFlag()
	require.Equal(t, "confirm", f.SampleReason)
	require.Equal(t, schemas.NotCheckable, signalOf(t, &f, "entailment").Outcome)
	for _, r := range server.Requests() {
		require.Equal(t, "/v1/chat/completions", r.Path)
	}
	require.NoError(t, stop())
}
