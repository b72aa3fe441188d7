package tune

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration/measure"
	"confab/calibration/shares"
)

// How much is known before the first label, as a number of labels.
const (
	priorWrong     = 10.0 // wrong answers that the public ones count for
	priorRight     = 10.0 // fine ones
	priorBase      = 8.0  // answers that the base rate counts for
	priorBaseShare = 0.1  // of them are wrong
	keyWrong       = 20.0 // what the answers of the coarser key count for, for a key
	keyRight       = 20.0
)

// beta is a posterior of a share.
type beta struct{ a, b float64 }

func (b beta) mean() float64 { return b.a / (b.a + b.b) }

func (b beta) quantile(p float64) float64 { return shares.BetaQuantile(b.a, b.b, p) }

// jeffreys leaves doubt where nothing was seen.
func (b beta) jeffreys() beta { return beta{b.a + 0.5, b.b + 0.5} }

func (b beta) interval() Interval { return Interval{b.mean(), b.quantile(0.025), b.quantile(0.975)} }

// answer is one answer of a sample: a judged one, or one that stands for what was known before.
type answer struct {
	row          *measure.Row
	scores       []float64 // by detector; NaN where it could not measure
	wrong, right float64   // how many wrong and fine answers it counts for
	weight       float64   // of a judged answer as it was drawn; else 0
	surelyWrong  bool      // labelled by a person
}

// sample is the posterior of the traffic of a key: shares of the weights are posterior means, since a Dirichlet process with the
// prior as its base measure gives each answer its weight.
type sample struct {
	detectors []string
	answers   []answer
	base      beta // share of wrong answers
	wrong     float64
	right     float64
}

// newSample joins judged rows with what is known before: composed answers of each class.
func newSample(rows []Row, wrong, right []measure.Row) *sample {
	s := &sample{detectors: detectorsOf(rows)}
	for i := range wrong {
		s.add(answer{row: &wrong[i], wrong: priorWrong / float64(len(wrong))})
	}
	for i := range right {
		s.add(answer{row: &right[i], right: priorRight / float64(len(right))})
	}
	s.addRows(rows, beta{priorBase * priorBaseShare, priorBase * (1 - priorBaseShare)})
	return s
}

// child is the sample of a key below that of s: the other answers of s are what is known before.
func (s *sample) child(rows []Row, isIn func(*measure.Row) bool) *sample {
	c := &sample{detectors: s.detectors}
	wrong, right := 0.0, 0.0
	every := 1 + len(s.answers)/(4*atoms) // bounds the work for each key
	for i := 0; i < len(s.answers); i += every {
		if a := s.answers[i]; a.weight == 0 || !isIn(a.row) {
			a.weight, a.surelyWrong = 0, false
			c.answers = append(c.answers, a)
			wrong, right = wrong+a.wrong, right+a.right
		}
	}
	for i := range c.answers {
		c.answers[i].wrong *= min(1, keyWrong/wrong)
		c.answers[i].right *= min(1, keyRight/right)
	}
	c.wrong, c.right = min(wrong, keyWrong), min(right, keyRight)
	base := s.base.mean()
	c.addRows(rows, beta{2 * priorBase * base, 2 * priorBase * (1 - base)})
	return c
}

// forecastPrior is the part of what is known before labels that counts in forecasts: traffic differs more than thresholds need to.
const forecastPrior = 0.2

// forForecasts is the sample with less of a prior.
func (s *sample) forForecasts() *sample {
	c := &sample{detectors: s.detectors, base: s.base, answers: slices.Clone(s.answers)}
	for i := range c.answers {
		a := &c.answers[i]
		if a.weight == 0 {
			a.wrong, a.right = forecastPrior*a.wrong, forecastPrior*a.right
		}
		c.wrong, c.right = c.wrong+a.wrong, c.right+a.right
	}
	return c
}

