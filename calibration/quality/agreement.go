package quality

import (
	"maps"
	"math"
	"slices"
)

// Agreement counts how the verdicts of a judge agree with labels. The zero value has counted nothing.
type Agreement struct {
	wrong map[string]tally // answers labelled wrong, by kind of fault
	right tally
}

// tally counts answers, and those judged wrong.
type tally struct{ judgedWrong, all int }

func (t tally) plus(o tally) tally { return tally{t.judgedWrong + o.judgedWrong, t.all + o.all} }

func (t tally) share() float64 { return float64(t.judgedWrong) / float64(t.all) }

// Add counts an answer. kind is that of its fault.
func (a *Agreement) Add(kind string, wrong, judgedWrong bool) {
	one := tally{all: 1}
	if judgedWrong {
		one.judgedWrong = 1
	}
	if !wrong {
		a.right = a.right.plus(one)
		return
	}
	if a.wrong == nil {
		a.wrong = map[string]tally{}
	}
	a.wrong[kind] = a.wrong[kind].plus(one)
}

// Kinds are the kinds of faults, sorted.
func (a *Agreement) Kinds() []string { return slices.Sorted(maps.Keys(a.wrong)) }

func (a *Agreement) allWrong() (sum tally) {
	for _, t := range a.wrong {
		sum = sum.plus(t)
	}
	return sum
}

// N is the number of answers.
func (a *Agreement) N() int { return a.allWrong().all + a.right.all }

// Share is the share of answers judged as labelled; NaN without answers.
func (a *Agreement) Share() float64 {
	return float64(a.allWrong().judgedWrong+a.right.all-a.right.judgedWrong) / float64(a.N())
}

// Recall is the share of wrong answers that were found; NaN without any.
func (a *Agreement) Recall() float64 { return a.allWrong().share() }

// Alarms is the share of fine answers judged wrong; NaN without any.
func (a *Agreement) Alarms() float64 { return a.right.share() }

// Balanced is the balanced accuracy: the mean of recall and of the share of fine answers judged right.
func (a *Agreement) Balanced() float64 { return (a.Recall() + 1 - a.Alarms()) / 2 }

// OfKind is the balanced accuracy with the wrong answers of one kind, and their number.
func (a *Agreement) OfKind(kind string) (balanced float64, n int) {
	return (a.wrong[kind].share() + 1 - a.Alarms()) / 2, a.wrong[kind].all
}

// Kappa is Cohen's kappa: agreement beyond that of chance. NaN where judge and labels know one verdict only.
func (a *Agreement) Kappa() float64 {
	n, wrong, judged := float64(a.N()), float64(a.allWrong().all), float64(a.allWrong().plus(a.right).judgedWrong)
	chance := (wrong*judged + (n-wrong)*(n-judged)) / (n * n)
	if chance == 1 {
		return math.NaN()
	}
	return (a.Share() - chance) / (1 - chance)
}
