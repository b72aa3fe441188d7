package labels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bounds of the algorithm against exact counts: a tracked name occurred at least counts-inherited and at most counts
// times, and every name above total/capacity is tracked.
func TestHeavyHittersBounds(t *testing.T) {
	for _, skew := range []float64{1.01, 1.5, 3} {
		rng := rand.New(rand.NewPCG(7, uint64(skew*100)))
		zipf := rand.NewZipf(rng, skew, 1, 20_000)
		h, exact := newHeavyHitters(), map[string]uint64{}
		for range heavyHorizon - 1 {
			name := fmt.Sprint(zipf.Uint64())
			exact[name]++
			h.observe(name)
		}
		require.Len(t, h.names, min(heavyCapacity, len(exact)))
		for at, name := range h.names {
			require.Equal(t, at, h.index[name])
			require.LessOrEqual(t, h.counts[at]-h.inherited[at], exact[name], name)
			require.GreaterOrEqual(t, h.counts[at], exact[name], name)
		}
		for name, n := range exact {
			if n > h.total/heavyCapacity {
				require.Contains(t, h.index, name)
			}
		}
	}
}

func TestHeavyHittersAge(t *testing.T) {
	h := newHeavyHitters()
	for range heavyHorizon {
		h.observe("a")
	}
	require.EqualValues(t, heavyHorizon/2, h.total)
	require.EqualValues(t, (heavyHorizon-1)/2+1, h.counts[h.index["a"]])
}