// addRows adds judged rows. Rows that stand for different numbers of answers count for fewer (Kish, 1965), in each class and
// for the base rate.
func (s *sample) addRows(rows []Row, base beta) {
	var all, wrong, right kish
	for i := range rows {
		w, q := weight(&rows[i].Row), rows[i].Wrong
		all.add(w, 1)
		wrong.add(w, q)
		right.add(w, 1-q)
	}
	share := 0.0
	for i := range rows {
		w, q := weight(&rows[i].Row), rows[i].Wrong
		share += w * q / all.sum
		s.add(answer{
			row: &rows[i].Row, wrong: w * q * wrong.scale(), right: w * (1 - q) * right.scale(), weight: w,
			surelyWrong: rows[i].By == Person && q > 0.5,
		})
	}
	n := all.sum * all.scale()
	s.base = beta{base.a + n*share, base.b + n*(1-share)}
}

func (s *sample) add(a answer) {
	a.scores = scoresOf(a.row, s.detectors)
	s.wrong += a.wrong
	s.right += a.right
	s.answers = append(s.answers, a)
}

// perAnswer is what a unit of weight of wrong and of fine answers counts for in the traffic.
func (s *sample) perAnswer() (wrong, right float64) {
	return s.base.mean() / s.wrong, (1 - s.base.mean()) / s.right
}

// judged is the effective number of judged rows that the detector measured.
func (s *sample) judged(d int) (n float64) {
	var k kish
	for i := range s.answers {
		if a := &s.answers[i]; a.weight > 0 && !math.IsNaN(a.scores[d]) {
			k.add(a.weight, 1)
		}
	}
	return k.sum * k.scale()
}

// kish sums weights: the sum times scale is the effective number of rows.
type kish struct{ sum, squares float64 }

func (k *kish) add(weight, share float64) {
	k.sum += weight * share
	k.squares += weight * weight * share
}

func (k *kish) scale() float64 { return shares.Ratio(k.sum, k.squares) }

// weight is how many answers the row stands for.
func weight(r *measure.Row) float64 { return cmp.Or(r.Weight, 1) }

// detectorsOf lists the detectors with a score, in the order of the row with the most signals.
func detectorsOf(rows []Row) (names []string) {
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b Row) int { return cmp.Compare(len(b.Signals), len(a.Signals)) })
	for i := range order {
		for _, s := range order[i].Signals {
			if s.HasScore && !slices.Contains(names, s.Detector) {
				names = append(names, s.Detector)
			}
		}
	}
	return names
}

// sortRows returns the rows in an order that does not depend on theirs, each with the fusion of its scores.
func sortRows(rows []Row) []Row {
	out := slices.Clone(rows)
	for i := range out {
		fuse(&out[i].Row)
	}
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Wrong, b.Wrong), cmp.Compare(a.By, b.By), compareRows(a.Row, b.Row))
	})
	return out
}

// sortAnswers does the same with unlabelled answers.
func sortAnswers(rows []measure.Row) []measure.Row {
	out := slices.Clone(rows)
	for i := range out {
		fuse(&out[i])
	}
	slices.SortStableFunc(out, compareRows)
	return out
}

// fuse adds the fusion to a row of scores, as of a flag.
func fuse(r *measure.Row) {
	if r.Parts == nil && len(r.Signals) > 0 {
		r.Signals = slices.Clone(r.Signals)
		r.FuseScores(isFused)
	}
}

// compareRows orders rows by all that Fit reads.
func compareRows(a, b measure.Row) int {
	return cmp.Or(
		cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Weight, b.Weight),
		slices.CompareFunc(a.Signals, b.Signals, func(x, y measure.Signal) int {
			return cmp.Or(cmp.Compare(x.Detector, y.Detector), cmp.Compare(shares.Indicator(x.HasScore), shares.Indicator(y.HasScore)), cmp.Compare(x.Score, y.Score))
		}),
		cmp.Compare(a.Fused, b.Fused),
	)
}

// scoresOf are the scores of the row by detector.
func scoresOf(r *measure.Row, names []string) []float64 {
	scores := make([]float64, len(names))
	for d, name := range names {
		scores[d] = math.NaN()
		for i := range r.Signals {
			if s := &r.Signals[i]; s.Detector == name && s.HasScore {
				scores[d] = s.Score
			}
		}
	}
	return scores
}
