package thresholds

import (
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// minThreshold is the lowest threshold allowed for the key; 0 allows any.
func (c *calibrationRun) minThreshold(p *keyRows) float64 {
	if c.o.Current == nil || p.coversAll() && !c.o.RaiseOnly || !p.coversAll() && c.coversUnalerted(p) {
		return 0
	}
	at, armed := c.o.Current.Threshold(p.Detector, p.Tenant, p.Operation, p.Model)
	if !armed {
		return 2 // above every score: nothing is armed
	}
	return at
}

// coversUnalerted reports whether the key has enough labels without an alert to lower its threshold.
func (c *calibrationRun) coversUnalerted(p *keyRows) bool {
	return measure.CoversUnalerted(c.rows, p.index)
}

// allowedCandidates are the candidates above 0 from the minimum on; the minimum is one of them.
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

// choose chooses among the allowed candidates. A minimum that meets the target stays.
func (c *calibrationRun) choose(p *keyRows, allowed []roc.Candidate, target roc.Target) (roc.Candidate, bool) {
	if c.minThreshold(p) > 0 && len(allowed) > 0 {
		if kept, ok := roc.Choose(allowed[:1], target); ok {
			return kept, true
		}
	}
	return roc.Choose(allowed, target)
}

// withCurrent adds the thresholds of Current under the remaining keys.
func (c *calibrationRun) withCurrent(rows []calibration.Threshold) []calibration.Threshold {
	if c.o.Current == nil {
		return rows
	}
	chosen := calibration.NewThresholdTable(rows)
	for _, t := range c.o.Current.File().Thresholds {
		if !chosen.Has(t.Key()) {
			rows = append(rows, t)
		}
	}
	return rows
}
