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
	return NewFiringRates(FiringRatesOptions{
		FiringRateOptions: FiringRateOptions{Share: share, Checks: checks}, Detectors: detectors(), Tenants: tenants,
	})
}

// observeTimes counts n answers on each of which the detector has the outcome.
func observeTimes(t *TenantFiringRates, detector string, outcome schemas.Outcome, n int) {
	for range n {
		t.Observe(detector, outcome)
	}
}

func TestShares(t *testing.T) {
	s := newTestRates(0.5, 100).ForTenant("any")
	unusual := func() map[string]float64 { return s.Anomalous(detectors()) }

	observeTimes(s, "schema", schemas.Fired, 99)
	require.Nil(t, unusual(), "the window is not full")
	observeTimes(s, "schema", schemas.NotCheckable, 50)
	observeTimes(s, "schema", schemas.Skipped, 50)
	observeTimes(s, "schema", schemas.Failed, 50)
	require.Nil(t, unusual(), "what was not checked counts for nothing")
	observeTimes(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 1}, unusual())
	require.Nil(t, s.Anomalous([]string{"citation"}), "of those asked for")

	observeTimes(s, "schema", schemas.Clear, 60)
	require.Equal(t, map[string]float64{"schema": 0.4}, unusual(), "it stays until the share is below four fifths of 0.5")
	observeTimes(s, "schema", schemas.Clear, 1)
	require.Nil(t, unusual())
	observeTimes(s, "schema", schemas.Clear, 39)
	observeTimes(s, "schema", schemas.Fired, 49)
	require.Nil(t, unusual(), "49 of 100")
	observeTimes(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 0.5}, unusual())

	observeTimes(s, "nobody", schemas.Fired, 200)
	require.Equal(t, map[string]float64{"schema": 0.5}, s.Anomalous([]string{"nobody", "schema"}), "an unknown detector is none")
}

// The window slides: after every answer the share is that of the last ones, as counting them says.
func TestSharesSlide(t *testing.T) {
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

// A tenant that is named in the configuration is judged by its own answers, and blinds nobody else.
func TestSharesByTenant(t *testing.T) {
	s := newTestRates(0.5, 100, "bank", "shop")
	observeTimes(s.ForTenant("shop"), "schema", schemas.Fired, 100)
	observeTimes(s.ForTenant("bank"), "schema", schemas.Clear, 100)
	observeTimes(s.ForTenant("a stranger"), "citation", schemas.Fired, 100)
	require.Contains(t, s.ForTenant("shop").Anomalous(detectors()), "schema")
	require.Nil(t, s.ForTenant("bank").Anomalous(detectors()))
	require.Equal(t, map[string]float64{"citation": 1}, s.ForTenant("another stranger").Anomalous(detectors()), "strangers share a count")
	require.Equal(t, map[string]float64{"citation": 1}, s.ForTenant("SHOP").Anomalous(detectors()), "names are exact")

	require.True(t, s.Anomalous("schema"))
	require.False(t, s.Anomalous("grounding"))
	require.False(t, s.Anomalous("nobody"))
	observeTimes(s.ForTenant("bank"), "schema", schemas.Fired, 100)
	observeTimes(s.ForTenant("shop"), "schema", schemas.Clear, 100)
	require.True(t, s.Anomalous("schema"), "for the bank")
	observeTimes(s.ForTenant("bank"), "schema", schemas.Clear, 100)
	require.False(t, s.Anomalous("schema"), "for nobody")
}

func TestSharesOff(t *testing.T) {
	for name, s := range map[string]*FiringRates{"a share of 1": newTestRates(1, 100), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			observeTimes(s.ForTenant("any"), "schema", schemas.Fired, 200)
			require.Nil(t, s.ForTenant("any").Anomalous(detectors()))
			require.False(t, s.Anomalous("schema"))
		})
	}
}

// Whatever the order in which they come, every answer is counted once.
func TestSharesConcurrently(t *testing.T) {
	const each = 1_000
	s := newTestRates(0.5, 8*each)
	var wg sync.WaitGroup
	for g := range 8 {
		outcome := schemas.Fired
		if g%4 == 0 {
			outcome = schemas.Clear
		}
		wg.Go(func() {
			for i := range each {
				s.ForTenant(fmt.Sprint(i)).Observe("citation", outcome)
				s.ForTenant("").Anomalous(detectors())
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[string]float64{"citation": 0.75}, s.ForTenant("").Anomalous(detectors()))
}

func TestSharesAllocateNothing(t *testing.T) {
	s := newTestRates(0.9, 100, "acme")
	require.Zero(t, testing.AllocsPerRun(200, func() {
		of := s.ForTenant("acme")
		for _, name := range detectors() {
			of.Observe(name, schemas.Clear)
		}
		of.Anomalous(detectors()[:0])
	}))
}

func BenchmarkShares(b *testing.B) {
	names := []string{"citation", "confidence", "facts", "grounding", "schema", "technical"}
	s := NewFiringRates(FiringRatesOptions{FiringRateOptions: DefaultFiringRateOptions(), Detectors: names, Tenants: []string{"acme"}})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			of := s.ForTenant("acme")
			for _, name := range names {
				of.Observe(name, schemas.Clear)
			}
		}
	})
}
