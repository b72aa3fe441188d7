package thresholds

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/risk"
	"confab/calibration/roc"
)

// Options say how Calibrate chooses. Zero values are the defaults in brackets.
type Options struct {
	Target        roc.Target // what a threshold must reach [0.7 with 20 fired rows]
	RulePrecision float64    // precision that "two or more" must reach: the target of every detector is then the lowest that gives it; 0 asks nothing
	BaseRate      float64    // share of bad answers to state precision for, each data set and task alike; 0 counts rows as they are
	MinRows       int        // that the labels as a whole, and every key of its own, must have [50]
	MinClass      int        // rows of either label that a key must have [10]
	Folds         int        // of the cross-validation, by group [5]
	Seed          uint64     // of the folds

	Sets   map[string][]string      // by detector: the data sets its threshold is chosen on; a detector not listed uses all
	Pooled bool                     // one threshold per detector, whatever the tenant and the operation
	Keep   *calibration.Calibration // whose thresholds stay in force for detectors that the rows say too little of; nil arms none of them

	// Force is the calibration that was in force where the rows come from. Its baselines and risk maps stay, and so does
	// every threshold of it that the rows say too little of. Nil: nothing stays.
	Current   *calibration.Calibration
	RaiseOnly bool // thresholds of Force that hold for all may be raised, or disarmed, and never lowered

	Baselines   []calibration.Baseline // what the rows were measured with: they belong to the thresholds
	Fingerprint string                 // of the rows' bytes, see Prints
	Model       string                 // id of the learned model that measured the rows
	CreatedBy   string                 // program and version
	Now         time.Time              // its date names the file
}

const (
	defaultPrecision = 0.7
	defaultMinFired  = 20
	defaultMinRows   = 50
	defaultMinClass  = 10
	defaultFolds     = 5
)

func (o Options) withDefaults() Options {
	orDefault(&o.Target.Precision, defaultPrecision)
	orDefault(&o.Target.MinFired, defaultMinFired)
	orDefault(&o.MinRows, defaultMinRows)
	orDefault(&o.MinClass, defaultMinClass)
	orDefault(&o.Folds, defaultFolds)
	if o.Current != nil {
		o.Baselines = o.Current.File().Baselines
		if o.Keep == nil {
			o.Keep = o.Current
		}
	}
	return o
}

func orDefault[T int | float64](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// ErrLabels says that the labels cannot be calibrated on; the message names the remedy.
var ErrLabels = errors.New("labels")

// Calibrate chooses a threshold for every detector that the rows tell of, and for each tenant and operation with labels
// enough of its own, from labelled rows that were measured before. It is a pure function: the same rows in any order
// give the same file. A detector that cannot meet the target is written unarmed, with the reason in the report. Its
// error wraps ErrLabels when there is too little to choose from.
func Calibrate(rows []measure.Row, o Options) (calibration.File, Report, error) {
	o = o.withDefaults()
	c, err := newRun(rows, o)
	if err != nil {
		return calibration.File{}, Report{}, err
	}
	all := c.poolRows(c.allRows())
	targets := c.targets()
	crossed := c.firedHeldOut(targets)
	points := c.ruleCurve(all, targets, crossed)
	picked, ruled := c.pickTarget(points)
	c.o.Target = targets[picked]
	choices, fallen := c.chooseThresholds(all, c.o.Target, 1)
	c.addCrossValidation(choices, all, crossed[picked])
	f := calibration.File{
		Format: calibration.Format, CreatedBy: o.CreatedBy, Model: o.Model, Baselines: o.Baselines,
		Data: calibration.Data{Fingerprint: o.Fingerprint, Rows: len(c.rows), Positives: c.positives},
	}
	f.ID = fmt.Sprintf("%s-%.8s", o.Now.UTC().Format(time.DateOnly), o.Fingerprint)
	f.Thresholds = c.withCurrent(c.thresholds(choices))
	fired := c.firedUnder(calibration.NewThresholdTable(f.Thresholds))
	r := Report{
		File: &f, Target: c.o.Target, BaseRate: o.BaseRate, Detectors: c.detectors, Choices: choices, Uncovered: fallen,
		Rule: c.ruleFigures(fired), RuleCrossValidated: points[picked].CrossValidated, Curve: points[1:], Slices: c.slices(fired),
		Groups: c.groups, Folds: c.folds, BadShare: c.badShare(),
		Weighted: c.isWeighted(),
	}
	f.Rule = c.rule(fired, r.Rule)
	r.Warnings = c.warnings(&r)
	if !ruled {
		r.Warnings = append(r.Warnings, fmt.Sprintf("no target from %.2f to %.2f makes two or more right in %.2f of the cases, with %d rows fired, on other groups too: "+
			"the target stays %.2f", lowestTarget/100., highestTarget/100., o.RulePrecision, o.Target.MinFired, o.Target.Precision))
	}
	if err := c.setRisk(&f); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("flags carry no risk: %v", err))
	}
	if _, err := calibration.New(f); err != nil {
		return calibration.File{}, Report{}, fmt.Errorf("calibrate: the file would not load: %w", err)
	}
	return f, r, nil
}

// setRisk puts the risk maps into the file: those of Force where there is one.
func (c *calibrationRun) setRisk(f *calibration.File) (err error) {
	if c.o.Current != nil {
		force := c.o.Current.File()
		f.Risk, f.Reliability = force.Risk, force.Reliability
		return nil
	}
	f.Risk, err = c.risk()
	return err
}

// risk fits the risk maps on the rows as they are weighed among all of them.
func (c *calibrationRun) risk() ([]calibration.RiskMap, error) {
	rows := slices.Clone(c.rows)
	mean := c.totalWeight() / float64(len(rows))
	for i := range rows {
		rows[i].Weight = c.weights[i] / mean
	}
	return risk.Fit(rows, risk.Options{Folds: c.o.Folds, Seed: c.o.Seed})
}

// warnings are what a person must know before trusting the file.
func (c *calibrationRun) warnings(r *Report) []string {
	var w []string
	if share := c.badShare(); share >= c.o.Target.Precision && !c.o.RaiseOnly {
		w = append(w, fmt.Sprintf("%.0f %% of the labels are bad, so that nearly any threshold meets the target of %.2f: "+
			"state the share of bad answers in your traffic with --base-rate", 100*share, c.o.Target.Precision))
	}
	if c.folds < 2 {
		w = append(w, "all rows belong to one group: nothing could be cross-validated; give rows that share a source a group of their own")
	}
	if r.Rule.Fired > 0 && r.Rule.Precision < c.o.Target.Precision {
		w = append(w, fmt.Sprintf("two or more detectors firing is right in %.2f of the cases, below the target of %.2f: raise --target-precision, "+
			"which makes the rule rarer and more often right", r.Rule.Precision, c.o.Target.Precision))
	}
	if len(c.detectors) > 1 && r.Rule.Fired == 0 {
		w = append(w, "no row made two or more detectors fire: on-call would hear nothing")
	}
	return w
}
