package tune

import (
	"math"
	"slices"

	"confab/calibration"
	"confab/internal/model"
)

// How far the slope and the offset of a risk map lie from those in force, as between sets of public answers.
const (
	slopeSpread  = 0.5
	offsetSpread = 0.5
	leastSlope   = 0.1 // a risk must tell answers apart
)

// fitRisk is the most probable map from the log-odds of fusion to the risk at an even prior. It starts at the map in force, or at
// the one that earlier labels started from. The base rate is apart: it shifts the log-odds of a label, not the risk.
func fitRisk(rows []Row, base float64, inForce calibration.RiskMap) calibration.RiskMap {
	before := []float64{inForce.A, inForce.B}
	if len(inForce.Prior) == 2 {
		before = inForce.Prior
	}
	var all kish
	var used []Row
	for i := range rows {
		if x := rows[i].Fused; x-x == 0 {
			all.add(weight(&rows[i].Row), 1)
			used = append(used, rows[i])
		}
	}
	m := calibration.RiskMap{Measurable: inForce.Measurable, A: before[0], B: before[1], N: len(used), Prior: before}
	if len(used) == 0 {
		return inForce
	}
	f := riskFit{rows: used, scale: all.scale(), shift: model.Logit(base)}
	m.A, m.B = f.fit(before[0], before[1])
	m.A, m.B = roundTo(1e4, max(m.A, leastSlope)), roundTo(1e4, m.B)
	m.LogLoss = roundTo(1e4, f.loss(m.A, m.B)/(all.sum*f.scale))
	return m
}

// riskFit are labels whose log-odds are shifted by the base rate.
type riskFit struct {
	rows         []Row
	scale, shift float64
}

// loss is the negative log-likelihood of the labels.
func (f *riskFit) loss(a, b float64) (sum float64) {
	for i := range f.rows {
		r := &f.rows[i]
		z := a*r.Fused + b + f.shift
		sum += f.scale * weight(&r.Row) * (max(z, 0) - z*r.Wrong + math.Log1p(math.Exp(-math.Abs(z))))
	}
	return sum
}

// fit is the most probable slope and offset, by steps that a bound of the curvature makes safe (Böhning and Lindsay, 1988).
func (f *riskFit) fit(slope, offset float64) (a, b float64) {
	const rounds, steepest = 200, 0.25
	haa, hab, hbb := 1/(slopeSpread*slopeSpread), 0.0, 1/(offsetSpread*offsetSpread)
	for i := range f.rows {
		x, h := f.rows[i].Fused, steepest*f.scale*weight(&f.rows[i].Row)
		haa, hab, hbb = haa+h*x*x, hab+h*x, hbb+h
	}
	a, b = slope, offset
	for range rounds {
		ga, gb := (a-slope)/(slopeSpread*slopeSpread), (b-offset)/(offsetSpread*offsetSpread)
		for i := range f.rows {
			r := &f.rows[i]
			d := f.scale * weight(&r.Row) * (model.Logistic(a*r.Fused+b+f.shift) - r.Wrong)
			ga, gb = ga+d*r.Fused, gb+d
		}
		det := haa*hbb - hab*hab
		a, b = a-(hbb*ga-hab*gb)/det, b-(haa*gb-hab*ga)/det
	}
	return a, b
}

// roundTo rounds to a multiple of 1/parts.
func roundTo(parts, x float64) float64 { return math.Round(x*parts) / parts }

// setRiskMap fits the map of the file for any detectors; nil if no risk changes. A minimum risk of alerts moves with its map.
func setRiskMap(f *calibration.File, rows []Row, base float64) *Change {
	at := slices.IndexFunc(f.Risk, func(m calibration.RiskMap) bool { return m.Measurable == "" })
	if at < 0 {
		return nil
	}
	old := f.Risk[at]
	now := fitRisk(rows, base, old)
	f.Risk = slices.Clone(f.Risk)
	f.Risk[at] = now
	if f.Alert != nil && old.A > 0 {
		moved := *f.Alert
		moved.MinRisk = roundTo(1e4, now.At((model.Logit(moved.MinRisk)-old.B)/old.A))
		f.Alert = &moved
	}
	for _, shown := range []float64{1, -1, 3} { // log-odds
		c := Change{Name: "risk", From: roundTo(1e4, old.At(shown)), To: roundTo(1e4, now.At(shown))}
		if math.Abs(c.To-c.From) >= 0.005 {
			c.Why = "an answer that had the first risk has the second now"
			return &c
		}
	}
	return nil
}
