package rate

import (
	"fmt"
	"math"

	"confab/calibration/shares"
)

// MinSample is the least number of verdicts of an estimate, and of people's labels that correct a judge.
const MinSample = 20

// Answer is an answer of a sample of the traffic, and what is known of it.
type Answer struct {
	Person, Judge *bool   // whether it is wrong, by a person and by the judge; nil: they have not said
	Probability   float64 // of having been drawn, above 0 and at most 1; 0: it is no part of the sample that the judge read
	Label         float64 // of having been drawn and labelled; 0: people labelled what they liked among the drawn answers of its cell
	Down          *bool   // whether end users voted it down, of which [Share] knows nothing; nil: they have not voted
	Cell          int     // answers that people were equally likely to label, such as those that alerted
}

// Interval is the share of wrong answers in the traffic that the sample was drawn from.
type Interval struct {
	Value, Low, High float64 // Low and High bound a 95 % interval
	Verdicts         int     // answers with one, of a person or of the judge
	Wrong            int     // of them
	Labelled         int     // of them: by a person
	Answers          float64 // that the verdicts stand for

	// JudgesWord says that a judge's verdicts count as they are, since fewer than [MinSample] of these answers have a label.
	JudgesWord bool
}

// Enough reports whether there are enough verdicts for an estimate.
func (e *Interval) Enough() bool { return e.Verdicts >= MinSample }

// By says whose verdicts the estimate rests on.
func (e *Interval) By() string {
	if e.JudgesWord {
		return "the judge's word"
	}
	labels := fmt.Sprintf("%d labels", e.Labelled)
	if e.Labelled == 1 {
		labels = "1 label"
	}
	if e.Verdicts > e.Labelled {
		return "judge and " + labels
	}
	return labels
}

// Share estimates the share of wrong answers from people's labels, and from a judge's verdicts as far as the labels show that they
// help: prediction-powered inference with power tuning (Angelopoulos, Duchi and Zrnic, "PPI++", 2023) of ratios of Horvitz–Thompson
// estimators. The judge's verdicts of all its answers, less those of the labelled ones, are a control variate of the labels, so
// that no error of the judge biases the estimate, and a useless judge changes nothing. With fewer than [MinSample] labels, the
// verdicts count as they are (a person's before the judge's).
func Share(sample []Answer) Interval {
	var e Interval
	var people, all strata
	known := weigh(sample)
	for i := range known {
		a := &known[i]
		if a.labelled > 0 {
			e.Labelled++
			people.add(*a.person, a.labelled)
		}
		wrong, w := a.verdict()
		if w == 0 {
			continue
		}
		e.Verdicts++
		e.Answers += w
		if all.add(wrong, w); wrong {
			e.Wrong++
		}
	}
	if e.Labelled < MinSample {
		e.JudgesWord = e.Verdicts > e.Labelled
		total := all.total()
		e.Value = total.share()
		e.Low, e.High = all.interval(e.Value, 1)
		return e
	}
	value, variance := powerTuned(known)
	e.Value = value
	e.Low, e.High = people.interval(value, variance)
	return e
}

// weighed is an answer with the numbers of answers that it stands for: as one that was drawn, and as one with a person's label. 0:
// it was not, has none, or its label corrects nothing.
type weighed struct {
	person, judge   *bool
	drawn, labelled float64
}

// minCovered is the share of the traffic in whose cells people must have labelled some answers, so that their labels stand for it.
const minCovered = 0.9

// weigh gives a label whose probability is unknown the weight of the answers of its cell that have none (Holt and Smith, "Post
// Stratification", 1979). Where people labelled too few kinds of answers, such labels correct nothing.
func weigh(sample []Answer) []weighed {
	known := make([]weighed, len(sample))
	drawn, labelled := map[int]float64{}, map[int]float64{} // by cell
	all, covered := 0.0, 0.0
	for i := range sample {
		a, k := &sample[i], &known[i]
		*k = weighed{person: a.Person, judge: a.Judge, drawn: inverse(a.Probability)}
		drawn[a.Cell] += k.drawn
		all += k.drawn
		switch {
		case a.Person == nil:
		case a.Label > 0:
			k.labelled = inverse(a.Label)
		default:
			labelled[a.Cell] += k.drawn
		}
	}
	for cell, w := range labelled {
		covered += drawn[cell] * shares.Indicator(w > 0)
	}
	for i := range sample {
		if a := &sample[i]; a.Person != nil && a.Label == 0 && covered >= minCovered*all && known[i].drawn > 0 {
			known[i].labelled = known[i].drawn * drawn[a.Cell] / labelled[a.Cell]
		}
	}
	return known
}

// LeastProbability is below every useful one. Squares of its inverse are far from infinite.
const LeastProbability = 1e-9

// inverse is 1/probability, 0 of a probability that is none.
func inverse(probability float64) float64 {
	if probability >= LeastProbability && probability <= 1 {
		return 1 / probability
	}
	return 0
}

