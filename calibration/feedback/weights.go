package feedback

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration/measure"
	"confab/calibration/roc"
)

// weightCell is the unit within which labels are weighted: a stratum of one tenant with enough labels, or of all other
// tenants together (tenant 0).
type weightCell struct {
	stratum measure.Stratum
	tenant  uint32
}

func (fb *WeightedLabels) cellOf(r *incidentRecord) weightCell {
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
func (fb *WeightedLabels) assignWeights() {
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

// EffectiveLabels is Kish's effective sample size.
func (fb *WeightedLabels) EffectiveLabels() float64 {
	var sum, squares float64
	for i := range fb.Incidents {
		sum += fb.Incidents[i].Weight
		squares += fb.Incidents[i].Weight * fb.Incidents[i].Weight
	}
	return roc.Ratio(sum*sum, squares)
}

// Precision is the measured precision of a detector in the traffic.
type Precision struct {
	Detector          string // empty: alerts
	Labels, Confirmed int
	Unweighted        float64 // share of confirmed labels
	Precision         float64 // weighted; NaN without labels
	Low, High         float64 // 95 % Wilson interval, at the effective number of labels
	UnlabelledShare   float64 // share of the firing answers that lie in cells without a label; Precision leaves them out
}

// Precisions are those of alerts and of every detector that fired, in the order of the suites.
func (fb *WeightedLabels) Precisions() []Precision {
	all := []Precision{fb.detectorPrecision("", func(r *incidentRecord) float64 {
		if !r.alert {
			return 0
		}
		return r.recordProbability()
	})}
	for d, name := range fb.store.names {
		deep := slices.Contains(fb.deepNames, name)
		p := fb.detectorPrecision(name, func(r *incidentRecord) float64 {
			switch {
			case r.fired&(1<<d) == 0:
				return 0
			case deep:
				return float64(r.sampleProbability) // it measures sampled answers only
			default:
				return r.recordProbability()
			}
		})
		if p.Labels > 0 || p.UnlabelledShare > 0 {
			all = append(all, p)
		}
	}
	return all
}

// detectorPrecision is the precision over incidents with a probability above 0.
func (fb *WeightedLabels) detectorPrecision(name string, included func(*incidentRecord) float64) Precision {
	fired, count, total := map[weightCell]float64{}, map[weightCell]int{}, 0.0 // answers, and incidents
	for _, r := range fb.store.recorded {
		if p := included(&r); p > 0 {
			count[fb.cellOf(&r)]++
			fired[fb.cellOf(&r)] += 1 / p
			total += 1 / p
		}
	}
	p := Precision{Detector: name, Precision: math.NaN(), Low: math.NaN(), High: math.NaN()}
	labels := map[weightCell][]roc.Scored{}
	for i := range fb.Incidents {
		s := &fb.Incidents[i]
		if q := included(&s.record); q > 0 {
			at := fb.cellOf(&s.record)
			labels[at] = append(labels[at], roc.Scored{Positive: s.Positive, Weight: 1 / q})
			p.Labels++
			p.Confirmed += boolInt(s.Positive)
		}
	}
	unseen := total
	var all []roc.Scored
	for at, rows := range labels {
		unseen -= fired[at]
		for _, row := range rows {
			row.Weight *= float64(count[at]) / float64(len(rows))
			all = append(all, row)
		}
	}
	if p.Labels > 0 {
		p.Unweighted = float64(p.Confirmed) / float64(p.Labels)
		var effective float64
		slices.SortFunc(all, func(a, b roc.Scored) int { return cmp.Compare(a.Weight, b.Weight) }) // equal sums in any order
		p.Precision, effective = weightedShare(all)
		p.Low, p.High = roc.Wilson(p.Precision, effective)
	}
	if len(labels) < len(fired) {
		p.UnlabelledShare = roc.Ratio(unseen, total)
	}
	return p
}

// weightedShare is the share of positives, and Kish's effective number of rows.
func weightedShare(rows []roc.Scored) (share, effective float64) {
	var hit, all, squares float64
	for _, s := range rows {
		all += s.Weight
		squares += s.Weight * s.Weight
		if s.Positive {
			hit += s.Weight
		}
	}
	return roc.Ratio(hit, all), roc.Ratio(all*all, squares)
}
