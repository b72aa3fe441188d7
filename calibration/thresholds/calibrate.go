package thresholds

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// Options configure Calibrate. Zero values are the defaults in brackets.
type Options struct {
	Target   roc.Target  // for each threshold [0.7 with 20 fired rows]
	Policy   AlertPolicy // alert rule that forecasts hold for [two or more detectors]
	MinRows  int         // required of the labels as a whole, and of every key with its own threshold [50]
	MinClass int         // rows of each label, required of a key [10]
	Folds    int         // of the cross-validation, by group [5]
	Seed     uint64      // of the folds

	// ByModel gives models thresholds of their own. It is not for rows whose model says something about their label, as in
	// public data sets of answers by several models.
	ByModel bool
	// Keep keeps its thresholds for detectors with too few rows, and its risk maps with its minimum risk where the rows give
	// none. Nil arms none of these detectors.
	Keep *calibration.Calibration

	// Current is the calibration that was in force where the rows were recorded. It keeps its baselines, its risk maps with
	// its minimum risk, and every threshold with too few rows. Nil keeps nothing.
	Current   *calibration.Calibration
	RaiseOnly bool // thresholds of Current for all tenants are raised or disarmed, never lowered

	Baselines   []calibration.Baseline // that the rows were measured with
	Fingerprint string                 // of the rows, see measure.RowHashes
	Model       string                 // id of the learned model that measured the rows
	CreatedBy   string                 // program and version
	Now         time.Time              // its date is part of the id
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
	if o.Policy == nil {
		o.Policy = twoOrMore{}
	}
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

// ErrLabels says that the labels are insufficient; the message has the remedy.
var ErrLabels = errors.New("labels")

// Calibrate chooses a threshold for every detector of the measured rows, and for each tenant and operation with enough
// labels. The same rows in any order give the same file. A detector that cannot reach the target is not armed; the
// report has the reason. The error wraps ErrLabels when the labels are insufficient.
func Calibrate(rows []measure.Row, o Options) (calibration.File, Report, error) {
	o = o.withDefaults()
	c, err := newRun(rows, o)
	if err != nil {
		return calibration.File{}, Report{}, err
	}
	all := c.poolRows(c.allRows())
	crossed := c.firedHeldOut()
	choices, fallen := c.chooseThresholds(all, c.o.Target, 1)
	c.addCrossValidation(choices, all, crossed)
	f := c.newFile()
	f.Thresholds = c.withCurrent(c.thresholds(choices))
	fired := c.firedUnder(calibration.NewThresholdTable(f.Thresholds))
	f.Rule = c.rule(fired)
	r := Report{
		File: &f, Target: c.o.Target, Choices: choices, Uncovered: fallen,
		Rule: c.ruleFigures(fired), RuleCrossValidated: c.ruleFigures(crossed),
		Groups: c.groups, Folds: c.folds, BadShare: c.badShare(),
	}
	r.Warnings = c.warnings(&r)
	r.RiskKeptFrom, r.NoRisk = c.setRisk(&f)
	if _, err := calibration.New(f); err != nil {
		return calibration.File{}, Report{}, fmt.Errorf("calibrate: the file would not load: %w", err)
	}
	if w := c.riskWarning(&f); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	if len(c.detectors) > 1 && !c.anyReaches(fired) {
		r.Warnings = append(r.Warnings, "the alert rule holds on no row: there would be no alerts")
	}
	return f, r, nil
}

// newFile is a file with all that does not depend on a choice.
func (c *calibrationRun) newFile() calibration.File {
	return calibration.File{
		Format: calibration.Format, CreatedBy: c.o.CreatedBy, Model: c.o.Model, Baselines: c.o.Baselines,
		ID:   fmt.Sprintf("%s-%.8s", c.o.Now.UTC().Format(time.DateOnly), c.o.Fingerprint),
		Data: calibration.Data{Fingerprint: c.o.Fingerprint, Rows: len(c.rows), Positives: c.positives, Models: c.models()},
	}
}

// maxModels bounds the list of models in a file.
const maxModels = 100

// models are the models with enough rows to say that the calibration covers them, sorted.
func (c *calibrationRun) models() []string {
	rows := map[string]int{}
	for i := range c.rows {
		rows[c.rows[i].Model]++
	}
	var names []string
	for name, n := range rows {
		if name != "" && n >= c.o.MinClass {
			names = append(names, name)
		}
	}
	if c.o.Current != nil {
		names = append(names, c.o.Current.File().Data.Models...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxModels)]
}

// warnings lists what a person should know before using the file.
func (c *calibrationRun) warnings(r *Report) []string {
	var w []string
	if share := c.badShare(); share >= c.o.Target.Precision && !c.o.RaiseOnly {
		w = append(w, fmt.Sprintf("%.0f %% of the labels are bad, so that nearly any threshold meets the target of %.2f: "+
			"label answers as they come, or give the rows their weight", 100*share, c.o.Target.Precision))
	}
	if c.folds < 2 {
		w = append(w, "all rows belong to one group: nothing could be cross-validated; give rows that share a source a group of their own")
	}
	if r.Rule.Fired > 0 && r.Rule.Precision < c.o.Target.Precision {
		w = append(w, fmt.Sprintf("two or more detectors firing is right in %.2f of the cases, below the target of %.2f: raise --target-precision, "+
			"which makes the rule rarer and more often right", r.Rule.Precision, c.o.Target.Precision))
	}
	return w
}
