package alerting

import (
	"sync"
	"sync/atomic"

	"confab/schemas"
)

// FiringRateOptions say from which firing rate on a detector is more likely broken than right.
type FiringRateOptions struct {
	// Firing rate, as a share of checked answers, from which it is anomalous: the detector no longer counts towards alerts, and on-call gets one message that it may be broken. It counts again below four fifths of this share. 1: never anomalous.
	Share float64 `yaml:"share" min:"0.01" max:"1"`
	// Number of last checked answers over which the rate is taken. Before that many answers no rate is anomalous.
	Checks int `yaml:"-"`
}

// DefaultFiringRateOptions are the defaults of the configuration.
func DefaultFiringRateOptions() FiringRateOptions { return FiringRateOptions{Share: 0.7, Checks: 1000} }

// recoveryRatio is the part of the share below which an anomalous rate is normal again, so that it does not alternate.
const recoveryRatio = 0.8

// FiringRates are the rates at which detectors fired on the last checked answers, by tenant. Tenants that the configuration
// does not name share one count, so their traffic does not affect the rates of a named tenant.
//
// They count answers, not time, are safe for concurrent use and end with the process. Nil is valid: no rate is anomalous.
type FiringRates struct {
	tenants   map[string]*TenantFiringRates
	others    *TenantFiringRates
	anomalous map[string]*atomic.Int64 // by detector: for how many tenants its rate is anomalous
}

// NewFiringRates counts from now on; tenants are counted separately. A share of 1 gives nil.
func NewFiringRates(o FiringRateOptions, detectors, tenants []string) *FiringRates {
	if o.Share >= 1 || o.Checks <= 0 {
		return nil
	}
	s := &FiringRates{tenants: make(map[string]*TenantFiringRates, len(tenants)), anomalous: make(map[string]*atomic.Int64, len(detectors))}
	for _, name := range detectors {
		s.anomalous[name] = new(atomic.Int64)
	}
	s.others = s.newTenant(o)
	for _, name := range tenants {
		s.tenants[name] = s.newTenant(o)
	}
	return s
}

func (s *FiringRates) newTenant(o FiringRateOptions) *TenantFiringRates {
	t := &TenantFiringRates{windows: make(map[string]*firingRate, len(s.anomalous))}
	limit := o.Share * float64(o.Checks)
	for name, tenants := range s.anomalous {
		t.windows[name] = &firingRate{
			raiseAt: limit - tolerance, clearBelow: recoveryRatio*limit - tolerance,
			recent: make([]uint64, (o.Checks+63)/64), size: o.Checks, anomalousTenants: tenants,
		}
	}
	return t
}

// ForTenant returns the rates of a tenant.
func (s *FiringRates) ForTenant(tenant string) *TenantFiringRates {
	if s == nil {
		return nil
	}
	if t, ok := s.tenants[tenant]; ok {
		return t
	}
	return s.others
}

// Anomalous reports whether the rate of the detector is anomalous for at least one tenant.
func (s *FiringRates) Anomalous(detector string) bool {
	return s != nil && s.anomalous[detector] != nil && s.anomalous[detector].Load() > 0
}

// TenantFiringRates are the rates of one tenant. Nil is valid: no rate is anomalous.
type TenantFiringRates struct {
	windows map[string]*firingRate // by detector
}

// Observe counts the outcome of a detector on one answer. Answers that it could not check do not count.
func (t *TenantFiringRates) Observe(detector string, outcome schemas.Outcome) {
	if t == nil || outcome != schemas.Fired && outcome != schemas.Clear {
		return
	}
	if w := t.windows[detector]; w != nil {
		w.add(outcome == schemas.Fired)
	}
}

// Anomalous returns the rates of those of the detectors whose rate is anomalous now, nil for none.
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
	anomalousTenants *atomic.Int64 // shared by all tenants of the detector

	raiseAt, clearBelow float64 // numbers of fired checks
	size                int     // checks that count

	mu     sync.Mutex
	recent []uint64 // a ring with a bit for each check, set when it fired
	next   int
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
