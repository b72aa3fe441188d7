package quality

import (
	"cmp"
	"math"
	"slices"
)

// item is one row as one scorer sees it.
type item struct {
	score    float64
	weight   float64
	group    int32 // of the slice's groups
	cell     int32 // of the slice's cells: twice the number of its task, one more where the row is faulty
	positive bool
	fired    bool
}

// series is a slice's rows as one scorer sees them, ready to be passed over again and again.
type series struct {
	items  []item // that could be measured, highest score first
	rest   []item // that could not
	groups int
	target []float64 // the weight that each cell is to have; nil leaves the rows' own
	bins   []int8    // of the items, where the score is a probability
}

const (
	allowedAlarms   = 0.05
	calibrationBins = 10
)

// newSeries sorts the items once for all passes.
func newSeries(items []item, measured []bool, s series) *series {
	for i, it := range items {
		if measured[i] {
			s.items = append(s.items, it)
		} else {
			s.rest = append(s.rest, it)
		}
	}
	slices.SortStableFunc(s.items, func(a, b item) int { return cmp.Compare(b.score, a.score) })
	return &s
}

// binned sorts the items into bins by their score, a probability.
func (s *series) binned() *series {
	s.bins = make([]int8, len(s.items))
	for i := range s.items {
		s.bins[i] = int8(min(calibrationBins-1, int(s.items[i].score*calibrationBins)))
	}
	return s
}

// draw says how often each group was drawn, and what each row's weight is multiplied by on top.
type draw struct {
	groups []float64 // nil: every group once
	cells  []float64 // nil: nothing
}

func (d draw) weight(it *item) float64 {
	w := it.weight
	if d.groups != nil {
		w *= d.groups[it.group]
	}
	if d.cells != nil {
		w *= d.cells[it.cell]
	}
	return w
}

// scaled is the draw with the cells brought to their target weights.
func (s *series) scaled(d draw) draw {
	if s.target == nil {
		return d
	}
	have := make([]float64, len(s.target))
	for _, list := range [...][]item{s.items, s.rest} {
		for i := range list {
			have[list[i].cell] += d.weight(&list[i])
		}
	}
	d.cells = make([]float64, len(have))
	for i, h := range have {
		if h > 0 {
			d.cells[i] = s.target[i] / h
		}
	}
	return d
}

// tally is the weight of rows by label.
type tally struct{ good, bad float64 }

func (t *tally) add(positive bool, w float64) {
	if positive {
		t.bad += w
	} else {
		t.good += w
	}
}

func (t tally) plus(o tally) tally { return tally{t.good + o.good, t.bad + o.bad} }

// figures passes over the rows once, with the weights of the draw.
func (s *series) figures(d draw) values {
	d = s.scaled(d)
	var total, rest, fired tally
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
	var v values
	pairs := s.ranking(d, total, &v)
	all := total.plus(rest)
	v[AUROC] = share(pairs, total.bad*total.good)
	v[AUROCAll] = share(pairs+rest.good*(total.bad+rest.bad/2), all.bad*all.good)
	v[Precision] = share(fired.bad, fired.bad+fired.good)
	v[Recall], v[RecallAll] = share(fired.bad, total.bad), share(fired.bad, all.bad)
	v[FalseAlarms] = share(fired.good, total.good)
	v[F1], v[F1All] = f1(fired, total.bad), f1(fired, all.bad)
	v[CalibrationError] = s.calibrationError(d)
	return v
}

// ranking fills what depends on the order alone, and returns the weight of the pairs in which the faulty answer is above
// the good one.
func (s *series) ranking(d draw, total tally, v *values) (pairs float64) {
	var above tally
	var precision, best, recall float64
	for i := 0; i < len(s.items); {
		var tied tally
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
		if above.good <= allowedAlarms*total.good {
			recall = above.bad
		}
	}
	v[AveragePrecision] = share(precision, total.bad)
	v[BestF1], v[RecallAtFive] = math.NaN(), math.NaN()
	if total.bad > 0 {
		v[BestF1] = best
	}
	if total.good > 0 {
		v[RecallAtFive] = share(recall, total.bad)
	}
	return pairs
}

// calibrationError is the mean distance, over ten bins of equal width, between the probability that was said and the share
// that was faulty, each bin counting by its weight.
//
// Source: Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015.
func (s *series) calibrationError(d draw) float64 {
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
	return share(off, total)
}

// f1 of what fired, when so much is faulty.
func f1(fired tally, bad float64) float64 {
	if bad == 0 {
		return math.NaN()
	}
	return 2 * fired.bad / (fired.bad + fired.good + bad)
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return part / whole
}
