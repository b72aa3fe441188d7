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
	costAlarm      = 0.02 // a flag on a right answer
	mostAlarms     = 0.05 // share of right answers that a detector of text may flag; each one above costs as much as a page
	leastGain      = 0.02 // share of the cost that a change must save
	certainty      = 1.28 // standard errors: 90 %
	leastPages     = 0.5  // share of the pages on wrong answers that must be left
	halfWay        = 40.0 // judged answers that move a threshold half of the way to the best one
	thresholdSteps = 100  // thresholds are multiples of 1/100
)

// choice is the threshold of one detector for a key.
type choice struct {
	detector string
	from, to float64
	rows     float64 // effective judged rows
	before   operating
	after    operating
}

// operating is what a threshold does on the traffic: the posterior of the shares of answers that reach it.
type operating struct{ alarms, found beta }

// search looks for the thresholds of a sample that cost least.
type search struct {
	*sample
	rule *ruleTable
	at   []float64 // by detector; above 1: never fires
}

// choose moves each detector's threshold from where it starts, at, towards the one that costs least.
func (s *search) choose(from []float64) {
	s.at = slices.Clone(from)
	const rounds = 3
	least := s.pagesLeft()
	for range rounds {
		moved := false
		for d := range s.detectors {
			if from[d] > 1 {
				continue
			}
			best := s.best(d, least)
			moved = moved || best != s.at[d]
			s.at[d] = best
		}
		if !moved {
			break
		}
	}
	for d := range s.detectors {
		if n := s.judged(d); s.at[d] != from[d] {
			s.at[d] = partWay(from[d], s.at[d], n/(n+halfWay))
		}
	}
}

// choices are what became of each threshold.
func (s *search) choices(from []float64) []choice {
	all := make([]choice, len(s.detectors))
	for d, name := range s.detectors {
		all[d] = choice{name, from[d], s.at[d], s.judged(d), s.operatingAt(d, from[d]), s.operatingAt(d, s.at[d])}
	}
	return all
}

// partWay goes a share of the way in log-odds, to a multiple of the step between the two.
func partWay(from, to, share float64) float64 {
	z := model.Logit(from) + share*(model.Logit(to)-model.Logit(from))
	at := math.Round(model.Logistic(z)*thresholdSteps) / thresholdSteps
	if math.Abs(at-from) < 0.5/thresholdSteps {
		return from
	}
	return min(max(at, 1.0/thresholdSteps), 1)
}

// pages are alerts on wrong answers: their weight, and how many of them a person has labelled.
type pages struct {
	weight   float64
	labelled int
}

// pagesLeft are those that must be left.
func (s *search) pagesLeft() (p pages) {
	for i := range s.answers {
		if a := &s.answers[i]; s.rule.alerts(a.row, s.mask(a)) {
			p.add(a, 1)
		}
	}
	p.weight *= leastPages
	return p
}

func (p *pages) add(a *answer, sign int) {
	p.weight += float64(sign) * a.wrong
	p.labelled += sign * boolInt(a.surelyWrong)
}

func (p pages) enough(least pages) bool {
	return p.weight >= least.weight-1e-9 && p.labelled >= least.labelled
}

// perAnswer is what a unit of weight of wrong and of right answers counts for in the traffic.
func (s *sample) perAnswer() (wrong, right float64) {
	return s.base.mean() / s.wrong, (1 - s.base.mean()) / s.right
}

// mask says which detectors fire.
func (s *search) mask(a *answer) (mask uint64) {
	for d, at := range s.at {
		if a.scores[d] >= at {
			mask |= 1 << d
		}
	}
	return mask
}

// step is what changes when an answer reaches the threshold of a detector.
type step struct {
	score       float64
	cost, alarm float64
	pages       pages
}

// best is the threshold nearest to the present one that costs no more than the cheapest and what a change must save, the other
// detectors as they are.
func (s *search) best(d int, least pages) float64 {
	present := s.at[d]
	w := sweep{}
	perWrong, perRight := s.perAnswer()
	for i := range s.answers {
		a := &s.answers[i]
		mask := s.mask(a) &^ (1 << d)
		wrong, right, alerts := s.costs(a, mask)
		w.cost += perWrong*wrong*a.wrong + perRight*right*a.right
		if alerts {
			w.pages.add(a, 1)
		}
		if math.IsNaN(a.scores[d]) {
			continue
		}
		wrongOn, rightOn, alertsOn := s.costs(a, mask|1<<d)
		p := step{score: a.scores[d], cost: perWrong*(wrongOn-wrong)*a.wrong + perRight*(rightOn-right)*a.right, alarm: a.right / s.right}
		p.pages.add(a, boolInt(alertsOn)-boolInt(alerts))
		w.steps = append(w.steps, p)
	}
	slices.SortStableFunc(w.steps, func(a, b step) int { return cmp.Compare(b.score, a.score) })
	all := candidates(present)
	cost := make([]float64, len(all))
	lowest, now := math.Inf(1), math.Inf(1)
	for i, t := range all {
		w.lower(t)
		cost[i] = w.cost
		if comparesText(s.detectors[d]) {
			cost[i] += (1 - s.base.mean()) * max(0, s.surely(w.alarms, t >= present)-mostAlarms)
		}
		if t == present {
			now = cost[i]
		}
		if !w.pages.enough(least) {
			cost[i] = math.Inf(1)
		}
		lowest = min(lowest, cost[i])
	}
	at := math.Inf(1)
	for i, t := range all {
		if cost[i] <= lowest+leastGain*now && math.Abs(t-present) < math.Abs(at-present) {
			at = t
		}
	}
	return at
}

// surely is the share of right answers that a threshold flags: of a lower one as expected, of the present one and of higher ones as
// many as it flags almost surely.
func (s *search) surely(alarms float64, present bool) float64 {
	if !present {
		return alarms
	}
	return alarms - certainty*math.Sqrt(alarms*(1-alarms)/(s.right+1))
}

// candidates are the thresholds to choose from, the highest first.
func candidates(present float64) []float64 {
	all := []float64{present}
	for k := 1; k <= thresholdSteps; k++ {
		all = append(all, float64(k)/thresholdSteps)
	}
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// sweep lowers a threshold. Its figures are those of the lowest one so far.
type sweep struct {
	steps        []step // not yet taken, the highest score first
	cost, alarms float64
	pages        pages
}

func (w *sweep) lower(threshold float64) {
	for ; len(w.steps) > 0 && w.steps[0].score >= threshold; w.steps = w.steps[1:] {
		p := &w.steps[0]
		w.cost, w.alarms = w.cost+p.cost, w.alarms+p.alarm
		w.pages.weight, w.pages.labelled = w.pages.weight+p.pages.weight, w.pages.labelled+p.pages.labelled
	}
}

// costs is what the answer costs if it is wrong and if it is right, when these detectors fire.
func (s *search) costs(a *answer, mask uint64) (wrong, right float64, alerts bool) {
	switch {
	case s.rule.alerts(a.row, mask):
		return 0, 1, true
	case mask != 0:
		return costUnpaged, costAlarm, false
	}
	return costMissed, 0, false
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
	return fmt.Sprintf("of right answers it flags %.1f %% instead of %.1f %%, of wrong ones %.0f %% instead of %.0f %%",
		100*c.after.alarms.mean(), 100*c.before.alarms.mean(), 100*c.after.found.mean(), 100*c.before.found.mean())
}
