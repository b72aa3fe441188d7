package deep

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReliability(t *testing.T) {
	nan := math.NaN()
	var w Reliability
	require.InDelta(t, 0.3*1+0.4*0.5+0.3*0, w.Combine(1, 0.5, 0), 1e-9)
	require.InDelta(t, (0.4*0.5+0.3*1)/0.7, w.Combine(nan, 0.5, 1), 1e-9)
	require.InDelta(t, 0.2, w.Combine(nan, nan, 0.2), 1e-9)
	require.True(t, math.IsNaN(w.Combine(nan, nan, nan)))
	require.InDelta(t, 1, Reliability{Source: 2}.Combine(0, 1, 0), 1e-9)
}
