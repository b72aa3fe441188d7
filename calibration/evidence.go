package calibration

import "cmp"

// How far detectors that fired raise the risk, in addition to the risk maps. A fused detector that fires alone is right half of
// the time on public data (lower ends: citation .53, facts .50); the floor is lower, just above the default of
// recommendation.flag, because .5 ranks worse (AUROC -.004 on one set, against -.002). No threshold of the embedded
// calibration has a lower measured precision than .65. The prior is what the embedded fusion gives without any input, below
// the grey zone of sampling.
const (
	priorRisk           = 0.29 // of an answer about which fusion knows nothing
	fusedRisk           = 0.42 // the least one where a detector of the fusion fires, or the detector's measured precision if that is less
	unmeasuredPrecision = 0.65 // of a detector outside of the fusion without minMeasured labelled rows
)

// minMeasured is the least number of rows for a measured precision.
const minMeasured = 20

// PriorRisk is the risk of an answer about which fusion knows nothing; ok is false without risk maps.
func (c *Calibration) PriorRisk() (p float64, ok bool) { return priorRisk, len(c.risks) > 0 }

// FiredRisk is the least risk of an answer on which the detector fired: the lower end of its measured precision. That of a
// detector of the fusion is mostly measured where others fired too, and counts up to fusedRisk.
func (c *Calibration) FiredRisk(key ThresholdKey, independent bool) float64 {
	measured := c.thresholds.limit(key).precision
	if independent {
		return cmp.Or(measured, unmeasuredPrecision)
	}
	return min(cmp.Or(measured, fusedRisk), fusedRisk)
}
