package alerting

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func newTestRates(share float64, checks int, tenants ...string) *FiringRates {
	return NewFiringRates(FiringRateOptions{Share: share, Checks: checks}, detectors(), tenants)
}

// observeTimes counts n answers on each of which the detector has the outcome.
func observeTimes(t *TenantFiringRates, detector string, outcome schemas.Outcome, n int) {
	for range n {
		t.Observe(detector, outcome)
	}
}

func TestFiringRates(t *testing.T) {
	s := newTestRates(0.5, 100).ForTenant("any")
	anomalous := func() map[string]float64 { return s.Anomalous(detectors()) }

	observeTimes(s, "schema", schemas.Fired, 99)
	require.Nil(t, anomalous(), "the window is not full")
	observeTimes(s, "schema", schemas.NotCheckable, 50)
	observeTimes(s, "schema", schemas.Skipped, 50)
	observeTimes(s, "schema", schemas.Failed, 50)
	require.Nil(t, anomalous(), "only checked answers count")
	observeTimes(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 1}, anomalous())
	require.Nil(t, s.Anomalous([]string{"citation"}), "only the requested detectors")

	observeTimes(s, "schema", schemas.Clear, 60)
	require.Equal(t, map[string]float64{"schema": 0.4}, anomalous(), "it stays anomalous until the rate is below four fifths of 0.5")
	observeTimes(s, "schema", schemas.Clear, 1)
	require.Nil(t, anomalous())
	observeTimes(s, "schema", schemas.Clear, 39)
	observeTimes(s, "schema", schemas.Fired, 49)
	require.Nil(t, anomalous(), "49 of 100")
	observeTimes(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 0.5}, anomalous())

	observeTimes(s, "unknown", schemas.Fired, 200)
	require.Equal(t, map[string]float64{"schema": 0.5}, s.Anomalous([]string{"unknown", "schema"}), "unknown detectors have no rate")
}

// After every answer the rate equals a count over the last answers.
func TestFiringRatesSlide(t *testing.T) {
	const checks = 130 // no multiple of a word
	rng := rand.New(rand.NewPCG(1, 2))
	s := newTestRates(0.01, checks).ForTenant("")
	var all []bool
	for i := range 5_000 {
		fired := rng.IntN(100) < i/50
		all = append(all, fired)
		outcome := schemas.Clear
		if fired {
			outcome = schemas.Fired
		}
		s.Observe("citation", outcome)
		if len(all) < checks {
			require.Nil(t, s.Anomalous([]string{"citation"}))
			continue
		}
		n := 0
		for _, f := range all[len(all)-checks:] {
			if f {
				n++
			}
		}
		require.InDelta(t, float64(n)/checks, s.windows["citation"].current(), 0, "after %d", i)
	}
}

// A tenant that the configuration names has its own rates and does not affect those of others.
func TestFiringRatesByTenant(t *testing.T) {
	s := newTestRates(0.5, 100, "bank", "shop")
	observeTimes(s.ForTenant("shop"), "schema", schemas.Fired, 100)
	observeTimes(s.ForTenant("bank"), "schema", schemas.Clear, 100)
	observeTimes(s.ForTenant("unnamed"), "citation", schemas.Fired, 100)
	require.Contains(t, s.ForTenant("shop").Anomalous(detectors()), "schema")
	require.Nil(t, s.ForTenant("bank").Anomalous(detectors()))
	require.Equal(t, map[string]float64{"citation": 1}, s.ForTenant("also unnamed").Anomalous(detectors()), "unnamed tenants share a count")
	require.Equal(t, map[string]float64{"citation": 1}, s.ForTenant("SHOP").Anomalous(detectors()), "names are exact")

	require.True(t, s.Anomalous("schema"))
	require.False(t, s.Anomalous("grounding"))
	require.False(t, s.Anomalous("unknown"))
	observeTimes(s.ForTenant("bank"), "schema", schemas.Fired, 100)
	observeTimes(s.ForTenant("shop"), "schema", schemas.Clear, 100)
	require.True(t, s.Anomalous("schema"), "for bank")
	observeTimes(s.ForTenant("bank"), "schema", schemas.Clear, 100)
	require.False(t, s.Anomalous("schema"), "for no tenant")
}

func TestFiringRatesOff(t *testing.T) {
	for name, s := range map[string]*FiringRates{"a share of 1": newTestRates(1, 100), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			observeTimes(s.ForTenant("any"), "schema", schemas.Fired, 200)
			require.Nil(t, s.ForTenant("any").Anomalous(detectors()))
			require.False(t, s.Anomalous("schema"))
		})
	}
}

// Every answer is counted once, in any order.
func TestFiringRatesConcurrently(t *testing.T) {
	const perWorker = 1_000
	s := newTestRates(0.5, 8*perWorker)
	var wg sync.WaitGroup
	for g := range 8 {
		outcome := schemas.Fired
		if g%4 == 0 {
			outcome = schemas.Clear
		}
		wg.Go(func() {
			for i := range perWorker {
				s.ForTenant(fmt.Sprint(i)).Observe("citation", outcome)
				s.ForTenant("").Anomalous(detectors())
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[string]float64{"citation": 0.75}, s.ForTenant("").Anomalous(detectors()))
}

func TestFiringRatesDoNotAllocate(t *testing.T) {
	s := newTestRates(0.9, 100, "acme")
	require.Zero(t, testing.AllocsPerRun(200, func() {
		rates := s.ForTenant("acme")
		for _, name := range detectors() {
			rates.Observe(name, schemas.Clear)
		}
		rates.Anomalous(detectors()[:0])
	}))
}

func BenchmarkFiringRates(b *testing.B) {
	names := []string{"citation", "confidence", "facts", "grounding", "schema", "technical"}
	s := NewFiringRates(DefaultFiringRateOptions(), names, []string{"acme"})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			rates := s.ForTenant("acme")
			for _, name := range names {
				rates.Observe(name, schemas.Clear)
			}
		}
	})
}
