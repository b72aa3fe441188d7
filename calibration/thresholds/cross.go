package thresholds

import (
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// firedMatrix says of each row which detectors fired, by their position.
type firedMatrix [][]bool

// firedUnder holds every row against the thresholds.
func (c *calibrationRun) firedUnder(limits calibration.ThresholdTable) firedMatrix {
	out := make(firedMatrix, len(c.rows))
	for i := range c.rows {
		out[i] = c.firedOn(&c.rows[i], limits)
	}
	return out
}

func (c *calibrationRun) firedOn(r *measure.Row, limits calibration.ThresholdTable) []bool {
	fired := make([]bool, len(c.detectors))
	for k, f := range r.Fired(limits, make([]bool, 0, len(r.Signals))) {
		fired[c.position(r.Signals[k].Detector)] = f
	}
	return fired
}

// firedHeldOut holds every row against thresholds that were chosen on the rows of the other folds, once for each target.
func (c *calibrationRun) firedHeldOut(targets []roc.Target) []firedMatrix {
	out := make([]firedMatrix, len(targets))
	for t := range out {
		out[t] = make(firedMatrix, len(c.rows))
	}
	for fold := range c.folds {
		var train, held []int
		for i := range c.rows {
			if c.fold[i] == fold && c.folds > 1 {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		pools := c.poolRows(train)
		for t, target := range targets {
			choices, _ := c.chooseThresholds(pools, target, float64(c.folds-1)/float64(c.folds))
			limits := c.thresholdTable(choices)
			for _, i := range held {
				out[t][i] = c.firedOn(&c.rows[i], limits)
			}
		}
	}
	return out
}

// addCrossValidation gives every choice what thresholds chosen on the other folds do on its rows.
func (c *calibrationRun) addCrossValidation(choices []Choice, pools []keyRows, fired firedMatrix) {
	byKey := make(map[calibration.ThresholdKey]*keyRows, len(pools))
	for i := range pools {
		byKey[pools[i].ThresholdKey] = &pools[i]
	}
	for i := range choices {
		ch := &choices[i]
		ch.CrossValidated = c.crossValidated(byKey[keyOf(ch.Detector, ch.Tenant, ch.Operation)], fired)
	}
}

// crossValidated is what thresholds chosen on the other folds do on the rows of the pool.
func (c *calibrationRun) crossValidated(p *keyRows, fired firedMatrix) roc.Candidate {
	d := c.position(p.Detector)
	result := roc.At(c.weightedRows(p.index, func(i int) float64 { return float64(boolInt(len(fired[i]) > 0 && fired[i][d])) }), 1)
	result.Threshold = 0
	return result
}

// keyMatches reports whether a key's name stands for the value: an empty one stands for any.
func keyMatches(name, value string) bool { return name == "" || name == value }

func (c *calibrationRun) position(detector string) int {
	for d, name := range c.detectors {
		if name == detector {
			return d
		}
	}
	return -1
}

// ruleFigures is what "two or more" does on all rows, given who fired on them.
func (c *calibrationRun) ruleFigures(fired firedMatrix) RuleFigures {
	rows := make([]roc.Scored, len(c.rows))
	share := 0.0
	for i := range c.rows {
		together := boolInt(countFired(fired[i]) >= 2)
		rows[i] = roc.Scored{Score: float64(together), Positive: c.rows[i].Positive, Weight: c.weights[i]}
		share += float64(together) * c.weights[i]
	}
	f := RuleFigures{Candidate: roc.At(rows, 1), Share: roc.Ratio(share, c.totalWeight())}
	f.Threshold = 0
	return f
}

func countFired(fired []bool) (n int) {
	for _, f := range fired {
		n += boolInt(f)
	}
	return n
}

// The targets of the rule's curve, in percent.
const (
	lowestTarget  = 40
	highestTarget = 95
	targetStep    = 5
)

// targets are the one that was asked for, and those of the rule's curve.
func (c *calibrationRun) targets() []roc.Target {
	all := []roc.Target{c.o.Target}
	for percent := lowestTarget; percent <= highestTarget; percent += targetStep {
		all = append(all, roc.Target{Precision: float64(percent) / 100, MinFired: c.o.Target.MinFired})
	}
	return all
}

// pickTarget is the point whose target is put in force: the one that was asked for, or the lowest of the curve at which the
// rule is precise enough, on the rows and on other groups. It is false when there is none.
func (c *calibrationRun) pickTarget(points []CurvePoint) (int, bool) {
	if c.o.RulePrecision == 0 {
		return 0, true
	}
	meets := func(f *RuleFigures) bool { return f.Fired >= c.o.Target.MinFired && f.Precision >= c.o.RulePrecision }
	for n := 1; n < len(points); n++ {
		if points[n].Target <= c.badShare() { // it asks nothing of a threshold
			continue
		}
		if meets(&points[n].RuleFigures) && (c.folds < 2 || meets(&points[n].CrossValidated)) {
			return n, true
		}
	}
	return 0, false
}

// ruleCurve is what the rule would do were every detector held to another target.
func (c *calibrationRun) ruleCurve(pools []keyRows, targets []roc.Target, crossed []firedMatrix) []CurvePoint {
	points := make([]CurvePoint, len(targets))
	for t, target := range targets {
		choices, _ := c.chooseThresholds(pools, target, 1)
		points[t] = CurvePoint{
			Target: target.Precision, RuleFigures: c.ruleFigures(c.firedUnder(c.thresholdTable(choices))), CrossValidated: c.ruleFigures(crossed[t]),
		}
	}
	return points
}
