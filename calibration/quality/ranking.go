package quality

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration/measure"
)

// scoredRow is one row with the score of one scorer.
type scoredRow struct {
	score    float64
	weight   float64
	group    int32 // of the slice's groups
	positive bool
	fired    bool
	place    measure.SpanHit
}

// rankedRows are a slice's rows with the scores of one scorer, sorted for repeated passes.
type rankedRows struct {
	items         []scoredRow   // highest score first
	twins, models [][]scoredRow // the items of each pair, and of each language model where there are several
	groups        int
	bins          []int8 // of the items, where the score is a probability
}

const calibrationBins = 10

// sortRows sorts the highest score first.
func sortRows(items []scoredRow) {
	slices.SortStableFunc(items, func(a, b scoredRow) int { return cmp.Compare(b.score, a.score) })
}

// withBins assigns the items to bins by score; unknown scores are in none.
func (s *rankedRows) withBins() *rankedRows {
	s.bins = make([]int8, len(s.items))
	for i := range s.items {
		s.bins[i] = int8(min(calibrationBins-1, math.Floor(s.items[i].score*calibrationBins)))
	}
	return s
}

// rowWeights says how often each group was drawn; nil: every group once.
type rowWeights []float64

func (d rowWeights) weight(it *scoredRow) float64 {
	if d == nil {
		return it.weight
	}
	return it.weight * d[it.group]
}

// labelWeights is the weight of rows by label.
type labelWeights struct{ good, bad float64 }

func (t *labelWeights) add(positive bool, w float64) {
	if positive {
		t.bad += w
	} else {
		t.good += w
	}
}

// figures computes all metrics with these weights.
func (s *rankedRows) figures(d rowWeights) metricValues {
	var total, fired, placed labelWeights
	for i := range s.items {
		it := &s.items[i]
		w := d.weight(it)
		total.add(it.positive, w)
		if it.fired {
			fired.add(it.positive, w)
		}
		if it.place != measure.NoSpans {
			placed.add(it.place == measure.SpanMissed, w)
		}
	}
	var v metricValues
	v[Places] = placed.good / (placed.good + placed.bad)
	v[AUROC] = d.ordered([][]scoredRow{s.items})
	v[Twins], v[WithinModel] = d.ordered(s.twins), d.ordered(s.models)
	v.setFound(d, s.items, total)
	v[Precision] = fired.bad / (fired.bad + fired.good)
	v[Recall] = fired.bad / total.bad
	v[FalseAlarms] = fired.good / total.good
	v[F1] = f1(fired, total.bad)
	v[CalibrationError] = s.calibrationError(d)
	v.setTraffic()
	return v
}

// setTraffic sets the metrics of alerts at several base rates from recall and false flags.
func (v *metricValues) setTraffic() {
	for i, rate := range [...]float64{0.02, 0.08, 0.2} {
		right, wrong := rate*v[Recall], (1-rate)*v[FalseAlarms]
		v[AlertsAtTwo+Metric(i)] = 1000 * (right + wrong)
		v[PrecisionAtTwo+Metric(i)] = right / (right + wrong)
	}
}

// ties calls each with the weights of the rows that share a score, the highest score first.
func (d rowWeights) ties(items []scoredRow, each func(tied labelWeights)) {
	for i := 0; i < len(items); {
		var tied labelWeights
		score := items[i].score
		for ; i < len(items) && items[i].score == score; i++ {
			tied.add(items[i].positive, d.weight(&items[i]))
		}
		each(tied)
	}
}

// ordered is the mean, over the faulty rows, of the share of the good rows of the same list that score lower, ties counting
// half. Lists with one label do not count.
func (d rowWeights) ordered(lists [][]scoredRow) float64 {
	sum, weight := 0.0, 0.0
	for _, items := range lists {
		var above labelWeights
		won := 0.0
		d.ties(items, func(tied labelWeights) {
			won += tied.good * (above.bad + tied.bad/2)
			above.bad, above.good = above.bad+tied.bad, above.good+tied.good
		})
		if above.good > 0 {
			sum, weight = sum+won/above.good, weight+above.bad
		}
	}
	return sum / weight
}

// setFound sets what is found among the highest scores. Rows with a score that is looked at in part count in part.
func (v *metricValues) setFound(d rowWeights, items []scoredRow, total labelWeights) {
	asked := [...]float64{0.05, 0.1, 0.2, 0.5} // shares of the answers, in the order of their metrics
	var found [len(asked)]float64
	above := 0.0
	d.ties(items, func(tied labelWeights) {
		all := tied.bad + tied.good
		for k, share := range asked {
			if room := share*(total.bad+total.good) - above; room > 0 && all > 0 {
				found[k] += tied.bad * min(1, room/all)
			}
		}
		above += all
	})
	for k := range found {
		v[FoundFive+Metric(k)] = found[k] / total.bad
	}
}

// calibrationError is the weighted mean distance, over ten bins of equal width, between the predicted probability and
// the observed share of wrong answers.
//
// Source: Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015.
func (s *rankedRows) calibrationError(d rowWeights) float64 {
	if s.bins == nil {
		return math.NaN()
	}
	var said, bad, weight [calibrationBins]float64
	total := 0.0
	for i := range s.items {
		it, bin := &s.items[i], s.bins[i]
		if bin < 0 {
			continue
		}
		w := d.weight(it)
		said[bin] += w * it.score
		weight[bin] += w
		total += w
		if it.positive {
			bad[bin] += w
		}
	}
	off := 0.0
	for i := range weight {
		off += math.Abs(said[i] - bad[i])
	}
	return off / total
}

// f1 is the F1 score of what fired, given the weight of the faulty rows.
func f1(fired labelWeights, bad float64) float64 {
	if bad == 0 {
		return math.NaN()
	}
	return 2 * fired.bad / (fired.bad + fired.good + bad)
}
