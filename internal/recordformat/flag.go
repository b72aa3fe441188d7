package recordformat

import (
	"maps"
	"math"
	"slices"

	"confab/schemas"
)

// FiniteFlag returns a copy of f without NaN and infinite numbers. A NaN score turns a fired or clear signal into one
// with outcome error, infinite scores become 0 or 1, a risk becomes nil, other numbers become 0, and measures are
// removed. Signals is never nil.
func FiniteFlag(f *schemas.Flag) schemas.Flag {
	clean := *f
	clean.Signals = make([]schemas.Signal, len(f.Signals))
	for i := range f.Signals {
		clean.Signals[i] = FiniteSignal(f.Signals[i])
	}
	if f.Risk != nil && !IsFinite(*f.Risk) {
		clean.Risk = nil
	}
	clean.SampleProbability = FiniteOrZero(f.SampleProbability)
	clean.Grounding = finiteGrounding(f.Grounding)
	clean.AnomalousRates = FiniteMeasures(f.AnomalousRates)
	return clean
}

// FiniteOrZero returns f, 0 instead of NaN and infinite numbers.
func FiniteOrZero(f float64) float64 {
	if IsFinite(f) {
		return f
	}
	return 0
}

// FiniteSignal is what FiniteFlag makes of a signal.
func FiniteSignal(s schemas.Signal) schemas.Signal {
	switch {
	case math.IsNaN(s.Score):
		s.Score = 0
		if s.Outcome == schemas.Fired || s.Outcome == schemas.Clear {
			s.Outcome, s.Reason = schemas.Failed, "the score is not a number"
		}
	case math.IsInf(s.Score, 0):
		s.Score = min(max(s.Score, 0), 1)
	}
	s.Threshold = FiniteOrZero(s.Threshold)
	s.Measures = FiniteMeasures(s.Measures)
	if slices.ContainsFunc(s.Evidence, func(e schemas.Evidence) bool { return !IsFinite(e.Similarity) }) {
		s.Evidence = slices.Clone(s.Evidence)
		for i := range s.Evidence {
			s.Evidence[i].Similarity = FiniteOrZero(s.Evidence[i].Similarity)
		}
	}
	if slices.ContainsFunc(s.Statements, func(v schemas.Statement) bool { return !IsFinite(v.Confidence) }) {
		s.Statements = slices.Clone(s.Statements)
		for i := range s.Statements {
			s.Statements[i].Confidence = FiniteOrZero(s.Statements[i].Confidence)
		}
	}
	return s
}

// FiniteMeasures returns m, or a copy if a value must be removed.
func FiniteMeasures(m map[string]float64) map[string]float64 {
	for _, v := range m {
		if !IsFinite(v) {
			clean := maps.Clone(m)
			maps.DeleteFunc(clean, func(_ string, v float64) bool { return !IsFinite(v) })
			return clean
		}
	}
	return m
}

func finiteGrounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil {
		return nil
	}
	clean := *g
	clean.Confidence = FiniteOrZero(g.Confidence)
	clean.OverallSimilarity = FiniteOrZero(g.OverallSimilarity)
	clean.UngroundedClaimList = make([]schemas.Claim, len(g.UngroundedClaimList))
	for i, c := range g.UngroundedClaimList {
		c.Similarity = FiniteOrZero(c.Similarity)
		clean.UngroundedClaimList[i] = c
	}
	return &clean
}
