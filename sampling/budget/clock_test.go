package budget_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBudgetAndClock: with a clock that jumps between windows, and restarts, the grants of each window stay within the
// limit.
func TestBudgetAndClock(t *testing.T) {
	const limit, day = 8000, 24 * time.Hour
	for name, jumps := range map[string][]time.Duration{
		"back and ahead by a window": {day, -day}, "a second over midnight and back": {14*time.Hour - time.Second, 2 * time.Second, -2 * time.Second},
		"10 years ahead and back": {3650 * day, -3650 * day}, "10 years back and ahead": {-3650 * day, 3650 * day},
		"an hour back": {-time.Hour, time.Hour}, "ever further ahead, then back": {day, day, day, -3 * day},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 12))
				r := newLedgerTest(t)
				l, shown, granted := r.process(), map[string]bool{}, int64(0)
				for step := range 60 {
					for range 30 {
						tokens := 1 + rng.Int64N(1000)
						shown[r.clock.Now().Format(time.DateOnly)] = true
						if g, err := l.Reserve(t.Context(), "a", 0, tokens); err == nil && g.OK {
							granted += tokens
						}
					}
					r.clock.move(jumps[step%len(jumps)])
					if rng.IntN(3) == 0 {
						l = r.process() // the earlier one is gone
					}
				}
				require.LessOrEqual(t, granted, int64(limit*len(shown)), "seed %d, %d windows", seed, len(shown))
				require.Greater(t, granted, int64(limit*9/10), "it grants at all")
			}
		})
	}
}
