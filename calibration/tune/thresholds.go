package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"confab/internal/model"
)

// What an answer costs. A false page is 1.
const (
	costMissed     = 0.5  // a wrong answer without a flag
	costUnpaged    = 0.1  // a wrong answer with a flag that pages nobody
	costAlarm      = 0.02 // a flag on a fine answer
	mostAlarms     = 0.05 // share of fine answers that a detector may flag; each one above costs as much as a page
	certainty      = 1.28 // standard errors, 90 %: a threshold is raised if it flags more with that certainty
	leastGain      = 0.02 // share of the cost that a change must save
	leastPages     = 0.5  // share of the pages on wrong answers that must be left
	leastLabelled  = 0.9  // the same of those that people labelled
	labelledPage   = 1e6  // what such a page counts for among the others
	halfWay        = 10.0 // judged answers that move a threshold half of the way to the best one
	thresholdSteps = 100  // thresholds are multiples of 1/100
	unarmed        = 2.0  // above every score
)

// choice is the threshold of one detector for a key.
type choice struct {
	detector      string
	from, to      float64
	rows          float64 // effective judged rows
	before, after operating
}

// operating is what a threshold does on the traffic: the posterior of the shares of answers that reach it.
type operating struct{ alarms, found beta }

// search looks for the thresholds of a sample that cost least.
type search struct {
	*sample

	rule *rule
	at   []float64 // by detector
}

// choose moves each detector's threshold from where it starts towards the one that costs least. A lower one must not cost more among the
// judged answers by themselves: it would flag answers that people called fine, and find nothing that they called wrong.
func (s *search) choose(from []float64) {
	s.at = slices.Clone(from)
	const rounds = 3
	var least, labelled float64
	for i := range s.answers {
		if _, _, page := s.costs(&s.answers[i]); page == labelledPage {
			labelled++
		} else {
			least += leastPages * page
		}
	}
	least += labelledPage * math.Ceil(leastLabelled*labelled)
	for range rounds {
		for d := range s.detectors {
			if from[d] < unarmed {
				s.at[d] = s.best(d, least)
			}
		}
	}
	for d := range s.detectors {
		if n := s.judged(d); s.at[d] != from[d] {
			s.at[d] = partWay(from[d], s.at[d], n/(n+halfWay))
		}
	}
	for d := range s.detectors {
		for present := s.judgedCost(d, from[d]); s.at[d] < from[d] && s.judgedCost(d, s.at[d]) > present; {
			s.at[d] = min(from[d], math.Round(s.at[d]*thresholdSteps+1)/thresholdSteps)
		}
	}
}

// requireLabels takes back lower thresholds for which no label speaks.
func (s *search) requireLabels(from []float64) {
	for d := range s.detectors {
		if s.at[d] < from[d] && s.judgedCost(d, s.at[d]) == s.judgedCost(d, from[d]) {
			s.at[d] = from[d]
		}
	}
}

// judgedCost is what the judged answers cost with a threshold of the detector, the other detectors as they are.
func (s *search) judgedCost(d int, at float64) (cost float64) {
	present := s.at[d]
	s.at[d] = at
	for i := range s.answers {
		if a := &s.answers[i]; a.weight > 0 {
			wrong, right, _ := s.costs(a)
			cost += wrong*a.wrong + right*a.right
		}
	}
	s.at[d] = present
	return cost
}

// leastFound is the share of wrong answers that a lower threshold must find besides.
const leastFound = 0.01

// choices are what became of each threshold; none is above most.
func (s *search) choices(from, most []float64) []choice {
	all := make([]choice, len(s.detectors))
	for d, name := range s.detectors {
		to := min(s.at[d], most[d])
		before, after := s.operatingAt(d, from[d]), s.operatingAt(d, to)
		if to < from[d] && after.found.mean() < before.found.mean()+leastFound {
			to, after = from[d], before
		}
		all[d] = choice{name, from[d], to, s.judged(d), before, after}
	}
	return all
}

// partWay goes a share of the way in log-odds, to a multiple of the step.
func partWay(from, to, share float64) float64 {
	z := model.Logit(from) + share*(model.Logit(to)-model.Logit(from))
	at := math.Round(model.Logistic(z)*thresholdSteps) / thresholdSteps
	if math.Abs(at-from) < 0.5/thresholdSteps {
		return from
	}
	return min(max(at, 1.0/thresholdSteps), 1)
}

// fired are the detectors that fire.
func (s *search) fired(a *answer) (names []string) {
	for d, at := range s.at {
		if a.scores[d] >= at {
			names = append(names, s.detectors[d])
		}
	}
	return names
}

