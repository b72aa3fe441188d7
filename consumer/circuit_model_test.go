package consumer

import (
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func testCircuit(t *testing.T, share float64, window int) *circuit {
	t.Helper()
	o := Options[string]{
		Role: "test", PoisonShare: share, PoisonWindow: window, Logger: slog.New(slog.DiscardHandler),
		Metrics: NewMetrics(prometheus.NewRegistry()),
	}
	return newCircuit(&o, o.forRole(), partitionID{})
}

// TestCircuitAgainstAModel counts the window anew for every record.
func TestCircuitAgainstAModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		window, share := 1+rng.IntN(40), rng.Float64()*0.98
		c := testCircuit(t, share, window)
		var all []bool
		rate := rng.Float64()
		for seq := range 200 {
			bad := rng.Float64() < rate
			all = append(all, bad)
			count := 0
			for _, b := range all[max(0, len(all)-window):] {
				if b {
					count++
				}
			}
			// At least one record of poison never is a storm.
			want := count > 1 && float64(count) > share*float64(window)
			got := c.record(int64(seq), bad)
			require.Equal(t, want, got, "record %d, %d of %d, share %v", seq, count, window, share)
			require.Equal(t, got, c.record(int64(seq), true), "a record that comes again is not counted again")
			if got {
				break
			}
		}
	}
	never := testCircuit(t, 0, 10)
	for seq := range 100 {
		require.False(t, never.record(int64(seq), true))
	}
}
