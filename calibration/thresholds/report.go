package thresholds

import (
	"confab/calibration"
	"confab/calibration/roc"
)

// Report explains a calibration.
type Report struct {
	File      *calibration.File
	Target    roc.Target
	BadShare  float64        // weighted share of bad answers
	Choices   []Choice       // one per threshold of the file, in its order
	Uncovered []UncoveredKey // keys left to a coarser one

	Rule               roc.Candidate // two or more, at the thresholds of the file
	RuleCrossValidated roc.Candidate // at thresholds chosen on the other groups
	RiskKeptFrom       string        // calibration whose risk maps are kept; usually empty
	NoRisk             string        // why the rows give no risk maps
	Groups             int           // rows of one group share a source
	Folds              int           // of the cross-validation; below 2: none
	Warnings           []string
}

// Choice is the threshold of one detector for one key with its figures. The embedded candidate is measured on the rows
// that the threshold was chosen on, which is optimistic; CrossValidated is not.
type Choice struct {
	calibration.ThresholdKey

	Armed    bool
	Reason   string // why it is not armed
	KeptFrom string // calibration whose thresholds are kept because of too few rows; usually empty

	roc.Candidate
	CrossValidated roc.Candidate   // thresholds chosen on the other groups, over all folds; without its threshold
	Rows           int             // that the detector could measure
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
