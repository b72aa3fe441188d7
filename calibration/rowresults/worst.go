package rowresults

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// Worst are the answers that a judge gets most wrong.
type Worst struct {
	FalseAlarms, Misses           []*Result // the worst first
	AllFalseAlarms, AllMisses     int       // how many there are
	Uncheckable                   int       // faulty answers that no detector could measure; they are not misses
	FaultyAnswers, FaultlessCount int
}

// FindWorst chooses at most n false alarms and misses. A false alarm is an answer labelled fine for which something
// fired or is recommended: alerts first, then by risk. A miss is an answer labelled faulty for which nothing is: the
// lowest risk first.
func FindWorst(results []Result, n int) Worst {
	var w Worst
	for i := range results {
		r := &results[i]
		noticed := len(r.Fired) > 0 || r.Recommendation != schemas.Allow
		if r.Row.Positive {
			w.FaultyAnswers++
		} else {
			w.FaultlessCount++
		}
		switch {
		case !r.Row.Positive && noticed:
			w.FalseAlarms = append(w.FalseAlarms, r)
		case r.Row.Positive && !noticed && r.Row.Measurable == "":
			w.Uncheckable++
		case r.Row.Positive && !noticed:
			w.Misses = append(w.Misses, r)
		}
	}
	slices.SortStableFunc(w.FalseAlarms, func(a, b *Result) int {
		return cmp.Or(compareBools(b.Alert, a.Alert), cmp.Compare(orLow(b.Risk), orLow(a.Risk)), cmp.Compare(len(b.Fired), len(a.Fired)))
	})
	slices.SortStableFunc(w.Misses, func(a, b *Result) int { return cmp.Compare(orLow(a.Risk), orLow(b.Risk)) })
	w.AllFalseAlarms, w.AllMisses = len(w.FalseAlarms), len(w.Misses)
	w.FalseAlarms, w.Misses = w.FalseAlarms[:min(n, len(w.FalseAlarms))], w.Misses[:min(n, len(w.Misses))]
	return w
}

// orLow ranks an unknown risk below every known one.
func orLow(risk float64) float64 {
	if math.IsNaN(risk) {
		return -1
	}
	return risk
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Explanation says what each detector found, without any text of the answer.
func (r *Result) Explanation() string {
	var fired, others []string
	for i := range r.Rules {
		rule := &r.Rules[i]
		switch {
		case rule.Outcome == schemas.Fired:
			fired = append(fired, fmt.Sprintf("%s fired: %.2f ≥ %.2f", rule.Detector, rule.Score, rule.Threshold))
		case rule.Outcome == schemas.Clear:
			others = append(others, fmt.Sprintf("%s %.2f < %.2f", rule.Detector, rule.Score, rule.Threshold))
		case !math.IsNaN(rule.Score):
			others = append(others, fmt.Sprintf("%s %.2f, without a threshold", rule.Detector, rule.Score))
		case rule.Reason != "":
			others = append(others, fmt.Sprintf("%s: %s", rule.Detector, rule.Reason))
		default:
			others = append(others, fmt.Sprintf("%s: %s", rule.Detector, rule.Outcome))
		}
	}
	return strings.Join(append(fired, others...), "; ")
}
