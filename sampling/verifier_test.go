package sampling_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/llm"
	"confab/internal/llm/llmtest"
	"confab/sampling"
	"confab/schemas"
)

// newVerifierServer is a server of a kind, in memory.
func newVerifierServer(t *testing.T, kind llm.Kind, perSecond float64, script ...llmtest.Reply) (*sampling.VerifierServer, *llmtest.Server) {
	t.Helper()
	server := llmtest.Memory(t, llmtest.Options{Script: script})
	c, err := llm.New(llm.Options{BaseURL: server.URL + "/predict", Model: "m", Redact: strings.Clone, Dial: server.Dial, MaxRetries: -1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	form, err := llm.NewForm(kind, llm.FormMap{})
	require.NoError(t, err)
	return sampling.NewVerifierServer(c, form, perSecond), server
}

// numberedPairs are n pairs; the passage supports the even ones.
func numberedPairs(n int) (pairs []schemas.Pair) {
	for i := range n {
		claim := fmt.Sprint("part ", i)
		if i%2 == 1 {
			claim += " blue"
		}
		pairs = append(pairs, schemas.Pair{Premise: fmt.Sprint("the part ", i), Hypothesis: claim})
	}
	return pairs
}

// Pairs are sent in batches, once: known ones are not asked about again, by any evaluation.
func TestVerifierBatchesAndCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, server := newVerifierServer(t, llm.KindNLI, 1000)
		pairs := numberedPairs(20)
		got, used, err := sampling.NewVerifier(s, nil).Verify(t.Context(), pairs)
		require.NoError(t, err)
		require.Equal(t, 2, used.Calls)
		for i, r := range got {
			require.Equal(t, i%2 == 0, r.Entailment > .5, i)
			require.InDelta(t, 1, r.Sum(), 1e-9)
		}
		again, used, err := sampling.NewVerifier(s, nil).Verify(t.Context(), append(pairs[3:7:7], schemas.Pair{Premise: "new", Hypothesis: "new"}))
		require.NoError(t, err)
		require.Equal(t, 1, used.Calls)
		require.Equal(t, got[3:7], again[:4])
		require.Len(t, server.Requests(), 3)
		require.Equal(t, `{"inputs":[["new","new"]],"truncate":true}`, server.Requests()[2].Body)
	})
}

// A cache has at most two generations.
func TestVerifierForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, server := newVerifierServer(t, llm.KindNLI, 1e5)
		pairs := numberedPairs(3 * 4096)
		for i := 0; i < len(pairs); i += 64 {
			_, _, err := sampling.NewVerifier(s, nil).Verify(t.Context(), pairs[i:i+64])
			require.NoError(t, err)
		}
		sent := len(server.Requests())
		for _, row := range [][2]int{{len(pairs) - 1, 0}, {len(pairs) - 4097, 0}, {0, 1}} { // place, requests
			_, used, err := sampling.NewVerifier(s, nil).Verify(t.Context(), pairs[row[0]:row[0]+1])
			require.NoError(t, err)
			require.Equal(t, row[1], used.Calls, row[0])
		}
		require.Len(t, server.Requests(), sent+1)
	})
}

// The rate makes evaluations wait, and those that would wait for too long go without.
func TestVerifierRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		score := llmtest.Reply{Body: `[{"index":0,"score":0}]`, Times: -1}
		s, server := newVerifierServer(t, llm.KindRerank, 2, score)
		v, pairs := sampling.NewVerifier(s, nil), numberedPairs(80)
		begin := time.Now()
		_, _, err := v.Verify(t.Context(), pairs[:32])
		require.NoError(t, err)
		require.Zero(t, time.Since(begin), "an evaluation may need as many at once")
		_, _, err = v.Verify(t.Context(), pairs[32:40])
		require.NoError(t, err)
		require.Equal(t, 4*time.Second, time.Since(begin))
		_, used, err := v.Verify(t.Context(), pairs[40:62])
		require.ErrorIs(t, err, schemas.BudgetSpent)
		require.Zero(t, used.Calls)
		require.Len(t, server.Requests(), 40)
		_, _, err = v.Verify(t.Context(), pairs[:40])
		require.NoError(t, err, "what is known takes no request")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = v.Verify(ctx, pairs[40:50])
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, server.Requests(), 40)
	})
}

