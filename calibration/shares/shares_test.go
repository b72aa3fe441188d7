package shares

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJeffreysLow(t *testing.T) {
	for _, c := range []struct{ hits, trials, want float64 }{ // Brown, Cai and DasGupta (2001), table 5
		{0, 10, 0}, {0, 0, 0}, {1, 10, 0.011}, {5, 10, 0.224},
	} {
		require.InDelta(t, c.want, JeffreysLow(Ratio(c.hits, c.trials), c.trials), 5e-4, c)
	}
	for _, n := range []float64{1, 2.5, 40, 1e3, 1e6, 1e9} {
		last := 0.0
		for _, share := range []float64{1e-12, 0.001, 0.1, 0.5, 0.9, 1, 1 + 1e-12} {
			low := JeffreysLow(share, n)
			require.GreaterOrEqual(t, low, last, "%v of %v", share, n)
			require.LessOrEqual(t, low, max(share, 1/n), "%v of %v", share, n)
			last = low
		}
	}
	require.Zero(t, JeffreysLow(math.NaN(), 10))
	require.Zero(t, JeffreysLow(0.5, math.NaN()))
	require.Zero(t, JeffreysLow(0.5, math.Inf(1)))
}

func TestWilson(t *testing.T) {
	t.Parallel()
	low, high := Wilson(0.5, 10) // the textbook's example
	require.InDelta(t, 0.2366, low, 1e-4)
	require.InDelta(t, 0.7634, high, 1e-4)
	low, high = Wilson(0, 0)
	require.InDelta(t, 0, low, 0)
	require.InDelta(t, 1, high, 0)
	low, _ = Wilson(0, 20)
	require.InDelta(t, 0, low, 1e-12)
	_, high = Wilson(1, 20)
	require.InDelta(t, 1, high, 1e-12)
}

func TestBetaQuantile(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.025, BetaQuantile(1, 1, 0.025), 1e-9, "uniform")
	require.InDelta(t, 0.5, BetaQuantile(7, 7, 0.5), 1e-9, "symmetric")
	require.Zero(t, BetaQuantile(0, 3, 0.975), "nothing was seen or expected")
	require.InDelta(t, 1, BetaQuantile(3, 0, 0.025), 0)
}
