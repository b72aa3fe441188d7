package feedback

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
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
	fb.rankTenants()
}

func (fb *WeightedLabels) rankTenants() {
	tenants := fb.store.tenants
	fb.ranks = make([]int, len(tenants)+1)
	for rank, name := range slices.Sorted(maps.Keys(tenants)) {
		fb.ranks[tenants[name]] = rank + 1
	}
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
	Low, High         float64 // 95 % bootstrap interval, resampled within strata
	UnlabelledShare   float64 // share of the firing answers that lie in cells without a label; Precision leaves them out
}

// Precisions are those of alerts and of every detector that fired, in the order of the suites. The same seed gives the
// same intervals.
func (fb *WeightedLabels) Precisions(seed uint64) []Precision {
	all := []Precision{fb.detectorPrecision("", seed, func(r *incidentRecord) float64 {
		if !r.alert {
			return 0
		}
		return r.recordProbability()
	})}
	for d, name := range fb.store.names {
		deep := slices.Contains(fb.deepNames, name)
		p := fb.detectorPrecision(name, seed+uint64(d)+1, func(r *incidentRecord) float64 {
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
func (fb *WeightedLabels) detectorPrecision(name string, seed uint64, included func(*incidentRecord) float64) Precision {
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
	var parts [][]roc.Scored
	for _, at := range slices.SortedFunc(maps.Keys(labels), fb.compareCells) {
		unseen -= fired[at]
		for i := range labels[at] {
			labels[at][i].Weight *= float64(count[at]) / float64(len(labels[at]))
		}
		parts = append(parts, labels[at])
	}
	if p.Labels > 0 {
		p.Unweighted = float64(p.Confirmed) / float64(p.Labels)
		p.Precision, p.Low, p.High = bootstrapPrecision(parts, seed)
	}
	if len(labels) < len(fired) {
		p.UnlabelledShare = roc.Ratio(unseen, total)
	}
	return p
}

func (fb *WeightedLabels) compareCells(a, b weightCell) int {
	return cmp.Or(cmp.Compare(a.stratum, b.stratum), cmp.Compare(fb.ranks[a.tenant], fb.ranks[b.tenant]))
}

// bootstrapPrecision is the weighted share of positives with its interval: percentiles over resamples of every stratum.
// Without variance the interval is Wilson's, at the effective number of labels.
func bootstrapPrecision(parts [][]roc.Scored, seed uint64) (share, low, high float64) {
	share, worth := weightedShare(slices.Concat(parts...))
	if share == 0 || share == 1 {
		low, high = roc.Wilson(share, worth)
		return share, low, high
	}
	const resamples = 1000
	random := rand.New(rand.NewPCG(seed, resamples))
	drawn := make([]float64, resamples)
	var again []roc.Scored
	for k := range drawn {
		again = again[:0]
		for _, part := range parts {
			for range part {
				again = append(again, part[random.IntN(len(part))])
			}
		}
		drawn[k], _ = weightedShare(again)
	}
	slices.Sort(drawn)
	const tail = resamples / 40 // 2.5 %
	return share, drawn[tail], drawn[resamples-1-tail]
}

func weightedShare(rows []roc.Scored) (share, worth float64) {
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
