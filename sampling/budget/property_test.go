package budget_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/sampling/budget"
)

// windowSpending is what was granted and not returned, by window and tenant.
type windowSpending map[string]map[string]int64

func (s windowSpending) add(window, tenant string, tokens int64) {
	if s[window] == nil {
		s[window] = make(map[string]int64)
	}
	s[window][tenant] += tokens
}

// TestNoHistorySpendsMoreThanTheLimits runs processes that reserve, settle, die, pause, resume, fail to write and reach
// the next windows, in any order.
func TestNoHistorySpendsMoreThanTheLimits(t *testing.T) {
	const histories, steps = 150, 1500
	var refused, full int
	for seed := range uint64(histories) {
		rng := rand.New(rand.NewPCG(seed, 6))
		r := newLedgerTest(t)
		r.opts.Tenants = map[string]int64{"small": 900}
		if seed%2 == 0 {
			r.opts.Budget.TokensPerTenant = 5000
		}
		r.topic.fail = func() (before, after error) {
			switch rng.IntN(20) {
			case 0:
				return errDown, nil
			case 1:
				return nil, errDown
			}
			return nil, nil
		}
		spent := make(windowSpending)
		owners := []*budget.Ledger{r.process()} // the last one is the owner, the others are not aware of it yet
		for range steps {
			switch rng.IntN(60) {
			case 0:
				owners = append(owners, r.process())
			case 2:
				owners[rng.IntN(len(owners))].Release(t.Context(), 0)
			case 3:
				r.clock.move(time.Duration(rng.IntN(120)) * time.Minute)
			default:
				r.clock.move(time.Second)
				if spendOnce(t, r, rng, owners[max(0, len(owners)-1-rng.IntN(3))], spent) != "" {
					refused++
				}
			}
		}
		for window, tenants := range spent {
			var sum int64
			for tenant, tokens := range tenants {
				sum += tokens
				require.False(t, tenant == "small" && tokens > 900, "seed %d: %v", seed, tenants)
				require.False(t, seed%2 == 0 && tokens > 5000, "seed %d: %v", seed, tenants)
			}
			require.LessOrEqual(t, sum, int64(8000), "seed %d, %s: %v", seed, window, tenants)
			if sum > 7000 {
				full++
			}
		}
	}
	require.Greater(t, refused, 10*histories, "the limits were hardly ever reached")
	require.Greater(t, full, histories/10, "most of the limits was never granted")
}

func spendOnce(t *testing.T, r *ledgerTest, rng *rand.Rand, l *budget.Ledger, spent windowSpending) budget.Refusal {
	tenant := []string{"a", "b", "c", "small"}[rng.IntN(4)]
	tokens := 1 + rng.Int64N(400)
	g, err := l.Reserve(t.Context(), tenant, 0, tokens)
	if err != nil || !g.OK {
		return g.Refusal
	}
	window := r.clock.Now().Format(time.DateOnly)
	if rng.IntN(2) == 0 {
		used := rng.Int64N(tokens + 1)
		g.ReportUsage(used)
		tokens = used
	}
	spent.add(window, tenant, tokens)
	return ""
}

// TestConcurrentReservations is for the race detector and for lost updates.
func TestConcurrentReservations(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	reg := prometheus.NewRegistry()
	require.NoError(t, reg.Register(l))
	var granted atomic.Int64
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 200 {
				g, err := l.Reserve(t.Context(), string(rune('a'+n)), 0, 50)
				if err == nil && g.OK {
					g.ReportUsage(40)
					granted.Add(40)
				}
			}
			_, _ = reg.Gather()
		})
	}
	wg.Wait()
	require.LessOrEqual(t, granted.Load(), int64(8000))
	require.Greater(t, granted.Load(), int64(8000-8*50), "what was given back was not lost")
}
