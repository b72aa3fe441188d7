package thresholds

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/calibration"
	"confab/internal/model"
)

// minRiskRows is the least number of rows for a map.
const minRiskRows = 50

// fitRisk fits the map from the log-odds of fusion to the probability that an answer is bad, for any set of measurable detectors.
// The log-odds must come from a fusion that was not trained on these rows. Rows without log-odds are left out; without any such
// row there is no map. A map that gives every answer the same risk is no map.
func (c *calibrationRun) fitRisk() ([]calibration.RiskMap, error) {
	var all []riskRow
	bad := 0
	for i := range c.rows {
		if r := &c.rows[i]; !math.IsNaN(r.Fused) && !math.IsInf(r.Fused, 0) {
			bad += boolInt(r.Positive)
			all = append(all, riskRow{r.Fused, c.weights[i], r.Positive, c.fold[i]})
		}
	}
	switch {
	case len(all) == 0:
		return nil, nil
	case len(all) < minRiskRows:
		return nil, fmt.Errorf("fit risks: %d rows have a fused score, at least %d are needed: label more", len(all), minRiskRows)
	case min(bad, len(all)-bad) < defaultMinClass:
		return nil, fmt.Errorf("fit risks: %d rows are bad and %d good, %d of each are needed: label more", bad, len(all)-bad, defaultMinClass)
	}
	m := fitPlatt(all)
	if !m.Rises() {
		return nil, errors.New("fit risks: bad answers do not get higher risks than good ones: label more")
	}
	m.N, m.LogLoss = len(all), round4(heldOutLoss(all, c.folds))
	return []calibration.RiskMap{m}, nil
}

type riskRow struct {
	x, weight float64 // log-odds
	positive  bool
	fold      int
}

// heldOutLoss is the weighted mean log loss, in nats, of maps fitted on the other folds.
func heldOutLoss(rows []riskRow, folds int) float64 {
	const edge = 1e-6 // bounds the loss of a wrong certainty
	sum, total := 0.0, 0.0
	for fold := range folds {
		m := fitPlatt(slices.DeleteFunc(slices.Clone(rows), func(r riskRow) bool { return r.fold == fold }))
		for _, r := range rows {
			if r.fold != fold {
				continue
			}
			q := m.At(r.x)
			if !r.positive {
				q = 1 - q
			}
			sum -= r.weight * math.Log(min(max(q, edge), 1-edge))
			total += r.weight
		}
	}
	return sum / total
}

// fitPlatt fits a logistic curve by Newton's method with the smoothed targets of Platt, "Probabilistic outputs for
// support vector machines" (1999). A falling curve becomes constant.
func fitPlatt(rows []riskRow) calibration.RiskMap {
	var positive, negative float64
	for _, r := range rows {
		if r.positive {
			positive += r.weight
		} else {
			negative += r.weight
		}
	}
	if positive+negative == 0 {
		return calibration.RiskMap{}
	}
	high, low := (positive+1)/(positive+2), 1/(negative+2)
	target := func(r *riskRow) float64 {
		if r.positive {
			return high
		}
		return low
	}
	level := model.Logit((positive*high + negative*low) / (positive + negative))
	a, b := plattNewton(rows, target, level)
	if !(a > 0) || math.IsNaN(b) || math.IsInf(b, 0) || math.IsInf(a, 1) {
		a, b = 0, level
	}
	return calibration.RiskMap{A: round4(a), B: round4(b)}
}

func plattNewton(rows []riskRow, target func(*riskRow) float64, b float64) (slope, offset float64) {
	const rounds, ridge, tolerance = 100, 1e-9, 1e-10
	a := 0.0
	loss := func(a, b float64) (sum float64) {
		for i := range rows {
			z := a*rows[i].x + b
			sum += rows[i].weight * (max(z, 0) - z*target(&rows[i]) + math.Log1p(math.Exp(-math.Abs(z))))
		}
		return sum
	}
	before := loss(a, b)
	for range rounds {
		var ga, gb, haa, hab, hbb float64
		for i := range rows {
			r := &rows[i]
			p := model.Logistic(a*r.x + b)
			d, h := r.weight*(p-target(r)), r.weight*p*(1-p)
			ga, gb = ga+d*r.x, gb+d
			haa, hab, hbb = haa+h*r.x*r.x, hab+h*r.x, hbb+h
		}
		haa, hbb = haa+ridge, hbb+ridge
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step := 1.0
		now := loss(a-da, b-db)
		for step > tolerance && !(now <= before) {
			step /= 2
			now = loss(a-step*da, b-step*db)
		}
		a, b = a-step*da, b-step*db
		if !(before-now > tolerance*before) {
			break
		}
		before = now
	}
	return a, b
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
