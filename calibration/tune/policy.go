package tune

import "math"

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
