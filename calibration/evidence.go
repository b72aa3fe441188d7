package calibration

import "cmp"

// Evidence says how far detectors that fired raise the risk, in addition to the risk maps. Values are probabilities; 0
// takes the default in brackets.
type Evidence struct {
	// PriorRisk is the risk of an answer about which fusion knows nothing [0.29].
	PriorRisk float64 `yaml:"prior_risk,omitempty"`
	// FusedRisk is the least risk of an answer on which a detector of the fusion fires, or the lower end of the detector's
	// measured precision if that is less [0.42].
	FusedRisk float64 `yaml:"fused_risk,omitempty"`
	// UnmeasuredPrecision is the precision of a detector outside of the fusion without 20 labelled rows [0.65].
	UnmeasuredPrecision float64 `yaml:"unmeasured_precision,omitempty"`
}

// The defaults of Evidence, in its order. A fused detector that fires alone is right half of the time on public data
// (lower ends: citation .53, facts .50); the floor is lower, just above the default of recommendation.flag, because .5
// ranks worse (AUROC -.004 on one set, against -.002). No threshold of the embedded calibration has a lower measured
// precision than .65. The prior is what the embedded fusion gives without any input, below the grey zone of sampling.
const (
	defaultPriorRisk           = 0.29
	defaultFusedRisk           = 0.42
	defaultUnmeasuredPrecision = 0.65
)

// minMeasured is the least number of rows for a measured precision.
const minMeasured = 20

// NewEvidence is the default for traffic with that share of bad answers, which bounds the prior risk.
func NewEvidence(baseRate float64) *Evidence {
	return &Evidence{PriorRisk: min(baseRate, defaultPriorRisk)}
}

func (e *Evidence) withDefaults() Evidence {
	var d Evidence
	if e != nil {
		d = *e
	}
	return Evidence{
		PriorRisk:           cmp.Or(d.PriorRisk, defaultPriorRisk),
		FusedRisk:           cmp.Or(d.FusedRisk, defaultFusedRisk),
		UnmeasuredPrecision: cmp.Or(d.UnmeasuredPrecision, defaultUnmeasuredPrecision),
	}
}

// PriorRisk is the risk of an answer about which fusion knows nothing; ok is false without risk maps.
func (c *Calibration) PriorRisk() (p float64, ok bool) { return c.evidence.PriorRisk, len(c.risks) > 0 }

// FiredRisk is the least risk of an answer on which the detector fired: the lower end of its measured precision. That of a
// detector of the fusion is mostly measured where others fired too, and counts up to [Evidence.FusedRisk].
func (c *Calibration) FiredRisk(key ThresholdKey, independent bool) float64 {
	measured := c.thresholds.limit(key).precision
	switch {
	case independent:
		return cmp.Or(measured, c.evidence.UnmeasuredPrecision)
	case measured > 0:
		return min(measured, c.evidence.FusedRisk)
	}
	return c.evidence.FusedRisk
}

func (v *validator) checkEvidence(e *Evidence) {
	if e == nil {
		return
	}
	v.checkShare("evidence.prior_risk", e.PriorRisk)
	v.checkShare("evidence.fused_risk", e.FusedRisk)
	v.checkShare("evidence.unmeasured_precision", e.UnmeasuredPrecision)
}
