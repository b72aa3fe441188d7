package alerting

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func newShares(share float64, checks int, tenants ...string) *FiringRates {
	return NewFiringRates(FiringRatesOptions{
		UnusualOptions: UnusualOptions{Share: share, Checks: checks}, Detectors: detectors(), Tenants: tenants,
	})
}

// observe counts n answers on each of which the detector has the outcome.
func observe(t *TenantFiringRates, detector string, outcome schemas.Outcome, n int) {
	for range n {
		t.Observe(detector, outcome)
	}
}

func TestShares(t *testing.T) {
	s := newShares(0.5, 100).Of("any")
	unusual := func() map[string]float64 { return s.Unusual(detectors()) }

	observe(s, "schema", schemas.Fired, 99)
	require.Nil(t, unusual(), "the window is not full")
	observe(s, "schema", schemas.NotCheckable, 50)
	observe(s, "schema", schemas.Skipped, 50)
	observe(s, "schema", schemas.Failed, 50)
	require.Nil(t, unusual(), "what was not checked counts for nothing")
	observe(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 1}, unusual())
	require.Nil(t, s.Unusual([]string{"citation"}), "of those asked for")

	observe(s, "schema", schemas.Clear, 60)
	require.Equal(t, map[string]float64{"schema": 0.4}, unusual(), "it stays until the share is below four fifths of 0.5")
	observe(s, "schema", schemas.Clear, 1)
	require.Nil(t, unusual())
	observe(s, "schema", schemas.Clear, 39)
	observe(s, "schema", schemas.Fired, 49)
	require.Nil(t, unusual(), "49 of 100")
	observe(s, "schema", schemas.Fired, 1)
	require.Equal(t, map[string]float64{"schema": 0.5}, unusual())

	observe(s, "nobody", schemas.Fired, 200)
	require.Equal(t, map[string]float64{"schema": 0.5}, s.Unusual([]string{"nobody", "schema"}), "an unknown detector is none")
}

// The window slides: after every answer the share is that of the last ones, as counting them says.
func TestSharesSlide(t *testing.T) {
	const checks = 130 // no multiple of a word
	rng := rand.New(rand.NewPCG(1, 2))
	s := newShares(0.01, checks).Of("")
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
			require.Nil(t, s.Unusual([]string{"citation"}))
			continue
		}
		n := 0
		for _, f := range all[len(all)-checks:] {
			if f {
				n++
			}
		}
		require.InDelta(t, float64(n)/checks, s.windows["citation"].now(), 0, "after %d", i)
	}
}

// A tenant that is named in the configuration is judged by its own answers, and blinds nobody else.
func TestSharesByTenant(t *testing.T) {
	s := newShares(0.5, 100, "bank", "shop")
	observe(s.Of("shop"), "schema", schemas.Fired, 100)
	observe(s.Of("bank"), "schema", schemas.Clear, 100)
	observe(s.Of("a stranger"), "citation", schemas.Fired, 100)
	require.Contains(t, s.Of("shop").Unusual(detectors()), "schema")
	require.Nil(t, s.Of("bank").Unusual(detectors()))
	require.Equal(t, map[string]float64{"citation": 1}, s.Of("another stranger").Unusual(detectors()), "strangers share a count")
	require.Equal(t, map[string]float64{"citation": 1}, s.Of("SHOP").Unusual(detectors()), "names are exact")

	require.True(t, s.Unusual("schema"))
	require.False(t, s.Unusual("grounding"))
	require.False(t, s.Unusual("nobody"))
	observe(s.Of("bank"), "schema", schemas.Fired, 100)
	observe(s.Of("shop"), "schema", schemas.Clear, 100)
	require.True(t, s.Unusual("schema"), "for the bank")
	observe(s.Of("bank"), "schema", schemas.Clear, 100)
	require.False(t, s.Unusual("schema"), "for nobody")
}

func TestSharesOff(t *testing.T) {
	for name, s := range map[string]*FiringRates{"a share of 1": newShares(1, 100), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			observe(s.Of("any"), "schema", schemas.Fired, 200)
			require.Nil(t, s.Of("any").Unusual(detectors()))
			require.False(t, s.Unusual("schema"))
		})
	}
}

// Whatever the order in which they come, every answer is counted once.
func TestSharesConcurrently(t *testing.T) {
	const each = 1_000
	s := newShares(0.5, 8*each)
	var wg sync.WaitGroup
	for g := range 8 {
		outcome := schemas.Fired
		if g%4 == 0 {
			outcome = schemas.Clear
		}
		wg.Go(func() {
			for i := range each {
				s.Of(fmt.Sprint(i)).Observe("citation", outcome)
				s.Of("").Unusual(detectors())
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[string]float64{"citation": 0.75}, s.Of("").Unusual(detectors()))
}

func TestSharesAllocateNothing(t *testing.T) {
	s := newShares(0.9, 100, "acme")
	require.Zero(t, testing.AllocsPerRun(200, func() {
		of := s.Of("acme")
		for _, name := range detectors() {
			of.Observe(name, schemas.Clear)
		}
		of.Unusual(detectors()[:0])
	}))
}

func BenchmarkShares(b *testing.B) {
	names := []string{"citation", "confidence", "facts", "grounding", "schema", "technical"}
	s := NewFiringRates(FiringRatesOptions{UnusualOptions: DefaultUnusualOptions(), Detectors: names, Tenants: []string{"acme"}})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			of := s.Of("acme")
			for _, name := range names {
				of.Observe(name, schemas.Clear)
			}
		}
	})
}
