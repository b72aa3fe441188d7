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
		clean.Signals[i] = finiteSignal(f.Signals[i])
	}
	if f.Risk != nil && !IsFinite(*f.Risk) {
		clean.Risk = nil
	}
	clean.SampleProbability = finiteOrZero(f.SampleProbability)
	clean.Grounding = finiteGrounding(f.Grounding)
	return clean
}

// finiteOrZero returns f, 0 instead of NaN and infinite numbers.
func finiteOrZero(f float64) float64 {
	if IsFinite(f) {
		return f
	}
	return 0
}

// finiteSignal is what FiniteFlag makes of a signal.
func finiteSignal(s schemas.Signal) schemas.Signal {
	switch {
	case math.IsNaN(s.Score):
		s.Score = 0
		if s.Outcome == schemas.Fired || s.Outcome == schemas.Clear {
			s.Outcome, s.Reason = schemas.Failed, "the score is not a number"
		}
	case math.IsInf(s.Score, 0):
		s.Score = min(max(s.Score, 0), 1)
	}
	s.Threshold = finiteOrZero(s.Threshold)
	s.Measures = finiteMeasures(s.Measures)
	s.Evidence, s.Statements = slices.Clone(s.Evidence), slices.Clone(s.Statements)
	for i := range s.Evidence {
		s.Evidence[i].Similarity = finiteOrZero(s.Evidence[i].Similarity)
	}
	for i := range s.Statements {
		s.Statements[i].Confidence = finiteOrZero(s.Statements[i].Confidence)
	}
	return s
}

// finiteMeasures returns a copy of m without values that are not finite; nil stays nil.
func finiteMeasures(m map[string]float64) map[string]float64 {
	clean := maps.Clone(m)
	maps.DeleteFunc(clean, func(_ string, v float64) bool { return !IsFinite(v) })
	return clean
}

func finiteGrounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil {
		return nil
	}
	clean := *g
	clean.Confidence = finiteOrZero(g.Confidence)
	clean.OverallSimilarity = finiteOrZero(g.OverallSimilarity)
	clean.UngroundedClaimList = make([]schemas.Claim, len(g.UngroundedClaimList))
	for i, c := range g.UngroundedClaimList {
		c.Similarity = finiteOrZero(c.Similarity)
		clean.UngroundedClaimList[i] = c
	}
	return &clean
}
