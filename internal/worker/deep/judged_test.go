package deep

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// countingEntailer returns a relation that depends on the pair, and keeps what it was asked.
type countingEntailer struct {
	asked [][]schemas.Pair
	err   error
}

func (c *countingEntailer) Entail(_ context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	c.asked = append(c.asked, pairs)
	out := make([]schemas.Relation, len(pairs))
	for i, p := range pairs {
		out[i].Entailment = float64(len(p.Hypothesis))
	}
	return out, schemas.Usage{Calls: 1, PromptTokens: 10}, c.err
}

func TestEqualPairsAreJudgedOncePerWindow(t *testing.T) {
	all, _ := newMemorySessions(t, 100_000)
	inner := &countingEntailer{}
	ask := func(tenant string, at time.Time, hypotheses ...string) ([]schemas.Relation, schemas.Usage, error) {
		e := meteredEntailer{inner, endpointMeter{all.open(tenant, 0, at), &modelClient{endpoint: &config.Endpoint{Model: "m"}, cost: prometheus.NewCounter(prometheus.CounterOpts{Name: "cost"})}}}
		pairs := make([]schemas.Pair, len(hypotheses))
		for i, h := range hypotheses {
			pairs[i] = schemas.Pair{Premise: "p", Hypothesis: h}
		}
		return e.Entail(t.Context(), pairs)
	}
	start := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		name   string
		tenant string
		at     time.Time
		asked  []string // sent to the model
		pairs  []string
	}{
		{"new", "default", start, []string{"a", "bb"}, []string{"a", "bb"}},
		{"known", "default", start, nil, []string{"bb", "a"}},
		{"partly known", "default", start, []string{"ccc"}, []string{"bb", "ccc", "a"}},
		{"another tenant", "other", start, []string{"a"}, []string{"a"}},
		{"a window later", "default", start.Add(all.judged.window), []string{"a"}, []string{"a"}},
	} {
		inner.asked = nil
		got, used, err := ask(c.tenant, c.at, c.pairs...)
		require.NoError(t, err, c.name)
		for i, h := range c.pairs {
			require.InDelta(t, len(h), got[i].Entailment, 0, c.name)
		}
		var asked []string
		for _, pairs := range inner.asked {
			for _, p := range pairs {
				asked = append(asked, p.Hypothesis)
			}
		}
		require.Equal(t, c.asked, asked, c.name)
		require.Equal(t, len(inner.asked), used.Calls, c.name)
	}
	inner.err = errors.New("broken")
	_, _, err := ask("default", start, "dddd")
	require.Error(t, err)
	inner.err, inner.asked = nil, nil
	_, _, err = ask("default", start, "dddd")
	require.NoError(t, err)
	require.Len(t, inner.asked, 1, "a failure is not remembered")
	_, _, err = ask("private", start, "a")
	require.ErrorIs(t, err, schemas.OptedOut)
}
