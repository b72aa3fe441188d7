//go:build integration

package integration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
	"confab/internal/llm"
	"confab/sampling"
	"confab/schemas"
)

// verifier asks a loaded server in a form.
func verifier(t *testing.T, address string, kind llm.Kind, m llm.FormMap) *sampling.Verifier {
	t.Helper()
	c, err := llm.New(llm.Options{BaseURL: address, Model: "tiny", MaxRetries: -1, Timeout: 2 * time.Minute, Redact: strings.Clone})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	form, err := llm.NewForm(kind, m)
	require.NoError(t, err)
	return sampling.NewVerifier(sampling.NewVerifierServer(c, form, 100), nil)
}

func capitals() []schemas.Pair {
	return []schemas.Pair{
		{Premise: "Paris is the capital of France.", Hypothesis: "The capital of France is Paris."},
		{Premise: "Rome is the capital of \"Italy\".\nIt is old.", Hypothesis: "Rome ist die größte Stadt {claim}."},
		{Premise: "Lima is a city.", Hypothesis: "Penguins swallow pebbles."},
	}
}

// requireVerdicts requires a relation for each pair. The model is not made for it, so this is about the wire.
func requireVerdicts(t *testing.T, v *sampling.Verifier) []schemas.Relation {
	t.Helper()
	got, used, err := v.Verify(t.Context(), capitals())
	require.NoError(t, err)
	require.Equal(t, 3, used.Calls)
	for i := range got {
		require.InDelta(t, 1, got[i].Sum(), 1e-9)
		require.GreaterOrEqual(t, got[i].Entailment, 0.0)
	}
	again, used, err := v.Verify(t.Context(), capitals())
	require.NoError(t, err)
	require.Zero(t, used.Calls)
	require.Equal(t, got, again)
	return got
}

// A real server encodes and ranks in the form of text-embeddings-inference.
func TestVerifierReranks(t *testing.T) {
	s := loaded(t, integration.ModelOptions{Rerank: true})
	root := strings.TrimSuffix(s.URL(), "/v1")
	got := requireVerdicts(t, verifier(t, root+"/rerank", llm.KindRerank, llm.FormMap{}))
	require.NotEqual(t, got[0], got[2], "it has read the texts")
	_, _, err := verifier(t, root+"/v1/rerank", llm.KindHTTP, llm.FormMap{
		Request: `{"model": "{model}", "query": "{claim}", "documents": ["{passage}"]}`, Supported: "/results/0/relevance_score",
	}).Verify(t.Context(), capitals())
	require.Equal(t, llm.BadReply, llm.ClassOf(err), "it is no probability")
	_, _, err = verifier(t, root+"/predict", llm.KindNLI, llm.FormMap{}).Verify(t.Context(), capitals())
	require.Equal(t, llm.Refused, llm.ClassOf(err), "it has no such place")
	_, _, err = verifier(t, root+"/embedding", llm.KindHTTP, llm.FormMap{
		Request: `{"content": "{claim} {passage}"}`, Supported: "/0/embedding",
	}).Verify(t.Context(), capitals())
	require.Equal(t, llm.BadReply, llm.ClassOf(err), "vectors are no probabilities")
}

// A real server of chats says yes or no, where it is made to.
func TestVerifierChats(t *testing.T) {
	s := loaded(t, integration.ModelOptions{})
	requireVerdicts(t, verifier(t, s.URL()+"/chat/completions", llm.KindHTTP, llm.FormMap{
		Request: `{"model": "{model}", "messages": [{"role": "user", "content": "Document: {passage}\nClaim: {claim}"}], "temperature": 0,
			"max_tokens": 8, "logprobs": true, "top_logprobs": 20, "grammar": "root ::= \"Yes\" | \"No\""}`,
		Supported: "/choices/0",
	}))
	for _, kind := range []llm.Kind{llm.KindMini, llm.KindGuardian} { // the model was not taught to say yes or no
		_, _, err := verifier(t, s.URL(), kind, llm.FormMap{}).Verify(t.Context(), capitals()[:1])
		if err != nil {
			require.Equal(t, llm.BadReply, llm.ClassOf(err), "the request is understood")
		}
	}
}
