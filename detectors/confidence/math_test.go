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
