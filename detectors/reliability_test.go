package detectors

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReliability(t *testing.T) {
	nan := math.NaN()
	var w ReliabilityWeights
	require.InDelta(t, 0.3*1+0.4*0.5+0.3*0, w.reliability(1, 0.5, 0), 1e-9)
	require.InDelta(t, (0.4*0.5+0.3*1)/0.7, w.reliability(nan, 0.5, 1), 1e-9)
	require.InDelta(t, 0.2, w.reliability(nan, nan, 0.2), 1e-9)
	require.True(t, math.IsNaN(w.reliability(nan, nan, nan)))
	require.InDelta(t, 1, ReliabilityWeights{Source: 2}.reliability(0, 1, 0), 1e-9)
}
