package thresholds

import (
	"math"

	"confab/calibration"
	"confab/calibration/measure"
)

// AlertPolicy is the configured alert rule. An *alerting.Policy is one.
type AlertPolicy interface {
	// Holds reports whether the rule holds for an answer of the tenant on which the detectors fired. risk is NaN if it is
	// unknown. minRisk is the minimum of a calibration, for tenants without their own.
	Holds(tenant string, fired []string, risk, minRisk float64) bool
}

// twoOrMore is the alert rule without a configuration.
type twoOrMore struct{}

func (twoOrMore) Holds(_ string, fired []string, risk, minRisk float64) bool {
	return len(fired) >= 2 && (math.IsNaN(risk) || risk >= minRisk)
}

// anyReaches reports whether the policy holds on any row whatever its risk.
func (c *calibrationRun) anyReaches(fired firedMatrix) bool {
	for i := range c.rows {
		var names []string
		for d, f := range fired[i] {
			if f {
				names = append(names, c.detectors[d])
			}
		}
		if c.o.Policy.Holds(c.rows[i].Tenant, names, 1, 0) {
			return true
		}
	}
	return false
}

// Alerts says which rows alert by the policy under the calibration.
func Alerts(rows []measure.Row, policy AlertPolicy, c *calibration.Calibration) []bool {
	out := make([]bool, len(rows))
	minRisk, _ := c.AlertRisk()
	for i := range rows {
		r := &rows[i]
		out[i] = policy.Holds(r.Tenant, firedNames(r, c), riskOf(r, c), minRisk)
	}
	return out
}

func firedNames(r *measure.Row, c *calibration.Calibration) (names []string) {
	for i := range r.Signals {
		if r.FiredBy(c, i) {
			names = append(names, r.Signals[i].Detector)
		}
	}
	return names
}

// riskOf is the row's risk; NaN if it is unknown.
func riskOf(r *measure.Row, c *calibration.Calibration) float64 {
	if p, known := r.Risk(c); known {
		return p
	}
	return math.NaN()
}

// LostAlerts counts the alerts that a new calibration takes away.
type LostAlerts struct {
	OldID          string
	Wrong, WrongOf int // alerts on answers labelled bad: lost, and of how many before
	Fine, FineOf   int // the same for answers labelled good
}

// Judged are rows, as a calibration and its model measured them.
type Judged struct {
	Rows        []measure.Row
	Calibration *calibration.Calibration
}

// CountLost compares the alerts of the same rows, in the same order, under two calibrations.
func CountLost(policy AlertPolicy, before, after Judged) LostAlerts {
	if policy == nil {
		policy = twoOrMore{}
	}
	l := LostAlerts{OldID: before.Calibration.ID()}
	was, is := Alerts(before.Rows, policy, before.Calibration), Alerts(after.Rows, policy, after.Calibration)
	for i := range was {
		switch {
		case !was[i]:
		case after.Rows[i].Positive:
			l.WrongOf++
			l.Wrong += boolInt(!is[i])
		default:
			l.FineOf++
			l.Fine += boolInt(!is[i])
		}
	}
	return l
}
