package confidence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExp32(t *testing.T) {
	worst := 0.0
	for x := float32(0); x >= -87; x -= 0.00037 {
		exact := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(exp32(x))-exact)/exact)
	}
	require.Less(t, worst, 3e-7)
	require.InDelta(t, 1, exp32(0), 0)
	for _, x := range []float32{-87.01, -100} {
		require.Zero(t, exp32(x))
	}
}

func TestLn(t *testing.T) {
	worst := 0.0
	for x := 1e-30; x < 1e3; x *= 1.0007 {
		worst = max(worst, math.Abs(fastLog(x)-math.Log(x)))
	}
	require.Less(t, worst, 1e-8)
	require.Zero(t, fastLog(1))
}

// TestSumExponentialsClamps compares values outside of the range of log-probabilities with those that they are clamped to.
func TestSumExponentialsClamps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	sum, weighted, known := sumExponentials([]float32{-1, -1, nan, 0.5, -200, inf, -inf}, 0)
	wantSum, wantWeighted, wantKnown := sumExponentials([]float32{-1, -1, 0, -100}, 0)
	require.Equal(t, 3, known)
	require.Equal(t, wantKnown, known)
	require.InDelta(t, wantSum, sum, 0)
	require.InDelta(t, wantWeighted, weighted, 0)

	sum, _, known = sumExponentials([]float32{-2, -1, nan}, 0) // the chosen token is not among the alternatives
	require.Equal(t, 2, known)
	require.InDelta(t, exp32(-1)+exp32(-2), sum, 0)
}
