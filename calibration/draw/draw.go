// Package draw chooses the answers that people label: at random, but more of those that fire and of those near a threshold, each
// with a known probability.
package draw

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"confab/calibration/shares"
)

// Score is what an armed detector gave.
type Score struct {
	Detector         string
	Score, Threshold float64
}

// Answer is what a draw knows of an answer.
type Answer struct {
	Fired bool
	Near  bool // a score near its threshold decides whether the answer is flagged or alerts
}

const (
	nearness    = 0.1 // of a score and its threshold
	randomShare = 0.6 // of a draw, to all answers alike
	kindShare   = 0.2 // to those that fired, and to those near a threshold
)

// New is the answer with these scores. alerts reports whether the alert rule holds for it when these detectors fire.
func New(scores []Score, alerts func(fired []string) bool) Answer {
	firedBut := func(flipped int) (fired []string) {
		for i, s := range scores {
			if s.Score >= s.Threshold != (i == flipped) {
				fired = append(fired, s.Detector)
			}
		}
		return fired
	}
	fired := firedBut(-1)
	a := Answer{Fired: len(fired) > 0}
	for i, s := range scores {
		if math.Abs(s.Score-s.Threshold) <= nearness {
			other := firedBut(i)
			a.Near = a.Near || len(other) > 0 != a.Fired || alerts(other) != alerts(fired)
		}
	}
	return a
}

// Sizes are the shares of a draw that go to each answer; their sum is 1. What would go to a kind without answers goes to all.
func Sizes(answers []Answer) []float64 {
	var fired, near float64
	for _, a := range answers {
		fired, near = fired+shares.Indicator(a.Fired), near+shares.Indicator(a.Near)
	}
	all := randomShare
	for _, n := range []float64{fired, near} {
		if n == 0 {
			all += kindShare
		}
	}
	sizes := make([]float64, len(answers))
	for i, a := range answers {
		sizes[i] = all / float64(len(answers))
		if a.Fired {
			sizes[i] += kindShare / fired
		}
		if a.Near {
			sizes[i] += kindShare / near
		}
	}
	return sizes
}

// Probabilities are those of n draws by size, without replacement: n in sum, at most 1 each.
func Probabilities(sizes []float64, n int) []float64 {
	p := make([]float64, len(sizes))
	for left, capped := float64(min(n, len(sizes))), true; capped; {
		capped = false
		sum := 0.0
		for i, s := range sizes {
			if p[i] < 1 {
				sum += s
			}
		}
		free := left
		for i, s := range sizes {
			if p[i] == 1 {
				continue
			}
			if p[i] = free * s / sum; p[i] > 1-1e-9 { // what a sum of floats loses
				p[i], left, capped = 1, left-1, true
			}
		}
	}
	return p
}

// Draw returns the indices of a systematic draw with these probabilities, whose sum is a whole number, in random order. Source:
// Madow, "On the Theory of Systematic Sampling, II", 1949.
func Draw(probabilities []float64, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0x647261))
	order := rng.Perm(len(probabilities))
	next, sum := rng.Float64(), 0.0
	var drawn []int
	for _, i := range order {
		if sum += probabilities[i]; sum > next {
			drawn = append(drawn, i)
			next++
		}
	}
	rng.Shuffle(len(drawn), func(i, k int) { drawn[i], drawn[k] = drawn[k], drawn[i] })
	return drawn
}

// First returns the indices of the n answers that a draw by size takes first. keys are numbers from 0 to 1 that stand for chance.
// Source: Efraimidis and Spirakis, "Weighted Random Sampling with a Reservoir", 2006.
func First(sizes, keys []float64, n int) []int {
	order, rank := make([]int, len(sizes)), make([]float64, len(sizes))
	for i := range order {
		order[i], rank[i] = i, -math.Log(keys[i])/sizes[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	return order[:min(n, len(order))]
}
