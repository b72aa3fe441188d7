package thresholds

import (
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// firedMatrix holds for each row which detectors fired, by index.
type firedMatrix [][]bool

// firedUnder applies the thresholds to every row.
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

// firedHeldOut applies thresholds chosen on the other folds to every row.
func (c *calibrationRun) firedHeldOut() firedMatrix {
	out := make(firedMatrix, len(c.rows))
	for fold := range c.folds {
		var train, held []int
		for i := range c.rows {
			if c.fold[i] == fold && c.folds > 1 {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		choices, _ := c.chooseThresholds(c.poolRows(train), c.o.Target, float64(c.folds-1)/float64(c.folds))
		limits := calibration.NewThresholdTable(c.thresholds(choices))
		for _, i := range held {
			out[i] = c.firedOn(&c.rows[i], limits)
		}
	}
	return out
}

// addCrossValidation sets the cross-validated figures of every choice.
func (c *calibrationRun) addCrossValidation(choices []Choice, pools []keyRows, fired firedMatrix) {
	byKey := make(map[calibration.ThresholdKey]*keyRows, len(pools))
	for i := range pools {
		byKey[pools[i].ThresholdKey] = &pools[i]
	}
	for i := range choices {
		ch := &choices[i]
		ch.CrossValidated = c.crossValidated(byKey[ch.ThresholdKey], fired)
	}
}

// crossValidated are the figures of thresholds chosen on the other folds, on the rows of the key.
func (c *calibrationRun) crossValidated(p *keyRows, fired firedMatrix) roc.Candidate {
	d := c.position(p.Detector)
	result := roc.At(c.weightedRows(p.index, func(i int) float64 { return float64(boolInt(len(fired[i]) > 0 && fired[i][d])) }), 1)
	result.Threshold = 0
	return result
}

func (c *calibrationRun) position(detector string) int {
	for d, name := range c.detectors {
		if name == detector {
			return d
		}
	}
	return -1
}

// ruleFigures are the figures of "two or more" on all rows, including those that fewer than two detectors could check.
func (c *calibrationRun) ruleFigures(fired firedMatrix) roc.Candidate {
	f := roc.At(c.weightedRows(c.allRows(), func(i int) float64 { return float64(boolInt(countFired(fired[i]) >= 2)) }), 1)
	f.Threshold = 0
	return f
}

func countFired(fired []bool) (n int) {
	for _, f := range fired {
		n += boolInt(f)
	}
	return n
}
