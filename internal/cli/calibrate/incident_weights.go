package calibrate

import (
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// weightCell is the unit within which labels are weighted: a stratum of one tenant with enough labels, or of all other
// tenants together (tenant 0).
type weightCell struct {
	stratum measure.Stratum
	tenant  uint32
}

func (fb *weightedLabels) cellOf(r *incidentRecord) weightCell {
	if own := (weightCell{r.stratum(), r.tenant}); fb.ownCells[own] {
		return own
	}
	return weightCell{r.stratum(), 0}
}

// assignWeights sets the weight of every label: the inverse of the probability that such an answer is recorded and
// labelled. With π the probability of being recorded, N recorded and n labelled incidents in its cell,
//
//	weight = 1/π · N/n
//
// Sampling records π. N/n assumes that labelling within a cell does not depend on the verdict. Source: Horvitz and
// Thompson, "A Generalization of Sampling Without Replacement from a Finite Universe", 1952; cells as in Holt and
// Smith, "Post Stratification", 1979.
func (fb *weightedLabels) assignWeights() {
	fb.ownCells = map[weightCell]bool{}
	labelled := map[weightCell]int{}
	for i := range fb.Incidents {
		r := &fb.Incidents[i].record
		labelled[weightCell{r.stratum(), r.tenant}]++
	}
	for at, n := range labelled {
		fb.ownCells[at] = n >= measure.MinStratum
	}
	clear(labelled)
	for i := range fb.Incidents {
		labelled[fb.cellOf(&fb.Incidents[i].record)]++
	}
	recorded := map[weightCell]int{}
	answers, unlike := 0.0, 0.0
	for _, r := range fb.store.recorded {
		if r.recordProbability() == 0 {
			continue
		}
		at := fb.cellOf(&r)
		recorded[at]++
		answers += 1 / r.recordProbability()
		if labelled[at] == 0 && fb.Strata[at.stratum].Labelled > 0 {
			fb.Uncovered++
			unlike += 1 / r.recordProbability()
		}
	}
	fb.uncoveredShare = roc.Ratio(unlike, answers)
	total := 0.0
	for i := range fb.Incidents {
		s := &fb.Incidents[i]
		at := fb.cellOf(&s.record)
		s.Weight = float64(recorded[at]) / float64(labelled[at]) / s.record.recordProbability()
		total += s.Weight
	}
	fb.perLabel = roc.Ratio(total, float64(len(fb.Incidents)))
}
