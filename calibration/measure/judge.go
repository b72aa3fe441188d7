package measure

import (
	"math"
	"slices"
	"strings"

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
	Calibrated
	AlertRisk() (minRisk float64, ok bool)
}

// Alerts reports whether two or more rules fire on the row under the calibration and its risk is at least that of the
// calibration. An unknown risk is enough.
func (r *Row) Alerts(c AlertJudge) bool {
	if fired, _ := r.CountFired(c); fired < 2 {
		return false
	}
	minRisk, _ := c.AlertRisk()
	p, known := r.Risk(c)
	return !known || p >= minRisk
}

// Risk is the calibrated probability that the answer is wrong, as [detectors.Evaluation.Risk] computes it; ok is false
// without log-odds of fusion or without a map for them.
func (r *Row) Risk(c Calibrated) (p float64, ok bool) {
	if r.Parts == nil {
		if math.IsNaN(r.Fused) {
			return 0, false
		}
		return c.Risk(r.Measurable, r.Fused)
	}
	if !slices.ContainsFunc(r.Signals, func(s Signal) bool { return s.HasScore }) {
		return 0, false
	}
	if p, ok = detectors.FusedRisk(&judgedRow{r, c}, c); !ok {
		return 0, false
	}
	fired := detectors.NoEvidence()
	for i := range r.Signals {
		if r.FiredBy(c, i) {
			key := detectors.ThresholdKey{Detector: r.Signals[i].Detector, Tenant: r.Tenant, Operation: r.Operation, Model: r.Model}
			independent := !r.Signals[i].Fused
			fired = fired.And(c.FiredRisk(key, independent), independent)
		}
	}
	return fired.Raise(p), true
}

// Calibrated is a calibration.
type Calibrated interface {
	detectors.Thresholds
	detectors.Risks
}

// judgedRow is a row whose rules fire as the calibration says.
type judgedRow struct {
	*Row
	c detectors.Thresholds
}

// FusedSets implements [detectors.FusedAnswer].
func (j *judgedRow) FusedSets() (measured, fired detectors.DetectorSet) {
	measured = j.fusedSet()
	for i := range j.Signals {
		if measured&(1<<i) != 0 && j.FiredBy(j.c, i) {
			fired |= 1 << i
		}
	}
	return measured, fired
}

// LogOdds implements [detectors.FusedAnswer].
func (j *judgedRow) LogOdds(used detectors.DetectorSet) float64 {
	at := slices.IndexFunc(j.Parts, func(p Part) bool { return p.Used == used })
	return j.Parts[at].LogOdds
}

// NameOf implements [detectors.FusedAnswer].
func (j *judgedRow) NameOf(used detectors.DetectorSet) string {
	var names []string
	for i := range j.Signals {
		if used&(1<<i) != 0 {
			names = append(names, j.Signals[i].Detector)
		}
	}
	return strings.Join(names, "+")
}
