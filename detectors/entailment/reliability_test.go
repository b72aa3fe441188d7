package entailment

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReliability(t *testing.T) {
	nan := math.NaN()
	require.InDelta(t, 0.3*1+0.4*0.5+0.3*0, combineReliability(1, 0.5, 0), 1e-9)
	require.InDelta(t, (0.4*0.5+0.3*1)/0.7, combineReliability(nan, 0.5, 1), 1e-9)
	require.InDelta(t, 0.2, combineReliability(nan, nan, 0.2), 1e-9)
	require.True(t, math.IsNaN(combineReliability(nan, nan, nan)))
}
