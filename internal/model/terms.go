package model

import "math"

// Term adds Slope times the log-odds of a feature that is a probability, and 0 when it is missing. Trees alone distinguish a
// few dozen values of a feature; a term keeps the order between them.
type Term struct {
	Feature int16   `json:"f"`
	Slope   float64 `json:"s"`
}

// termEdge is the distance from 0 and 1 to which terms clamp their probability.
const termEdge = 0.01

// logOdds returns the value of the term.
func (t Term) logOdds(x []float32) float64 {
	p := float64(x[t.Feature])
	if p != p {
		return 0
	}
	return t.Slope * Logit(min(max(p, termEdge), 1-termEdge))
}

// maxLogOdds returns the largest value of the term.
func (t Term) maxLogOdds() float64 { return math.Abs(t.Slope) * Logit(1-termEdge) }

// FitTerms fits a logistic regression over features that are probabilities and returns its terms. Slopes are positive; terms
// with a slope near 0 are left out. Missing features are left to the trees.
func FitTerms(features []int16, examples []Example) ([]Term, error) {
	const least = 0.02
	names := make([]string, len(features))
	rows := make([]Example, len(examples))
	for i, e := range examples {
		rows[i] = Example{X: make([]float32, len(features)), Y: e.Y, Weight: e.Weight}
		for k, f := range features {
			rows[i].X[k] = float32(Term{Feature: f, Slope: 1}.logOdds(e.X))
			if v := e.X[f]; v != v {
				rows[i].X[k] = float32(math.NaN())
			}
		}
	}
	l, err := TrainLinear(names, rows, LinearOptions{NonNegative: true})
	if err != nil {
		return nil, err
	}
	var terms []Term
	for k, slope := range l.Weights {
		if slope > least {
			terms = append(terms, Term{features[k], slope})
		}
	}
	return terms, nil
}
