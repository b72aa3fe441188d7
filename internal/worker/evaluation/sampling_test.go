package evaluation_test

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/livetest"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// The input of sampling triggers takes no allocation for a quiet interaction and agrees with the flag.
func TestSamplingTriggersUseTheEvaluation(t *testing.T) {
	c := config.Default()
	c.Sampling.Salt = redact.Secret("salt")
	c.Sampling.JudgeShare = 1
	v, err := evaluation.NewFast(c, prometheus.NewRegistry(), nil)
	require.NoError(t, err)
	s, err := sampling.New(c.SamplingOptions())
	require.NoError(t, err)
	in := &schemas.Interaction{}
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(fmt.Appendf(nil, livetest.Grounded, "i-1"), in))
	e := v.Suite.Evaluate(t.Context(), in)
	defer e.Release()
	risk, ok := e.Risk()
	require.True(t, ok, "the shipped model gives a risk")
	seen := evaluation.SamplingScores(s, e)
	require.InDelta(t, risk, seen.Risk, 0)
	require.InDelta(t, 1, seen.Support, 0.5)
	require.Equal(t, sampling.Decision{Sampled: true, Reason: sampling.ReasonValue}, s.Decide(in, seen))
}
