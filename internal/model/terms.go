package model

import "math"

// Term adds Slope times the log-odds of a feature that is a probability, and nothing where that is missing. Trees alone
// see a few dozen steps of a feature; a term keeps the order within each step.
type Term struct {
	Feature int16   `json:"f"`
	Slope   float64 `json:"s"`
}

// logOdds is what the term adds. Probabilities are kept off 0 and 1 by a hundredth: beyond that no score is that sure.
func (t Term) logOdds(x []float32) float64 {
	const edge = 0.01
	p := float64(x[t.Feature])
	if p != p {
		return 0
	}
	return t.Slope * Logit(min(max(p, edge), 1-edge))
}

// FitTerms are the terms of a logistic regression over the features, which are probabilities that never speak for the
// other side: slopes are above 0, and those that come out next to 0 are left out. What a missing feature tells is left to
// the trees.
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
