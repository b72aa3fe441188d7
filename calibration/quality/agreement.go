package quality

import (
	"maps"
	"math"
	"slices"
)

// Agreement counts how the verdicts of a judge agree with labels. The zero value has counted nothing.
type Agreement struct {
	found, missed map[string]int // wrong answers, by kind of fault
	alarms, clear int            // right answers
}

// Add counts an answer. kind is that of its fault.
func (a *Agreement) Add(kind string, wrong, judgedWrong bool) {
	if a.found == nil {
		a.found, a.missed = map[string]int{}, map[string]int{}
	}
	switch {
	case wrong && judgedWrong:
		a.found[kind]++
	case wrong:
		a.missed[kind]++
	case judgedWrong:
		a.alarms++
	default:
		a.clear++
	}
}

// Kinds are the kinds of faults, sorted.
func (a *Agreement) Kinds() []string {
	all := maps.Clone(a.found)
	maps.Copy(all, a.missed)
	return slices.Sorted(maps.Keys(all))
}

func (a *Agreement) wrong() (found, all float64) {
	for _, kind := range a.Kinds() {
		found += float64(a.found[kind])
		all += float64(a.found[kind] + a.missed[kind])
	}
	return found, all
}

// N is the number of answers.
func (a *Agreement) N() int {
	_, wrong := a.wrong()
	return int(wrong) + a.alarms + a.clear
}

// Share is the share of answers judged as labelled; NaN without answers.
func (a *Agreement) Share() float64 {
	found, _ := a.wrong()
	return (found + float64(a.clear)) / float64(a.N())
}

// Recall is the share of wrong answers that were found, Alarms that of right ones judged wrong; NaN without such answers.
func (a *Agreement) Recall() float64 {
	found, all := a.wrong()
	return found / all
}

// Alarms is described at [Agreement.Recall].
func (a *Agreement) Alarms() float64 { return float64(a.alarms) / float64(a.alarms+a.clear) }

// Balanced is the balanced accuracy: the mean of recall and of the share of right answers judged right.
func (a *Agreement) Balanced() float64 { return (a.Recall() + 1 - a.Alarms()) / 2 }

// OfKind is the balanced accuracy with the wrong answers of one kind, and their number.
func (a *Agreement) OfKind(kind string) (balanced float64, n int) {
	n = a.found[kind] + a.missed[kind]
	return (float64(a.found[kind])/float64(n) + 1 - a.Alarms()) / 2, n
}

// Kappa is Cohen's kappa: agreement beyond that of chance. NaN where judge and labels each know one verdict only.
func (a *Agreement) Kappa() float64 {
	found, wrong := a.wrong()
	n, judged := float64(a.N()), found+float64(a.alarms)
	chance := (wrong*judged + (n-wrong)*(n-judged)) / (n * n)
	if chance == 1 {
		return math.NaN()
	}
	return (a.Share() - chance) / (1 - chance)
}
