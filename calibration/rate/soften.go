package rate

import (
	"math"

	"confab/calibration/shares"
)

// What is taken for true of a judge and of traffic that nobody has labelled, as numbers of answers seen: of ten wrong answers the
// judge finds eight, of twenty fine ones it faults two, and one in five answers is wrong.
const (
	priorFound, priorMissed   = 8.0, 2.0
	priorCleared, priorFaulty = 18.0, 2.0
	priorWrong, priorRight    = 1.0, 4.0
)

// Soften returns the probability that each answer is wrong: 1 or 0 by a person's label, else what the judge's verdict is worth, else
// the share of wrong answers. The judge's sensitivity and specificity are estimated where people's labels and its verdicts overlap,
// from Beta priors; the verdicts on other answers say which share of wrong answers agrees with them.
func Soften(sample []Answer) []float64 {
	wrong := posterior(sample)
	p := make([]float64, len(sample))
	for i := range sample {
		switch a := &sample[i]; {
		case a.Person != nil:
			p[i] = shares.Indicator(*a.Person)
		case a.Judge != nil && *a.Judge:
			p[i] = wrong.faulted
		case a.Judge != nil:
			p[i] = wrong.cleared
		default:
			p[i] = wrong.unread
		}
	}
	return p
}

// beliefs are probabilities that an answer is wrong which the judge faulted, cleared or has not read.
type beliefs struct{ faulted, cleared, unread float64 }

// Steps of the integrals, and the most answers whose verdicts count: more would say more than the steps can tell.
const (
	judgeSteps, shareSteps = 32, 200
	mostVerdicts           = 5000
)

// posterior integrates over what the judge and the traffic may be.
func posterior(sample []Answer) (mean beliefs) {
	labels, verdicts, both := counts(weigh(sample))
	found := quantiles(priorFound+both[[2]bool{true, true}], priorMissed+both[[2]bool{true, false}], judgeSteps)
	cleared := quantiles(priorCleared+both[[2]bool{false, false}], priorFaulty+both[[2]bool{false, true}], judgeSteps)
	grid := quantiles(priorWrong+labels.wrong, priorRight+labels.fine, shareSteps)
	most, sum := math.Inf(-1), 0.0
	for _, se := range found {
		for _, sp := range cleared {
			for _, share := range grid {
				faulted := share*se + (1-share)*(1-sp)
				l := verdicts.wrong*math.Log(faulted) + verdicts.fine*math.Log1p(-faulted)
				if l > most { // keeps the greatest weight at 1
					scale := math.Exp(most - l)
					mean = beliefs{mean.faulted * scale, mean.cleared * scale, mean.unread * scale}
					sum, most = sum*scale, l
				}
				w := math.Exp(l - most)
				sum += w
				mean.faulted += w * share * se / faulted
				mean.cleared += w * share * (1 - se) / (1 - faulted)
				mean.unread += w * share
			}
		}
	}
	return beliefs{mean.faulted / sum, mean.cleared / sum, mean.unread / sum}
}

// tally counts answers.
type tally struct{ wrong, fine float64 }

// counts are people's labels, and the judge's verdicts on answers without one, each as so many answers as their weights are worth
// (Kish, 1965), verdicts at most as mostVerdicts. both are the labels of answers that the judge has read: whether the answer is wrong
// by the person, and by the judge.
func counts(known []weighed) (labels, verdicts tally, both map[[2]bool]float64) {
	var people, judge sum
	both = map[[2]bool]float64{}
	for i := range known {
		switch a := &known[i]; {
		case a.labelled > 0:
			if people.add(*a.person, a.labelled); a.judge != nil {
				both[[2]bool{*a.person, *a.judge}] += a.labelled
			}
		case a.judge != nil:
			judge.add(*a.judge, a.drawn)
		}
	}
	by := shares.Ratio(people.weight, people.squares)
	for key := range both {
		both[key] *= by
	}
	return people.tally(by), judge.tally(min(shares.Ratio(judge.weight, judge.squares), shares.Ratio(mostVerdicts, judge.weight))), both
}

func (s *sum) tally(by float64) tally { return tally{s.wrong * by, (s.weight - s.wrong) * by} }

// quantiles are values of equal probability of a Beta distribution.
func quantiles(a, b float64, n int) []float64 {
	q := make([]float64, n)
	for i := range q {
		q[i] = shares.BetaQuantile(a, b, (float64(i)+0.5)/float64(n))
	}
	return q
}
