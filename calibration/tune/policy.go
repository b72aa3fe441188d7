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
	// unknown; if it holds for a risk, then for higher ones and an unknown one, too. minRisk is the minimum of a calibration, for
	// tenants without their own.
	Holds(tenant string, fired []string, risk, minRisk float64) bool
}

// confirmer is a policy whose alerts may wait for the judge. An *alerting.Policy is one.
type confirmer interface {
	Confirms(tenant string, fired []string) bool
}

// What is assumed of the judge whom alerts wait for.
const (
	judgeConfirms = 0.8 // of the alerts on wrong answers
	judgeErrs     = 0.2 // of those on fine ones
)

// rule is the alert rule under the risk maps and the minimum risk of a calibration.
type rule struct {
	policy  AlertPolicy
	cal     *calibration.Calibration
	minRisk float64
}

func newRule(policy AlertPolicy, cal *calibration.Calibration) *rule {
	minRisk, _ := cal.AlertRisk()
	return &rule{policy, cal, minRisk}
}

// alerts reports whether the rule holds for the answer when these detectors fire, and the risk that it has then: NaN if it is unknown
// or the rule does not hold whatever it is.
func (r *rule) alerts(row *measure.Row, fired []string) (risk float64, holds bool) {
	risk = math.NaN()
	if !r.policy.Holds(row.Tenant, fired, 1, r.minRisk) {
		return risk, false
	}
	if p, known := row.Risk(&firing{r.cal, fired}); known {
		risk = p
	}
	return risk, r.policy.Holds(row.Tenant, fired, risk, r.minRisk)
}

// holds is alerts without the risk, which takes most of the time.
func (r *rule) holds(row *measure.Row, fired []string) bool {
	if r.policy.Holds(row.Tenant, fired, 0, r.minRisk) {
		return true
	}
	_, holds := r.alerts(row, fired)
	return holds
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

// judge says which detectors fire on the row, and whether it alerts.
func (r *rule) judge(row *measure.Row) (fired []string, alerts bool) {
	fired = firedNames(row, r.cal)
	return fired, r.holds(row, fired)
}

// Alerts reports whether the row alerts by the configured rule under the calibration.
func Alerts(r *measure.Row, policy AlertPolicy, c *calibration.Calibration) bool {
	_, alerts := newRule(policy, c).judge(r)
	return alerts
}

func firedNames(r *measure.Row, c *calibration.Calibration) (fired []string) {
	for i := range r.Signals {
		if r.FiredBy(c, i) {
			fired = append(fired, r.Signals[i].Detector)
		}
	}
	return fired
}

// confirmed is the share of such alerts on wrong and on fine answers that a judge leaves; all if none is asked.
func (r *rule) confirmed(tenant string, fired []string) (wrong, right float64) {
	if p, ok := r.policy.(confirmer); ok && p.Confirms(tenant, fired) {
		return judgeConfirms, judgeErrs
	}
	return 1, 1
}
