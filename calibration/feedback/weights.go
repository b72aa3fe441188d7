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

// cell is what labels are weighed within: the stratum of a tenant with labels enough there, or that of all others
// together, whose tenant is 0.
type cell struct {
	stratum measure.Stratum
	tenant  uint32
}

func (fb *WeightedLabels) cellOf(r *counted) cell {
	if own := (cell{r.stratum(), r.tenant}); fb.own[own] {
		return own
	}
	return cell{r.stratum(), 0}
}

// weigh gives every label its weight: the inverse of the probability with which an answer like it came to be recorded and
// labelled. With π the probability of being recorded, and N incidents recorded and n labelled in its cell,
//
//	weight = 1/π · N/n
//
// The first factor is known: sampling writes it down. The second holds as far as people label within a cell without
// regard to what they find. Source: Horvitz and Thompson, "A Generalization of Sampling Without Replacement from a Finite
// Universe", 1952; the cells as in Holt and Smith, "Post Stratification", 1979.
func (fb *WeightedLabels) weigh() {
	fb.own = map[cell]bool{}
	labelled := map[cell]int{}
	for i := range fb.Said {
		r := &fb.Said[i].record
		labelled[cell{r.stratum(), r.tenant}]++
	}
	for at, n := range labelled {
		fb.own[at] = n >= measure.MinStratum
	}
	clear(labelled)
	for i := range fb.Said {
		labelled[fb.cellOf(&fb.Said[i].record)]++
	}
	recorded := map[cell]int{}
	answers, unlike := 0.0, 0.0
	for _, r := range fb.census.recorded {
		if r.included() == 0 {
			continue
		}
		at := fb.cellOf(&r)
		recorded[at]++
		answers += 1 / r.included()
		if labelled[at] == 0 && fb.Strata[at.stratum].Labelled > 0 {
			fb.Unlike++
			unlike += 1 / r.included()
		}
	}
	fb.unlike = roc.Ratio(unlike, answers)
	total := 0.0
	for i := range fb.Said {
		s := &fb.Said[i]
		at := fb.cellOf(&s.record)
		s.Weight = float64(recorded[at]) / float64(labelled[at]) / s.record.included()
		total += s.Weight
	}
	fb.perLabel = roc.Ratio(total, float64(len(fb.Said)))
	fb.rankTenants()
}

func (fb *WeightedLabels) rankTenants() {
	tenants := fb.census.tenants
	fb.ranks = make([]int, len(tenants)+1)
	for rank, name := range slices.Sorted(maps.Keys(tenants)) {
		fb.ranks[tenants[name]] = rank + 1
	}
}

// Worth is the number of unweighted labels that would tell as much: Kish's effective sample size.
func (fb *WeightedLabels) Worth() float64 {
	var sum, squares float64
	for i := range fb.Said {
		sum += fb.Said[i].Weight
		squares += fb.Said[i].Weight * fb.Said[i].Weight
	}
	return roc.Ratio(sum*sum, squares)
}

// Precision says how often a detector was right where it fired, in the traffic, as people have found.
type Precision struct {
	Detector          string // empty: alerts, whatever fired
	Labels, Confirmed int
	Plain             float64 // share of confirmed ones among the labels as they are
	Precision         float64 // weighted; NaN without labels
	Low, High         float64 // 95 %: bootstrap over incidents within strata
	Unseen            float64 // share of what it fired on that lies where nobody has labelled, of which Precision says nothing
}

// Precisions are those of alerts and of every detector that fired, in the order of the suites. Each is weighed within
// what the detector fired on. The same seed gives the same intervals.
func (fb *WeightedLabels) Precisions(seed uint64) []Precision {
	all := []Precision{fb.precision("", seed, func(r *counted) float64 {
		if !r.alert {
			return 0
		}
		return r.included()
	})}
	for d, name := range fb.census.names {
		deep := slices.Contains(fb.deepNames, name)
		p := fb.precision(name, seed+uint64(d)+1, func(r *counted) float64 {
			switch {
			case r.fired&(1<<d) == 0:
				return 0
			case deep:
				return float64(r.chance) // it looks at sampled answers only, those that the cheap pass flagged included
			default:
				return r.included()
			}
		})
		if p.Labels > 0 || p.Unseen > 0 {
			all = append(all, p)
		}
	}
	return all
}

// precision is over the incidents that included gives a probability for.
func (fb *WeightedLabels) precision(name string, seed uint64, included func(*counted) float64) Precision {
	fired, count, total := map[cell]float64{}, map[cell]int{}, 0.0 // answers, and incidents
	for _, r := range fb.census.recorded {
		if p := included(&r); p > 0 {
			count[fb.cellOf(&r)]++
			fired[fb.cellOf(&r)] += 1 / p
			total += 1 / p
		}
	}
	p := Precision{Detector: name, Precision: math.NaN(), Low: math.NaN(), High: math.NaN()}
	labels := map[cell][]roc.Scored{}
	for i := range fb.Said {
		s := &fb.Said[i]
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
		p.Plain = float64(p.Confirmed) / float64(p.Labels)
		p.Precision, p.Low, p.High = stratified(parts, seed)
	}
	if len(labels) < len(fired) {
		p.Unseen = roc.Ratio(unseen, total)
	}
	return p
}

func (fb *WeightedLabels) compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a.stratum, b.stratum), cmp.Compare(fb.ranks[a.tenant], fb.ranks[b.tenant]))
}

// stratified is the weighted share of positives with its interval: percentiles over resamples of every stratum. Labels
// that all say the same have no spread to resample; there the interval is Wilson's, at the effective number of labels.
func stratified(parts [][]roc.Scored, seed uint64) (share, low, high float64) {
	share, worth := shareOf(slices.Concat(parts...))
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
		drawn[k], _ = shareOf(again)
	}
	slices.Sort(drawn)
	const tail = resamples / 40 // 2.5 %
	return share, drawn[tail], drawn[resamples-1-tail]
}

func shareOf(rows []roc.Scored) (share, worth float64) {
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
