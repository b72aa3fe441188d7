package thresholds

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/internal/model"
)

// RiskOptions configure the fit of risk maps. Zero values take the defaults in brackets.
type RiskOptions struct {
	Folds   int    // parts of the rows, by group, each held out once [5]
	Seed    uint64 // of the assignment of groups to folds
	MinRows int    // of a set of detectors with its own map [200]
}

// minGain is the share by which a map with more freedom must lower the held-out log loss. Smaller gains are mostly chance,
// and such maps rank worse: ties and steps of isotonic maps, and other maps for sets that are frequent in one data set, cost
// up to .01 AUROC (docs/tuning.md).
const minGain = 0.02

// minRiskRows is the least number of rows for a map.
const minRiskRows = 50

// Fit fits maps from the log-odds of fusion to the probability that an answer is bad: one for any set of measurable
// detectors, and one for each set that has MinRows rows and a clearly lower loss with its own map. Each is Platt's, or
// isotonic where that has a clearly lower log loss on held-out groups. The log-odds must come from a fusion that was not trained on
// these rows. Rows without log-odds are left out; without any such row there are no maps. A map that gives every answer the same
// risk is no map.
func Fit(rows []measure.Row, o RiskOptions) ([]calibration.RiskMap, error) {
	o.Folds, o.MinRows = cmp.Or(o.Folds, 5), cmp.Or(o.MinRows, 200)
	all := riskRows(rows, o)
	if len(all) == 0 {
		return nil, nil
	}
	if len(all) < minRiskRows {
		return nil, fmt.Errorf("fit risks: %d rows have a fused score, at least %d are needed: label more", len(all), minRiskRows)
	}
	if oneClass(all) {
		return nil, errors.New("fit risks: all rows have one label: label some good and some bad answers")
	}
	coarse, held := chooseRisk(all, o.Folds)
	if !coarse.Rises() {
		return nil, errors.New("fit risks: bad answers do not get higher risks than good ones: label more")
	}
	maps := append(mapsBySet(all, held, o), coarse)
	slices.SortFunc(maps, func(a, b calibration.RiskMap) int { return cmp.Compare(a.Measurable, b.Measurable) })
	return maps, nil
}

// mapsBySet fits a map for each set of detectors that gains by it. held are the held-out predictions of the map for any set.
func mapsBySet(all []riskRow, held []float64, o RiskOptions) (maps []calibration.RiskMap) {
	sets := map[string][]int{}
	for i, r := range all {
		sets[r.measurable] = append(sets[r.measurable], i)
	}
	for name, index := range sets {
		own, anyway := make([]riskRow, len(index)), make([]float64, len(index))
		for k, i := range index {
			own[k], anyway[k] = all[i], held[i]
		}
		if name == "" || len(own) < o.MinRows || oneClass(own) {
			continue
		}
		fine, _ := chooseRisk(own, o.Folds)
		if fine.Measurable = name; fine.Rises() && fine.LogLoss < (1-minGain)*logLoss(own, anyway) {
			maps = append(maps, fine)
		}
	}
	return maps
}

type riskRow struct {
	x, weight  float64 // log-odds
	positive   bool
	fold       int
	measurable string
}

func (r *riskRow) label() float64 {
	if r.positive {
		return 1
	}
	return 0
}

func riskRows(rows []measure.Row, o RiskOptions) []riskRow {
	var all []riskRow
	for i := range rows {
		r := &rows[i]
		if math.IsNaN(r.Fused) || math.IsInf(r.Fused, 0) {
			continue
		}
		weight := cmp.Or(r.Weight, 1)
		all = append(all, riskRow{r.Fused, weight, r.Positive, foldOf(r, o), r.Measurable})
	}
	slices.SortFunc(all, func(a, b riskRow) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.label(), b.label()), cmp.Compare(a.weight, b.weight),
			cmp.Compare(a.fold, b.fold), cmp.Compare(a.measurable, b.measurable))
	})
	return all
}

// foldOf keeps rows of one group together.
func foldOf(r *measure.Row, o RiskOptions) int {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, o.Seed)) // never fails
	_, _ = h.Write([]byte(r.Dataset + "\x00" + r.Group))
	return int((h.Sum64() >> 32) % uint64(o.Folds))
}

func oneClass(rows []riskRow) bool {
	return !slices.ContainsFunc(rows, func(r riskRow) bool { return r.positive != rows[0].positive })
}

// chooseRisk fits the map on all rows, and returns the held-out predictions.
func chooseRisk(rows []riskRow, folds int) (best calibration.RiskMap, held []float64) {
	for _, fit := range []func([]riskRow) calibration.RiskMap{fitPlatt, fitIsotonic} {
		predicted := make([]float64, len(rows))
		for fold := range folds {
			m := fit(slices.DeleteFunc(slices.Clone(rows), func(r riskRow) bool { return r.fold == fold }))
			for i, r := range rows {
				if r.fold == fold {
					predicted[i] = m.At(r.x)
				}
			}
		}
		if loss := logLoss(rows, predicted); held == nil || loss < (1-minGain)*best.LogLoss {
			best, held = fit(rows), predicted
			best.N, best.LogLoss = len(rows), round4(loss)
		}
	}
	return best, held
}

// logLoss is the weighted mean log loss in nats.
func logLoss(rows []riskRow, p []float64) float64 {
	const edge = 1e-6 // bounds the loss of a wrong certainty
	sum, total := 0.0, 0.0
	for i, r := range rows {
		q := min(max(p[i], edge), 1-edge)
		if !r.positive {
			q = 1 - q
		}
		sum -= r.weight * math.Log(q)
		total += r.weight
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
		return calibration.RiskMap{Method: calibration.Platt}
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
	return calibration.RiskMap{Method: calibration.Platt, A: round4(a), B: round4(b)}
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
