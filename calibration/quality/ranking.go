package quality

import (
	"cmp"
	"math"
	"slices"
)

// scoredRow is one row with the score of one scorer.
type scoredRow struct {
	score    float64
	weight   float64
	group    int32 // of the slice's groups
	positive bool
	fired    bool
}

// rankedRows are a slice's rows with the scores of one scorer, sorted for repeated passes.
type rankedRows struct {
	items  []scoredRow // measured, highest score first
	rest   []scoredRow // not measured
	groups int
	bins   []int8 // of the items, where the score is a probability
}

const calibrationBins = 10

// newSeries sorts the items once for all passes.
func newSeries(items []scoredRow, measured []bool, s rankedRows) *rankedRows {
	for i, it := range items {
		if measured[i] {
			s.items = append(s.items, it)
		} else {
			s.rest = append(s.rest, it)
		}
	}
	slices.SortStableFunc(s.items, func(a, b scoredRow) int { return cmp.Compare(b.score, a.score) })
	return &s
}

// withBins assigns the items to bins by score.
func (s *rankedRows) withBins() *rankedRows {
	s.bins = make([]int8, len(s.items))
	for i := range s.items {
		s.bins[i] = int8(min(calibrationBins-1, int(s.items[i].score*calibrationBins)))
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

func (t labelWeights) plus(o labelWeights) labelWeights {
	return labelWeights{t.good + o.good, t.bad + o.bad}
}

// figures computes all metrics with these weights in one pass.
func (s *rankedRows) figures(d rowWeights) metricValues {
	var total, rest, fired labelWeights
	for i := range s.items {
		w := d.weight(&s.items[i])
		total.add(s.items[i].positive, w)
		if s.items[i].fired {
			fired.add(s.items[i].positive, w)
		}
	}
	for i := range s.rest {
		rest.add(s.rest[i].positive, d.weight(&s.rest[i]))
	}
	var v metricValues
	pairs := s.ranking(d, total, &v)
	all := total.plus(rest)
	v[AUROC] = ratioOrNaN(pairs, total.bad*total.good)
	v[Precision] = ratioOrNaN(fired.bad, fired.bad+fired.good)
	v[Recall], v[RecallAll] = ratioOrNaN(fired.bad, total.bad), ratioOrNaN(fired.bad, all.bad)
	v[FalseAlarms] = ratioOrNaN(fired.good, total.good)
	v[F1] = f1(fired, total.bad)
	v[CalibrationError] = s.calibrationError(d)
	v.setTraffic(ratioOrNaN(fired.good, all.good), v[RecallAll])
	return v
}

// setTraffic sets the metrics of alerts at several base rates, from the shares of all good and of all faulty answers that
// alert.
func (v *metricValues) setTraffic(falseAlarms, recall float64) {
	for i, rate := range trafficBaseRates() {
		right, wrong := rate*recall, (1-rate)*falseAlarms
		v[AlertsAtOne+Metric(i)] = 1000 * (right + wrong)
		v[PrecisionAtOne+Metric(i)] = ratioOrNaN(right, right+wrong)
	}
}

// ranking sets the metrics that depend on the order alone, and returns the weight of the pairs in which the faulty
// answer scores higher.
func (s *rankedRows) ranking(d rowWeights, total labelWeights, v *metricValues) (pairs float64) {
	var above labelWeights
	var precision, best float64
	var recall [3]float64
	for i := 0; i < len(s.items); {
		var tied labelWeights
		score := s.items[i].score
		for ; i < len(s.items) && s.items[i].score == score; i++ {
			tied.add(s.items[i].positive, d.weight(&s.items[i]))
		}
		pairs += tied.good * (above.bad + tied.bad/2)
		above = above.plus(tied)
		if above.bad+above.good == 0 {
			continue
		}
		precision += tied.bad * above.bad / (above.bad + above.good)
		best = max(best, f1(above, total.bad))
		for k, allowed := range allowedAlarms() {
			if above.good <= allowed*total.good {
				recall[k] = above.bad
			}
		}
	}
	v[AveragePrecision] = ratioOrNaN(precision, total.bad)
	v[BestF1] = math.NaN()
	if total.bad > 0 {
		v[BestF1] = best
	}
	for k := range recall {
		if m := RecallAtHalf + Metric(k); total.good > 0 {
			v[m] = ratioOrNaN(recall[k], total.bad)
		} else {
			v[m] = math.NaN()
		}
	}
	return pairs
}

// calibrationError is the weighted mean distance, over ten bins of equal width, between the predicted probability and
// the observed share of faulty answers.
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
	return ratioOrNaN(off, total)
}

// f1 is the F1 score of what fired, given the weight of the faulty rows.
func f1(fired labelWeights, bad float64) float64 {
	if bad == 0 {
		return math.NaN()
	}
	return 2 * fired.bad / (fired.bad + fired.good + bad)
}

func ratioOrNaN(part, whole float64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return part / whole
}
