package thresholds

import (
	"confab/calibration"
	"confab/calibration/baseline"
	"confab/calibration/roc"
)

// Report explains a calibration.
type Report struct {
	File      *calibration.File
	Target    roc.Target
	Weighted  bool           // rows stand for more than one answer
	BadShare  float64        // weighted share of bad answers
	Detectors []string       // in the suite's order
	Choices   []Choice       // one per threshold of the file, in its order
	Uncovered []UncoveredKey // keys left to a coarser one

	Rule               RuleFigures            // two or more, at the thresholds of the file
	RuleCrossValidated RuleFigures            // at thresholds chosen on the other groups
	Alert              AlertReport            // the alert rule: two or more, with a minimum risk
	Groups             int                    // rows of one group share a source
	Folds              int                    // of the cross-validation; below 2: none
	Unfitted           []baseline.UnfittedKey // models without a baseline of their own
	Warnings           []string
}

// Choice is the threshold of one detector for one key with its figures. The embedded candidate is measured on the rows
// that the threshold was chosen on, which is optimistic; CrossValidated is not.
type Choice struct {
	calibration.ThresholdKey

	Armed      bool
	Reason     string // why it is not armed
	TooFewRows bool   // not armed because of too few rows
	KeptFrom   string // calibration whose thresholds are kept because of too few rows; usually empty

	roc.Candidate
	CrossValidated roc.Candidate   // thresholds chosen on the other groups, over all folds; without its threshold
	Rows           int             // that the detector could measure
	Positives      int             // of those
	NotMeasured    int             // rows of the key that it could not measure
	AUROC          float64         // NaN with one label only
	Sweep          []roc.Candidate // at .1 to .9
}

func (c *Choice) threshold() calibration.Threshold {
	t := calibration.Threshold{Detector: c.Detector, Tenant: c.Tenant, Operation: c.Operation, Model: c.Model, Threshold: 1, N: c.Rows}
	if c.Armed {
		t.Armed, t.Threshold = true, c.Threshold
		t.Precision, t.PrecisionLow, t.Recall = roundFigure(c.Precision), roundFigure(c.PrecisionLow), roundFigure(c.Recall)
		t.FalseAlarms, t.FalseAlarmsHigh = roundFigure(c.FalseAlarms), roundFigure(c.FalseAlarmsHigh)
	}
	return t
}

// UncoveredKey is a key with too few labels for its own threshold: a coarser key applies.
type UncoveredKey struct {
	calibration.ThresholdKey

	Rows   int
	Reason string
}

// RuleFigures are the figures of a rule on all rows, including those that fewer than two detectors could check.
type RuleFigures struct {
	roc.Candidate
	Share float64 // of all rows on which it holds, weighted
}
