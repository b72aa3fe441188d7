package tune

import (
	"cmp"
	"fmt"
	"math"

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
			all.add(rows[i].weight(), 1)
			used = append(used, rows[i])
		}
	}
	m := calibration.RiskMap{Measurable: inForce.Measurable, A: before[0], B: before[1], N: len(used), Prior: before}
	if len(used) == 0 {
		return inForce
	}
	f := riskFit{rows: used, scale: all.scale(), shift: model.Logit(base), slope: before[0], offset: before[1]}
	m.A, m.B = f.newton()
	m.A, m.B = round4(max(m.A, leastSlope)), round4(m.B)
	m.LogLoss = round4(f.loss(m.A, m.B) / (all.sum * f.scale))
	return m
}

// riskFit is the loss of a map on rows, and its distance from the map before.
type riskFit struct {
	rows          []Row
	scale, shift  float64
	slope, offset float64
}

// loss is the negative log-likelihood of the labels.
func (f *riskFit) loss(a, b float64) (sum float64) {
	for i := range f.rows {
		r := &f.rows[i]
		z := a*r.Fused + b + f.shift
		sum += f.scale * r.weight() * (max(z, 0) - z*r.Wrong + math.Log1p(math.Exp(-math.Abs(z))))
	}
	return sum
}

func (f *riskFit) objective(a, b float64) float64 {
	da, db := (a-f.slope)/slopeSpread, (b-f.offset)/offsetSpread
	return f.loss(a, b) + (da*da+db*db)/2
}

// newton minimises the objective by Newton's method. It is convex.
func (f *riskFit) newton() (a, b float64) {
	const rounds, tolerance = 100, 1e-10
	a, b = f.slope, f.offset
	before := f.objective(a, b)
	for range rounds {
		ga, gb := (a-f.slope)/(slopeSpread*slopeSpread), (b-f.offset)/(offsetSpread*offsetSpread)
		haa, hab, hbb := 1/(slopeSpread*slopeSpread), 0.0, 1/(offsetSpread*offsetSpread)
		for i := range f.rows {
			r := &f.rows[i]
			p, w := model.Logistic(a*r.Fused+b+f.shift), f.scale*r.weight()
			d, h := w*(p-r.Wrong), w*p*(1-p)
			ga, gb = ga+d*r.Fused, gb+d
			haa, hab, hbb = haa+h*r.Fused*r.Fused, hab+h*r.Fused, hbb+h
		}
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		size := 1.0
		now := f.objective(a-da, b-db)
		for size > tolerance && !(now <= before) {
			size /= 2
			now = f.objective(a-size*da, b-size*db)
		}
		a, b = a-size*da, b-size*db
		if before-now <= tolerance*before {
			break
		}
		before = now
	}
	return a, b
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// riskMaps are the maps of the file with the one for any detectors fitted. A minimum risk of alerts moves with its map.
func riskMaps(f *calibration.File, rows []Row, base float64) *Change {
	at := -1
	for i := range f.Risk {
		if f.Risk[i].Measurable == "" {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	old := f.Risk[at]
	now := fitRisk(rows, base, old)
	maps := append([]calibration.RiskMap(nil), f.Risk...)
	maps[at], f.Risk = now, maps
	if f.Alert != nil && old.A > 0 {
		moved := *f.Alert
		moved.MinRisk = round4(now.At((model.Logit(moved.MinRisk) - old.B) / old.A))
		f.Alert = &moved
	}
	const shown = 1 // log-odds
	c := Change{Name: "risk", From: round4(old.At(shown)), To: round4(now.At(shown))}
	if math.Abs(c.To-c.From) < 0.005 {
		return nil
	}
	direction := cmp.Or(map[bool]string{true: "more", false: "less"}[c.To > c.From])
	c.Why = fmt.Sprintf("of an answer whose scores say %.2f: with these labels the scores tell %s than before", model.Logistic(shown), direction)
	return &c
}
