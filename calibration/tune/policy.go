package tune

import (
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
)

// AlertPolicy is the configured alert rule. An *alerting.Policy is one.
type AlertPolicy interface {
	// Holds reports whether the rule holds for an answer of the tenant on which the detectors fired. risk is NaN if it is
	// unknown. minRisk is the minimum of a calibration, for tenants without their own.
	Holds(tenant string, fired []string, risk, minRisk float64) bool
}

// confirmer is a policy whose alerts may wait for the judge. An *alerting.Policy is one.
type confirmer interface {
	Confirms(tenant string, fired []string) bool
}

// What is assumed of the judge whom alerts wait for.
const (
	judgeConfirms = 0.8 // of the alerts on wrong answers
	judgeErrs     = 0.2 // of those on right ones
)

// twoOrMore is the alert rule without a configuration.
type twoOrMore struct{}

func (twoOrMore) Holds(_ string, fired []string, risk, minRisk float64) bool {
	return len(fired) >= 2 && (math.IsNaN(risk) || risk >= minRisk)
}

// ruleTable remembers what the alert rule says of detectors that fired.
type ruleTable struct {
	policy    AlertPolicy
	detectors []string
	cal       *calibration.Calibration // its risk maps and minimum
	minRisk   float64
	known     map[firedSet]ruling
}

type firedSet struct {
	tenant string
	mask   uint64
}

type ruling int8

const (
	never ruling = iota + 1
	always
	byRisk
)

func newRuleTable(policy AlertPolicy, names []string, cal *calibration.Calibration) *ruleTable {
	minRisk, _ := cal.AlertRisk()
	return &ruleTable{policy, names, cal, minRisk, map[firedSet]ruling{}}
}

// alerts reports whether the rule holds for the answer when these detectors fire.
func (t *ruleTable) alerts(r *measure.Row, mask uint64) bool {
	key := firedSet{r.Tenant, mask}
	rule := t.known[key]
	if rule == 0 {
		rule = byRisk
		switch fired := t.names(mask); {
		case !t.policy.Holds(r.Tenant, fired, 1, t.minRisk):
			rule = never
		case t.policy.Holds(r.Tenant, fired, 0, t.minRisk) && t.policy.Holds(r.Tenant, fired, math.NaN(), t.minRisk):
			rule = always
		}
		t.known[key] = rule
	}
	if rule != byRisk {
		return rule == always
	}
	return t.policy.Holds(r.Tenant, t.names(mask), riskOf(r, &firing{t.cal, t.names(mask)}), t.minRisk)
}

func (t *ruleTable) names(mask uint64) (names []string) {
	for d, name := range t.detectors {
		if mask&(1<<d) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// firing is a calibration under which exactly these detectors fire.
type firing struct {
	*calibration.Calibration
	fired []string
}

// Threshold implements [detectors.Thresholds].
func (f *firing) Threshold(detector, _, _, _ string) (at float64, armed bool) {
	return 0, slices.Contains(f.fired, detector)
}

// riskOf is the row's risk; NaN if it is unknown.
func riskOf(r *measure.Row, c measure.Calibrated) float64 {
	if p, known := r.Risk(c); known {
		return p
	}
	return math.NaN()
}

// judge says whether the row is flagged, and whether it alerts, under the calibration.
func judge(r *measure.Row, policy AlertPolicy, c *calibration.Calibration) (flagged, alerts bool) {
	fired := firedNames(r, c)
	minRisk, _ := c.AlertRisk()
	return len(fired) > 0, policy.Holds(r.Tenant, fired, 1, minRisk) && policy.Holds(r.Tenant, fired, riskOf(r, c), minRisk)
}

func firedNames(r *measure.Row, c *calibration.Calibration) (fired []string) {
	for i := range r.Signals {
		if r.FiredBy(c, i) {
			fired = append(fired, r.Signals[i].Detector)
		}
	}
	return fired
}

// confirmed is the share of such alerts on wrong and on right answers that a judge leaves; all if none is asked.
func confirmed(r *measure.Row, policy AlertPolicy, c *calibration.Calibration) (wrong, right float64) {
	if p, ok := policy.(confirmer); ok && p.Confirms(r.Tenant, firedNames(r, c)) {
		return judgeConfirms, judgeErrs
	}
	return 1, 1
}
