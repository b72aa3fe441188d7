package consumer

import (
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func testCircuit(t *testing.T, share float64, window int) *circuit {
	t.Helper()
	o := Options[string]{
		Role: "test", PoisonShare: share, PoisonWindow: window, PoisonProbe: 5 * time.Minute, Logger: slog.New(slog.DiscardHandler),
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

// TestProbesAgainstAModel feeds records until the circuit opens, and then probes of it, whose records are counted anew.
func TestProbesAgainstAModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		window, share := 10+rng.IntN(40), rng.Float64()*0.9
		c := testCircuit(t, share, window)
		seq, failed := int64(0), 0
		for !c.record(seq, true) {
			seq++
		}
		rate := rng.Float64()
		for failed < 20 {
			require.True(t, c.open)
			require.Equal(t, min(time.Hour, 5*time.Minute<<min(failed, 10)), c.probeWait())
			c.beginProbe(seq)
			taken, bad := 0, 0
			for {
				b := rng.Float64() < rate
				if taken++; b {
					bad++
				}
				require.False(t, c.record(seq, b), "a probe is not interrupted")
				require.False(t, c.record(seq, true), "a record that comes again is not counted again")
				seq++
				result := c.finishProbe()
				ended := result != ""
				size := min(20, window)
				if float64(bad) > share*float64(size) {
					require.Equal(t, probeFailed, result)
					require.True(t, ended)
					break
				}
				require.Equal(t, taken == size, ended)
				if ended {
					require.Equal(t, probePassed, result)
					break
				}
			}
			if !c.open {
				break
			}
			failed++
		}
		if failed < 20 {
			count := 0
			for !c.record(seq, true) {
				seq++
				count++
			}
			require.Equal(t, max(1, int(share*float64(window))), count, "the window is empty after a probe that passed")
		}
	}
}
