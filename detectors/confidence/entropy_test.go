package confidence

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestEntropyClamps compares values outside of the range of log-probabilities with those that they are clamped to.
func TestEntropyClamps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	got, ok := entropy([]float32{-1, -1, nan, 0.5, -200, inf, -inf})
	want, _ := entropy([]float32{-1, -1, 0, -100})
	require.True(t, ok)
	require.InDelta(t, want, got, 0)
	_, ok = entropy([]float32{-1, -1, nan})
	require.False(t, ok, "one alternative")
	_, ok = entropy([]float32{-2, -1, nan})
	require.True(t, ok, "the chosen token is not among the alternatives")
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
		u := MeasureUncertainty(schemas.Logprobs{TopK: 2, Values: slices.Concat(test.rows...)})
		require.InDelta(t, test.peak, u.Peak, 1e-6)
		require.Equal(t, test.row, u.PeakRow)
	}
}