// verdict is the person's, else the judge's, with the answers that it stands for; 0 without a verdict.
func (a *weighed) verdict() (wrong bool, weight float64) {
	switch {
	case a.person != nil && a.drawn > 0:
		return *a.person, a.drawn
	case a.person != nil:
		return *a.person, a.labelled
	case a.judge != nil:
		return *a.judge, a.drawn
	}
	return false, 0
}

// sum adds up weights, those of wrong answers, and their squares.
type sum struct{ weight, wrong, squares float64 }

func (s *sum) add(wrong bool, weight float64) {
	s.weight += weight
	s.wrong += weight * shares.Indicator(wrong)
	s.squares += weight * weight
}

func (s *sum) share() float64 { return shares.Ratio(s.wrong, s.weight) }

// off is how far one value moves the share.
func (s *sum) off(wrong bool, weight float64) float64 {
	return shares.Ratio(weight*(shares.Indicator(wrong)-s.wrong/s.weight), s.weight)
}

// pseudo is how many labels of the greatest weight are added of each of the four kinds (wrong or fine, by the person and by the
// judge) where variances are estimated: a judge without an error in forty labels is not a judge without errors. The value is the one
// with the best coverage in simulation.
const pseudo = 0.4

// powerTuned is the estimate from labels and verdicts, and its variance as a part of that of the labels alone.
func powerTuned(known []weighed) (value, variance float64) {
	var labels, both, judged sum // people's labels; the judge's verdicts of labelled answers, and of all
	greatest := 0.0
	for i := range known {
		a := &known[i]
		if a.labelled > 0 {
			labels.add(*a.person, a.labelled)
			greatest = max(greatest, a.labelled)
		}
		if a.judge != nil {
			judged.add(*a.judge, a.drawn)
			both.add(*a.judge, a.labelled)
		}
	}
	value = labels.share()
	if both.weight == 0 || judged.weight == 0 {
		return value, 1
	}
	var ll, ld, dd float64 // sums of products of what an answer moves: the labels' mean, and the difference of the judge's means
	add := func(times, l, d float64) { ll, ld, dd = ll+times*l*l, ld+times*l*d, dd+times*d*d }
	for i := range known {
		a := &known[i]
		l, d := 0.0, 0.0
		if a.judge != nil {
			d = both.off(*a.judge, a.labelled) - judged.off(*a.judge, a.drawn)
		}
		if a.labelled > 0 {
			l = labels.off(*a.person, a.labelled)
		}
		add(1, l, d)
	}
	for _, person := range []bool{false, true} {
		for _, judge := range []bool{false, true} {
			add(pseudo, labels.off(person, greatest), both.off(judge, greatest))
		}
	}
	trust := max(0, min(1, shares.Ratio(ld, dd)))
	value -= trust * (both.share() - judged.share())
	return max(0, min(1, value)), (ll - 2*trust*ld + trust*trust*dd) / ll
}

// strata are the parts of a sample with about the same weight: by powers of two from [LeastProbability] on.
type strata [32]sum

func (s *strata) add(wrong bool, weight float64) {
	level := int(math.Floor(math.Log2(weight) + 1e-9))
	s[max(0, min(level, len(s)-1))].add(wrong, weight)
}

func (s *strata) total() (all sum) {
	for _, h := range s {
		all.weight, all.wrong = all.weight+h.weight, all.wrong+h.wrong
	}
	return all
}

// interval bounds an estimate whose variance is a part of that of the strata's share. It joins intervals of the strata by the method
// of variance estimates recovery (Zou and Donner, 2008; Newcombe, 2011): Jeffreys' lower limit and Wilson's upper one (Brown, Cai and
// DasGupta, 2001), each of as many answers as have that variance (Korn and Graubard, 1998). A normal interval misses the truth too
// often after few wrong answers, and has no width after none; and triggers that pick wrong answers leave few of them in the stratum
// that stands for most answers.
func (s *strata) interval(value, variance float64) (low, high float64) {
	total := s.total()
	if total.weight == 0 {
		return 0, 1
	}
	var below, above float64
	for _, h := range s {
		if h.weight == 0 {
			continue
		}
		part := h.weight / total.weight
		share := max(0, min(1, h.share()+value-total.share()))
		size := h.weight * h.weight / h.squares / variance
		_, most := shares.Wilson(share, size)
		below = math.Hypot(below, part*(share-shares.JeffreysLow(share, size)))
		above = math.Hypot(above, part*(most-share))
	}
	return max(0, value-below), min(1, value+above)
}

// Difference is b - a of two shares of independent samples, with a 95 % interval (Newcombe, "Interval estimation for the difference
// between independent proportions", 1998, method 10).
func Difference(b, a *Interval) (value, low, high float64) {
	value = b.Value - a.Value
	return value, value - math.Hypot(b.Value-b.Low, a.High-a.Value), value + math.Hypot(b.High-b.Value, a.Value-a.Low)
}
