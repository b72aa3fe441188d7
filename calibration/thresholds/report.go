package thresholds

import (
	"confab/calibration"
	"confab/calibration/baseline"
	"confab/calibration/roc"
)

// Report tells how a calibration came to be and what it will do: all that its page and its summary show.
type Report struct {
	File      *calibration.File
	Target    roc.Target
	BaseRate  float64        // 0: rows count as they are
	Weighted  bool           // rows stand for more answers than one
	BadShare  float64        // of bad answers, as the rows are weighed
	Detectors []string       // in the suite's order
	Choices   []Choice       // one per threshold of the file, in its order
	Uncovered []UncoveredKey // keys that were left to a coarser one

	Rule               RuleFigures            // two or more, at the thresholds of the file
	RuleCrossValidated RuleFigures            // at thresholds chosen on the other groups
	Curve              []CurvePoint           // what other targets would make of the rule
	Slices             []Slice                // the thresholds of the file, task by task
	Groups             int                    // rows of one group share a source
	Folds              int                    // of the cross-validation; below 2 there was none
	Unfitted           []baseline.UnfittedKey // models without a baseline of their own
	Warnings           []string
}

// Choice is the threshold of one detector for one key, with what it rests on. The embedded candidate is what the
// threshold does on the rows that it was chosen on; that flatters, Crossed does not.
type Choice struct {
	Detector, Tenant, Operation string

	Armed      bool
	Reason     string // why it is not armed
	TooFewRows bool   // not armed since the rows say too little, not since they speak against it
	KeptFrom   string // the calibration whose thresholds hold instead, since the rows say too little; empty as a rule

	roc.Candidate
	CrossValidated roc.Candidate // thresholds chosen on the other groups, pooled over the folds; its threshold is not set
	Rows           int           // that the detector could measure
	Positives      int           // of those
	NotMeasured    int           // rows of the key that it could not measure
	AUROC          float64       // NaN with one label only
	Sweep          []roc.Candidate
}

func (c *Choice) threshold() calibration.Threshold {
	t := calibration.Threshold{Detector: c.Detector, Tenant: c.Tenant, Operation: c.Operation, Threshold: 1, N: c.Rows}
	if c.Armed {
		t.Armed, t.Threshold = true, c.Threshold
		t.Precision, t.PrecisionLow, t.Recall = roundFigure(c.Precision), roundFigure(c.PrecisionLow), roundFigure(c.Recall)
	}
	return t
}

// KeyName says in words where a threshold holds.
func KeyName(tenant, operation string) string {
	switch {
	case tenant == "" && operation == "":
		return "any"
	case tenant == "":
		return operation
	case operation == "":
		return tenant + " (tenant)"
	}
	return tenant + " (tenant), " + operation
}

// UncoveredKey is a key without labels enough for a threshold of its own: a coarser key holds there.
type UncoveredKey struct {
	Detector, Tenant, Operation string

	Rows   int
	Reason string
}

// RuleFigures is what "two or more detectors fired" does on all rows, those that no two could check included.
type RuleFigures struct {
	roc.Candidate
	Share float64 // of all rows that two or more fired on, weighted
}

// CurvePoint is what the rule would do were each detector held to the target precision.
type CurvePoint struct {
	Target float64
	RuleFigures
	CrossValidated RuleFigures
}
