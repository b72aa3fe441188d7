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

// Risk is the calibrated probability that the answer is faulty; ok is false without log-odds of fusion or without a map
// for them.
func (r *Row) Risk(c detectors.Risks) (p float64, ok bool) {
	if math.IsNaN(r.Fused) || r.Measurable == "" {
		return 0, false
	}
	return c.Risk(r.Measurable, r.Fused)
}