// A failure is that of all pairs, whichever it was, and is not remembered.
func TestVerifierFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, server := newVerifierServer(t, llm.KindRerank, 1000, llmtest.Reply{Body: `[]`}, llmtest.Reply{Body: `[{"score":0}]`, Times: -1})
		got, used, err := sampling.NewVerifier(s, nil).Verify(t.Context(), numberedPairs(1))
		require.Equal(t, llm.BadReply, llm.ClassOf(err))
		require.Empty(t, got)
		require.Equal(t, 1, used.Calls)
		got, _, err = sampling.NewVerifier(s, nil).Verify(t.Context(), numberedPairs(1))
		require.NoError(t, err)
		require.Equal(t, []schemas.Relation{{Entailment: .5, Unsupported: .5}}, got)
		require.Len(t, server.Requests(), 2)
	})
}

// Nothing is sent, and nothing is recalled, for a tenant that has opted out.
func TestVerifierGate(t *testing.T) {
	s, server := newVerifierServer(t, llm.KindNLI, 1000)
	_, _, err := sampling.NewVerifier(s, func(context.Context, int) error { return schemas.OptedOut }).Verify(t.Context(), numberedPairs(2))
	require.ErrorIs(t, err, schemas.OptedOut)
	require.Empty(t, server.Requests())
}

func TestVerifies(t *testing.T) {
	in, private := &schemas.Interaction{Tenant: "a"}, &schemas.Interaction{Tenant: "private"}
	for verify, want := range map[sampling.Verify][3]bool{ // flagged, grey, neither
		"": {}, sampling.VerifySampled: {}, sampling.VerifyFlagged: {true, false, false}, sampling.VerifyGrey: {false, true, false}, sampling.VerifyAll: {true, true, true},
	} {
		s, err := sampling.New(sampling.Options{Verify: verify, OptedOut: map[string]bool{"private": true}, Triggers: sampling.DefaultTriggers()})
		require.NoError(t, err, "it needs no salt")
		require.Equal(t, verify == sampling.VerifyGrey, s.NeedsRisk())
		for i, row := range []struct {
			risk  float64
			fired bool
		}{{.7, true}, {.3, false}, {.29, false}} {
			seen := sampling.FastScores{Risk: row.risk}
			require.Equal(t, want[i], s.Verifies(in, seen, row.fired), "%s %d", verify, i)
			require.False(t, s.Verifies(private, seen, row.fired))
		}
		require.Equal(t, verify == sampling.VerifyAll, s.Verifies(in, sampling.NoFastScores(), false))
	}
}

// Marks of chat templates do not reach a chat; other models read the text as it is.
func TestVerifierChatText(t *testing.T) {
	pair := []schemas.Pair{{Premise: "a <|im_end|> b", Hypothesis: "c [INST] d"}}
	s, server := newVerifierServer(t, llm.KindMini, 1000, llmtest.Reply{Body: `{"choices":[{"message":{"content":"Yes"}}]}`})
	_, _, err := sampling.NewVerifier(s, nil).Verify(t.Context(), pair)
	require.NoError(t, err)
	require.NotContains(t, server.Requests()[0].Body, "im_end")
	require.NotContains(t, server.Requests()[0].Body, "INST")
	s, server = newVerifierServer(t, llm.KindRerank, 1000, llmtest.Reply{Body: `[{"score":0}]`})
	_, _, err = sampling.NewVerifier(s, nil).Verify(t.Context(), pair)
	require.NoError(t, err)
	require.Contains(t, server.Requests()[0].Body, "INST")
}
