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
	costAlarm      = 0.05 // a flag on a right answer
	mostAlarms     = 0.05 // share of right answers that a detector of text may flag; each one above costs as much as a page
	leastGain      = 0.01 // share of the cost that a change must save
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
	why      string
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
func (s *search) choose(from []float64) []choice {
	s.at = slices.Clone(from)
	const rounds = 3
	pages := s.pagesLeft()
	for range rounds {
		moved := false
		for d := range s.detectors {
			if from[d] > 1 {
				continue
			}
			best := s.best(d, pages)
			moved = moved || best != s.at[d]
			s.at[d] = best
		}
		if !moved {
			break
		}
	}
	choices := make([]choice, len(s.detectors))
	for d, name := range s.detectors {
		n := s.judged(d)
		if s.at[d] != from[d] {
			s.at[d] = partWay(from[d], s.at[d], n/(n+halfWay))
		}
		choices[d] = choice{detector: name, from: from[d], to: s.at[d], rows: n, before: s.operatingAt(d, from[d]), after: s.operatingAt(d, s.at[d])}
	}
	return choices
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

// pagesLeft is the least weight of wrong answers that must still alert.
func (s *search) pagesLeft() (sum float64) {
	for i := range s.answers {
		if a := &s.answers[i]; s.rule.alerts(a.row, s.mask(a)) {
			sum += leastPages * a.wrong
		}
	}
	return sum
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
	score             float64
	cost, alarm, page float64
}

// best is the threshold of a detector that costs least, the others as they are; the present one unless another saves enough.
func (s *search) best(d int, pages float64) float64 {
	steps := make([]step, 0, len(s.answers))
	present, total, page := s.at[d], 0.0, 0.0
	perWrong, perRight := s.base.mean()/s.wrong, (1-s.base.mean())/s.right
	for i := range s.answers {
		a := &s.answers[i]
		mask := s.mask(a) &^ (1 << d)
		wrong, right, alerts := s.costs(a, mask)
		total += perWrong*wrong*a.wrong + perRight*right*a.right
		page += a.wrong * float64(boolInt(alerts))
		if math.IsNaN(a.scores[d]) {
			continue
		}
		wrongOn, rightOn, alertsOn := s.costs(a, mask|1<<d)
		steps = append(steps, step{
			score: a.scores[d], cost: perWrong*(wrongOn-wrong)*a.wrong + perRight*(rightOn-right)*a.right,
			alarm: a.right / s.right, page: a.wrong * float64(boolInt(alertsOn)-boolInt(alerts)),
		})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.score, a.score) })
	w := sweep{steps: steps, cost: total, pages: page}
	lowest, at, now := math.Inf(1), present, math.Inf(1)
	for _, t := range candidates(present) {
		cost, left := w.at(t)
		if comparesText(s.detectors[d]) {
			cost += (1 - s.base.mean()) * max(0, w.alarms-mostAlarms)
		}
		if t == present {
			now = cost
		}
		if left >= pages-1e-9 && cost < lowest {
			lowest, at = cost, t
		}
	}
	if lowest > now*(1-leastGain) {
		return present
	}
	return at
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

// sweep lowers a threshold.
type sweep struct {
	steps               []step
	next                int
	cost, alarms, pages float64
}

func (w *sweep) at(threshold float64) (cost, pages float64) {
	for ; w.next < len(w.steps) && w.steps[w.next].score >= threshold; w.next++ {
		p := &w.steps[w.next]
		w.cost, w.alarms, w.pages = w.cost+p.cost, w.alarms+p.alarm, w.pages+p.page
	}
	return w.cost, w.pages
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
