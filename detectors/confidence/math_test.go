package confidence

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
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

// TestPeakOfSingleRows needs the first of equally uncertain rows, and the first row of a certain answer.
func TestPeakOfSingleRows(t *testing.T) {
	sure, even := []float32{0, 0, -100}, []float32{-0.7, -0.7, -0.7}
	for _, test := range []struct {
		rows [][]float32
		peak float64
		row  int
	}{
		{[][]float32{sure, even, sure, even}, math.Ln2, 1},
		{[][]float32{even, sure}, math.Ln2, 0},
		{[][]float32{sure, sure}, 0, 0},
	} {
		u := MeasureUncertainty(schemas.Logprobs{TopK: 2, Values: slices.Concat(test.rows...)}, 1)
		require.InDelta(t, test.peak, u.Peak, 1e-6)
		require.Equal(t, []int{test.row, test.row}, []int{u.PeakFirst, u.PeakLast})
	}
}
