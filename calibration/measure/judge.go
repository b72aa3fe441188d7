package measure

import (
	"math"

	"confab/detectors"
)

// FiredBy reports whether the rule of the row's i-th signal fires under the calibration.
func (r *Row) FiredBy(c detectors.Thresholds, i int) bool {
	s := &r.Signals[i]
	at, armed := c.Threshold(s.Detector, r.Tenant, r.Operation, r.Model)
	return s.HasScore && armed && s.Score >= at
}

// Fired appends to dst whether each rule of the row fires under the calibration.
func (r *Row) Fired(c detectors.Thresholds, dst []bool) []bool {
	for i := range r.Signals {
		dst = append(dst, r.FiredBy(c, i))
	}
	return dst
}

// CountFired returns how many rules fire on the row under the calibration, and how many detectors could measure it.
func (r *Row) CountFired(c detectors.Thresholds) (fired, able int) {
	for i := range r.Signals {
		if r.FiredBy(c, i) {
			fired++
		}
		if r.Signals[i].HasScore {
			able++
		}
	}
	return fired, able
}

// AlertJudge decides whether a row alerts. A calibration is one.
type AlertJudge interface {
	detectors.Thresholds
	detectors.Risks
	AlertRisk() (minRisk float64, ok bool)
}

// Alerts reports whether two or more rules fire on the row under the calibration and its risk is at least that of the
// row's fold, or else that of the calibration. An unknown risk is enough.
func (r *Row) Alerts(c AlertJudge) bool {
	if fired, _ := r.CountFired(c); fired < 2 {
		return false
	}
	minRisk := r.MinRisk
	if minRisk == 0 {
		minRisk, _ = c.AlertRisk()
	}
	p, known := r.Risk(c)
	return !known || p >= minRisk
}

// Risk is the calibrated probability that the answer is faulty; ok is false without log-odds of fusion or without a map
// for them.
func (r *Row) Risk(c detectors.Risks) (p float64, ok bool) {
	if math.IsNaN(r.Fused) || r.Measurable == "" {
		return 0, false
	}
	return c.Risk(r.Measurable, r.Fused)
}
