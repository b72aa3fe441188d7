package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Linear is a logistic regression in which a missing feature, NaN, has its own weight.
type Linear struct {
	Features []string  `json:"features"` // names, in the order of the vector
	Bias     float64   `json:"bias"`
	Weights  []float64 `json:"weights"` // by feature
	Missing  []float64 `json:"missing"` // by feature, added to the log-odds when it is missing
}

// LogOdds returns the output for a vector of len(Features) numbers. It does not allocate.
func (l *Linear) LogOdds(x []float32) float64 {
	sum := l.Bias
	for i, w := range l.Weights {
		if v := x[i]; v == v {
			sum += w * float64(v)
		} else {
			sum += l.Missing[i]
		}
	}
	return sum
}

// Check returns an error when the model cannot be applied to vectors of the named features.
func (l *Linear) Check(features []string) error {
	if !slices.Equal(l.Features, features) {
		return fmt.Errorf("the model's features are %v, this version measures %v: fit it again", l.Features, features)
	}
	if len(l.Weights) != len(features) || len(l.Missing) != len(features) || !isFinite(l.Bias) {
		return errors.New("the model's weights are damaged")
	}
	for i := range features {
		if !isFinite(l.Weights[i]) || !isFinite(l.Missing[i]) {
			return fmt.Errorf("the model's weight of %s is not a number", features[i])
		}
	}
	return nil
}

// LinearOptions configure TrainLinear.
type LinearOptions struct {
	L2          float64 // penalty on the squares of all weights except the bias; 0 stands for 1
	NonNegative bool    // weights of values are at least 0
}

// TrainLinear fits the weights by projected cyclic coordinate descent with Newton steps, which converges for this convex
// loss (Genkin, Lewis and Madigan, "Large-scale Bayesian logistic regression", 2007). Equal examples in equal order give
// equal weights.
func TrainLinear(features []string, examples []Example, o LinearOptions) (*Linear, error) {
	if len(examples) == 0 {
		return nil, errors.New("train a linear model: no examples")
	}
	o.L2 = cmp.Or(o.L2, 1)
	for i := range examples {
		if len(examples[i].X) != len(features) {
			return nil, fmt.Errorf("train a linear model: example %d has %d features, want %d", i, len(examples[i].X), len(features))
		}
	}
	l := &Linear{Features: slices.Clone(features), Weights: make([]float64, len(features)), Missing: make([]float64, len(features))}
	d := &coordinateDescent{examples: examples, odds: make([]float64, len(examples))}
	low := math.Inf(-1)
	if o.NonNegative {
		low = 0
	}
	const rounds, enough = 500, 1e-9
	for range rounds {
		moved := d.move(&l.Bias, coordinate{value: func(Example) float64 { return 1 }, low: math.Inf(-1)})
		for f := range features {
			moved = max(moved, d.move(&l.Weights[f], coordinate{value: featureValue(f), l2: o.L2, low: low}),
				d.move(&l.Missing[f], coordinate{value: missingIndicator(f), l2: o.L2, low: math.Inf(-1)}))
		}
		if moved < enough {
			break
		}
	}
	return l, nil
}

// featureValue returns a function for the feature's value, 0 when missing.
func featureValue(f int) func(Example) float64 {
	return func(e Example) float64 {
		if v := e.X[f]; v == v {
			return float64(v)
		}
		return 0
	}
}

// missingIndicator returns a function that is 1 when the feature is missing.
func missingIndicator(f int) func(Example) float64 {
	return func(e Example) float64 {
		if v := e.X[f]; v != v {
			return 1
		}
		return 0
	}
}

// coordinate is one weight to optimise: the factor that it multiplies, its penalty and its lower bound.
type coordinate struct {
	value   func(Example) float64
	l2, low float64
}

// coordinateDescent holds the state of TrainLinear.
type coordinateDescent struct {
	examples []Example
	odds     []float64 // by example: log-odds with the current weights
}

// move changes the weight by one Newton step, updates the odds of the examples, and returns the size of the step.
func (d *coordinateDescent) move(w *float64, c coordinate) float64 {
	gradient, hessian := c.l2**w, c.l2+1e-9
	for i, e := range d.examples {
		v := c.value(e)
		if v == 0 {
			continue
		}
		p := Logistic(d.odds[i])
		gradient += exampleWeight(e) * (p - e.Y) * v
		hessian += exampleWeight(e) * max(p*(1-p), 1e-4) * v * v
	}
	const longest = 1.0 // limits the step, because Newton's step may overshoot far from the minimum
	step := min(max(-gradient/hessian, -longest), longest)
	step = max(*w+step, c.low) - *w
	*w += step
	if step != 0 {
		for i, e := range d.examples {
			d.odds[i] += step * c.value(e)
		}
	}
	return math.Abs(step)
}