// costsOf is what an answer costs if it is wrong and if it is right.
func costsOf(flagged, alerts bool) (wrong, right float64) {
	switch {
	case alerts:
		return 0, 1
	case flagged:
		return costUnpaged, costAlarm
	}
	return costMissed, 0
}

// costs is what the answer costs if it is wrong and if it is right, and what an alert on it is worth to keep.
func (s *search) costs(a *answer) (wrong, right, page float64) {
	fired := s.fired(a)
	alerts := s.rule.holds(a.row, fired)
	if wrong, right = costsOf(len(fired) > 0, alerts); !alerts {
		return wrong, right, 0
	}
	if a.surelyWrong {
		return wrong, right, labelledPage
	}
	return wrong, right, a.wrong
}

// figures are sums over answers: their cost, fine ones that the detector flags, and alerts that must be left.
type figures struct{ cost, alarms, pages float64 }

// step is what changes when an answer reaches the threshold of a detector.
type step struct {
	score float64
	by    figures
}

// steps are what a threshold of the detector above every score gives, and what changes at each score, the highest first.
func (s *search) steps(d int) (now figures, steps []step) {
	present := s.at[d]
	perWrong, perRight := s.perAnswer()
	for i := range s.answers {
		a := &s.answers[i]
		s.at[d] = unarmed
		wrong, right, page := s.costs(a)
		now.cost += perWrong*wrong*a.wrong + perRight*right*a.right
		now.pages += page
		if math.IsNaN(a.scores[d]) {
			continue
		}
		s.at[d] = 0
		wrongOn, rightOn, pageOn := s.costs(a)
		cost := perWrong*(wrongOn-wrong)*a.wrong + perRight*(rightOn-right)*a.right
		steps = append(steps, step{a.scores[d], figures{cost, a.right / s.right, pageOn - page}})
	}
	s.at[d] = present
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.score, a.score) })
	return now, steps
}

// best is the threshold nearest to the present one that costs no more than the cheapest and what a change must save, the other
// detectors as they are. pages must be left.
func (s *search) best(d int, pages float64) float64 {
	now, steps := s.steps(d)
	all := candidates(s.at[d], s.detectors[d])
	cost := make([]float64, len(all))
	lowest, present := math.Inf(1), 0.0
	for i, t := range all {
		for ; len(steps) > 0 && steps[0].score >= t; steps = steps[1:] {
			by := &steps[0].by
			now = figures{now.cost + by.cost, now.alarms + by.alarms, now.pages + by.pages}
		}
		cost[i] = now.cost + s.loudness(now.alarms, t >= s.at[d])
		if t == s.at[d] {
			present = cost[i]
		}
		if now.pages < pages-1e-6 {
			cost[i] = math.Inf(1)
		}
		lowest = min(lowest, cost[i])
	}
	at := math.Inf(1)
	for i, t := range all {
		if cost[i] <= lowest+leastGain*present && math.Abs(t-s.at[d]) < math.Abs(at-s.at[d]) {
			at = t
		}
	}
	return at
}

// loudness is the cost of fine answers that the detector flags beyond what it may: with a lower threshold those expected, with the
// present one and higher ones those that are almost sure.
func (s *search) loudness(alarms float64, inForce bool) float64 {
	if inForce {
		alarms -= certainty * math.Sqrt(alarms*(1-alarms)/(s.right+1))
	}
	return (1 - s.base.mean()) * max(0, alarms-mostAlarms)
}

// candidates are the thresholds to choose from, the highest first. Of a detector that proves faults a score below one half speaks for the
// answer.
func candidates(present float64, detector string) []float64 {
	all, least := []float64{present}, 1
	if provesFaults(detector) {
		least = thresholdSteps / 2
	}
	for k := least; k <= thresholdSteps; k++ {
		all = append(all, float64(k)/thresholdSteps)
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	return slices.Compact(all)
}

// operatingAt is what a threshold of the detector does.
func (s *search) operatingAt(d int, at float64) operating {
	var alarms, found float64
	for i := range s.answers {
		if a := &s.answers[i]; a.scores[d] >= at {
			alarms, found = alarms+a.right, found+a.wrong
		}
	}
	return operating{beta{alarms, s.right - alarms}, beta{found, s.wrong - found}}
}

// describe says in words why a threshold moved.
func (c *choice) describe() string {
	return fmt.Sprintf("of fine answers it flags %.1f %% instead of %.1f %%, of wrong ones %.0f %% instead of %.0f %%",
		100*c.after.alarms.mean(), 100*c.before.alarms.mean(), 100*c.after.found.mean(), 100*c.before.found.mean())
}
