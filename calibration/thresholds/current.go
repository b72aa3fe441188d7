package thresholds

import (
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// minThreshold is the lowest threshold that the pool may get; 0 where any will do.
func (c *calibrationRun) minThreshold(p *keyRows) float64 {
	if c.o.Current == nil || p.coversAll() && !c.o.RaiseOnly || !p.coversAll() && c.coversUnalerted(p) {
		return 0
	}
	at, armed := c.o.Current.Threshold(p.Detector, p.Tenant, p.Operation)
	if !armed {
		return 2 // above every score: these labels arm nothing
	}
	return at
}

// coversUnalerted says that the pool holds labels of what nobody was told of, so that its own threshold may be lowered.
func (c *calibrationRun) coversUnalerted(p *keyRows) bool {
	return measure.CoversUnalerted(c.rows, p.index)
}

// allowedCandidates are the candidates that may be chosen: those above 0, and from the floor on, which is one of them.
func (c *calibrationRun) allowedCandidates(p *keyRows) []roc.Candidate {
	candidates := aboveZero(p.candidates)
	floor := c.minThreshold(p)
	if floor == 0 {
		return candidates
	}
	for len(candidates) > 0 && candidates[0].Threshold < floor {
		candidates = candidates[1:]
	}
	if len(candidates) == 0 || candidates[0].Threshold == floor {
		return candidates
	}
	return append([]roc.Candidate{roc.At(p.scored, floor)}, candidates...)
}

// withCurrent adds the thresholds of Force under keys that have none of their own here.
func (c *calibrationRun) withCurrent(rows []calibration.Threshold) []calibration.Threshold {
	if c.o.Current == nil {
		return rows
	}
	chosen := calibration.NewThresholdTable(rows)
	for _, t := range c.o.Current.File().Thresholds {
		if _, known := chosen[keyOf(t.Detector, t.Tenant, t.Operation)]; !known {
			rows = append(rows, t)
		}
	}
	return rows
}
