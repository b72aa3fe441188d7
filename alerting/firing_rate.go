package alerting

import (
	"sync"
	"sync/atomic"

	"confab/schemas"
)

// FiringRateOptions say when a detector fires so often that it is more likely broken than right.
type FiringRateOptions struct {
	// A detector that fires on this share of the answers it checks is unusual: it no longer counts towards alerts, and is
	// told of as one that may be broken. It counts again once the share is below four fifths of this. 1: never unusual.
	Share float64 `yaml:"share" min:"0.01" max:"1"`
	// Over how many answers, the last that the detector has checked, the share is taken. Before so many nothing is unusual.
	Checks int `yaml:"checks" min:"100" max:"1000000"`
}

// DefaultFiringRateOptions are the defaults of the configuration.
func DefaultFiringRateOptions() FiringRateOptions { return FiringRateOptions{Share: 0.7, Checks: 1000} }

// recoveryRatio is the part of the share below which an unusual detector is usual again, so that it does not go to and fro.
const recoveryRatio = 0.8

// FiringRates are the shares of the last checked answers on which detectors fired, by tenant. Tenants that the configuration
// does not name share one count, so a tenant that is named cannot be blinded by the traffic of another one.
//
// They count answers, not time, are safe for concurrent use and end with the process. Nil is valid: nothing is unusual.
type FiringRates struct {
	tenants   map[string]*TenantFiringRates
	others    *TenantFiringRates
	anomalous map[string]*atomic.Int64 // by detector: for how many tenants it is unusual
}

// FiringRatesOptions configure [NewFiringRates].
type FiringRatesOptions struct {
	FiringRateOptions
	Detectors []string
	Tenants   []string // those that are counted apart
}

// NewFiringRates counts from now on. A share of 1 gives nil.
func NewFiringRates(o FiringRatesOptions) *FiringRates {
	if o.Share >= 1 || o.Checks <= 0 {
		return nil
	}
	s := &FiringRates{tenants: make(map[string]*TenantFiringRates, len(o.Tenants)), anomalous: make(map[string]*atomic.Int64, len(o.Detectors))}
	for _, name := range o.Detectors {
		s.anomalous[name] = new(atomic.Int64)
	}
	s.others = s.newTenant(o)
	for _, name := range o.Tenants {
		s.tenants[name] = s.newTenant(o)
	}
	return s
}

func (s *FiringRates) newTenant(o FiringRatesOptions) *TenantFiringRates {
	t := &TenantFiringRates{windows: make(map[string]*firingRate, len(o.Detectors))}
	for _, name := range o.Detectors {
		t.windows[name] = &firingRate{
			raiseAt: o.Share*float64(o.Checks) - tolerance, clearBelow: recoveryRatio*o.Share*float64(o.Checks) - tolerance,
			recent: make([]uint64, (o.Checks+63)/64), size: o.Checks, anomalousTenants: s.anomalous[name],
		}
	}
	return t
}

// ForTenant are the shares of a tenant.
func (s *FiringRates) ForTenant(tenant string) *TenantFiringRates {
	if s == nil {
		return nil
	}
	if t, ok := s.tenants[tenant]; ok {
		return t
	}
	return s.others
}

// Anomalous says whether the detector is unusual for a tenant at least.
func (s *FiringRates) Anomalous(detector string) bool {
	return s != nil && s.anomalous[detector] != nil && s.anomalous[detector].Load() > 0
}

// TenantFiringRates are the shares of one tenant. Nil is valid: nothing is unusual.
type TenantFiringRates struct {
	windows map[string]*firingRate // by detector
}

// Observe counts the outcome of a detector on one answer. Answers that it could not check count for nothing.
func (t *TenantFiringRates) Observe(detector string, outcome schemas.Outcome) {
	if t == nil || outcome != schemas.Fired && outcome != schemas.Clear {
		return
	}
	if w := t.windows[detector]; w != nil {
		w.add(outcome == schemas.Fired)
	}
}

// Anomalous are those of the detectors that are unusual now, with their shares; nil when none is.
func (t *TenantFiringRates) Anomalous(detectors []string) map[string]float64 {
	if t == nil {
		return nil
	}
	var found map[string]float64
	for _, name := range detectors {
		if w := t.windows[name]; w != nil && w.anomalous.Load() {
			if found == nil {
				found = make(map[string]float64, 1)
			}
			found[name] = w.current()
		}
	}
	return found
}

// firingRate is the share of the last checks of one detector that fired.
type firingRate struct {
	anomalous        atomic.Bool
	anomalousTenants *atomic.Int64 // counts the unusual ones

	raiseAt, clearBelow float64 // how many must fire for it to be unusual, how many to stay so
	size                int     // checks that count

	mu     sync.Mutex
	recent []uint64 // a bit for each of the last checks: it fired
	next   int      // where the next goes
	full   bool
	fired  int
}

func (s *firingRate) add(fired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	word, bit := &s.recent[s.next/64], uint64(1)<<(s.next%64)
	if *word&bit != 0 {
		*word &^= bit
		s.fired--
	}
	if fired {
		*word |= bit
		s.fired++
	}
	if s.next++; s.next == s.size {
		s.next, s.full = 0, true
	}
	switch n := float64(s.fired); {
	case !s.full:
	case n >= s.raiseAt && !s.anomalous.Load():
		s.anomalous.Store(true)
		s.anomalousTenants.Add(1)
	case n < s.clearBelow && s.anomalous.Load():
		s.anomalous.Store(false)
		s.anomalousTenants.Add(-1)
	}
}

func (s *firingRate) current() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.fired) / float64(s.size)
}
