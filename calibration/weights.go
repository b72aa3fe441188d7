package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
)

// weigh gives every label its weight: the inverse of the probability with which an answer like it came to be recorded and
// labelled. With π the probability of being recorded, and N incidents recorded and n labelled in its stratum,
//
//	weight = 1/π · N/n
//
// The first factor is known: sampling writes it down. The second holds as far as people label within a stratum without
// regard to what they find. Source: Horvitz and Thompson, "A Generalization of Sampling Without Replacement from a Finite
// Universe", 1952; the strata as in Holt and Smith, "Post Stratification", 1979.
func (fb *Feedback) weigh() {
	for i := range fb.Said {
		s := &fb.Said[i]
		n := &fb.Strata[s.Stratum]
		s.Weight = float64(n.Recorded) / float64(n.Labelled) / s.included
	}
}

// Worth is the number of unweighted labels that would tell as much: Kish's effective sample size.
func (fb *Feedback) Worth() float64 {
	var sum, squares float64
	for i := range fb.Said {
		sum += fb.Said[i].Weight
		squares += fb.Said[i].Weight * fb.Said[i].Weight
	}
	return ratio(sum*sum, squares)
}

// FeedbackPrecision says how often a detector was right where it fired, in the traffic, as people have found.
type FeedbackPrecision struct {
	Detector          string // empty: alerts, whatever fired
	Labels, Confirmed int
	Plain             float64 // share of confirmed ones among the labels as they are
	Precision         float64 // weighted; NaN without labels
	Low, High         float64 // 95 %: bootstrap over incidents within strata
	Unseen            float64 // share of what it fired on that lies where nobody has labelled, of which Precision says nothing
}

// Precisions are those of alerts and of every detector that fired, in the order of the suites. Each is weighed within
// what the detector fired on. The same seed gives the same intervals.
func (fb *Feedback) Precisions(seed uint64) []FeedbackPrecision {
	all := []FeedbackPrecision{fb.precision("", seed, func(r *counted) float64 {
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
func (fb *Feedback) precision(name string, seed uint64, included func(*counted) float64) FeedbackPrecision {
	var fired [strata]float64 // answers
	var count [strata]int     // incidents
	for _, r := range fb.census.recorded {
		if p := included(&r); p > 0 {
			count[r.stratum()]++
			fired[r.stratum()] += 1 / p
		}
	}
	p := FeedbackPrecision{Detector: name, Precision: math.NaN(), Low: math.NaN(), High: math.NaN()}
	var labels [strata][]Scored
	for i := range fb.Said {
		s := &fb.Said[i]
		r := counted{fired: s.fired, alert: s.Stratum == Alerted, fast: s.Fast != nil}
		if s.Deep != nil {
			r.chance = float32(s.Deep.SampleProbability)
		}
		if q := included(&r); q > 0 {
			labels[s.Stratum] = append(labels[s.Stratum], Scored{Positive: s.Positive, Weight: 1 / q})
			p.Labels++
			p.Confirmed += bit(s.Positive)
		}
	}
	unseen, total := 0.0, 0.0
	for h := range labels {
		total += fired[h]
		if len(labels[h]) == 0 {
			unseen += fired[h]
			continue
		}
		for i := range labels[h] {
			labels[h][i].Weight *= float64(count[h]) / float64(len(labels[h]))
		}
	}
	p.Unseen = ratio(unseen, total)
	if p.Labels > 0 {
		p.Plain = float64(p.Confirmed) / float64(p.Labels)
		p.Precision, p.Low, p.High = stratified(labels[:], seed)
	}
	return p
}

// stratified is the weighted share of positives with its interval: percentiles over resamples of every stratum. Labels
// that all say the same have no spread to resample; there the interval is Wilson's, at the effective number of labels.
func stratified(parts [][]Scored, seed uint64) (share, low, high float64) {
	share, worth := shareOf(slices.Concat(parts...))
	if share == 0 || share == 1 {
		low, high = Wilson(share, worth)
		return share, low, high
	}
	const resamples = 1000
	random := rand.New(rand.NewPCG(seed, resamples))
	drawn := make([]float64, resamples)
	var again []Scored
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

func shareOf(rows []Scored) (share, worth float64) {
	var hit, all, squares float64
	for _, s := range rows {
		all += s.Weight
		squares += s.Weight * s.Weight
		if s.Positive {
			hit += s.Weight
		}
	}
	return ratio(hit, all), ratio(all*all, squares)
}
