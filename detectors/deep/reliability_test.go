package deep

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReliability(t *testing.T) {
	nan := math.NaN()
	var w Reliability
	require.InDelta(t, 0.3*1+0.4*0.5+0.3*0, w.Join(1, 0.5, 0), 1e-9)
	require.InDelta(t, (0.4*0.5+0.3*1)/0.7, w.Join(nan, 0.5, 1), 1e-9)
	require.InDelta(t, 0.2, w.Join(nan, nan, 0.2), 1e-9)
	require.True(t, math.IsNaN(w.Join(nan, nan, nan)))
	require.InDelta(t, 1, Reliability{Source: 2}.Join(0, 1, 0), 1e-9)
}
