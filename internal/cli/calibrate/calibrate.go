package calibrate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/detectors"
	"confab/internal/cli/labelled"
	"confab/internal/files"
)

// Options configure Run.
type Options struct {
	Files    []string                 // labelled rows
	Suite    NewSuite                 // measures under a calibration
	Feedback *FeedbackOptions         // human labels, in addition to those of the files; may be nil
	InForce  *calibration.Calibration // kept where the labels say too little; its alerts must not be lost; may be nil
	Force    bool                     // writes a file that loses alerts, too
	Choose   thresholds.Options       // fingerprint and baselines are filled in
	Version  string                   // of this program
	Lenient  bool                     // leaves faulty rows out instead of failing
	Out      string                   // the calibration file
	Workers  int                      // rows measured at once
	Progress func(rows int)           // called after every row; may be nil
	Done     func()                   // called after the last row; may be nil
}

// NewSuite makes a suite with a calibration.
type NewSuite func(c *calibration.Calibration) (*detectors.Suite, error)

// ErrFaultyLabels says that labelled rows are faulty; each kind of error was reported with its places and its remedy.
var ErrFaultyLabels = errors.New("the labels are faulty, nothing was written: correct them, or leave the faulty rows out with --skip-faulty")

// Run fits a calibration on labelled rows and writes it atomically at the end. Output for people
// goes to w, row errors and warnings to errw. An error that wraps thresholds.ErrLabels or ErrFaultyLabels is about the
// labels.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := files.CheckWritable(o.Out); err != nil {
		return err
	}
	s, err := surveyLabels(ctx, o.Files)
	if err != nil {
		return err
	}
	if o.Choose.Keep = o.InForce; o.InForce != nil {
		o.Choose.Baselines = o.InForce.File().Baselines
	}
	feedback, err := o.readFeedback(ctx, &s.hashes)
	if err != nil {
		return err
	}
	o.Choose.Fingerprint = s.hashes.Fingerprint()
	rows, err := o.measure(ctx, errw)
	if err != nil {
		return err
	}
	rows = append(rows, feedback.rows()...)
	c := calibrationResult{feedback: feedback}
	if err := o.calibrate(ctx, rows, &c); err != nil {
		return err
	}
	return o.writeAndPrint(w, errw, &c)
}

// calibrate sets the file, its report and what it changes, from measured rows.
func (o *Options) calibrate(ctx context.Context, rows []measure.Row, c *calibrationResult) error {
	f, r, err := thresholds.Calibrate(rows, o.Choose)
	if err != nil {
		return err
	}
	c.file, c.report = f, &r
	c.lost, err = o.lostAlerts(ctx, rows, f)
	return err
}

// calibrationResult is the result of a run.
type calibrationResult struct {
	file     calibration.File
	report   *thresholds.Report
	feedback *labelledFeedback
	lost     *thresholds.LostAlerts
}

// writeAndPrint writes the file and prints a summary. A result that loses alerts on bad answers is printed, and written only
// with Force.
func (o *Options) writeAndPrint(w, errw io.Writer, c *calibrationResult) error {
	warnings, written := c.report.Warnings, o.Out
	refused := c.lost != nil && !o.Force
	if refused {
		written = ""
	} else if err := calibration.Save(o.Out, c.file); err != nil {
		return err
	}
	if c.lost != nil && o.Force {
		warnings = append(warnings, describeLost(c.lost)+"; written because of --force")
	}
	for _, warning := range warnings {
		fmt.Fprintf(errw, "warning: %s\n", warning)
	}
	if err := c.feedback.print(w); err != nil {
		return err
	}
	if err := printCalibration(w, c.report, written); err != nil || !refused {
		return err
	}
	return fmt.Errorf("%w: %s; nothing was written: label more answers, loosen --target-precision, or accept it with --force", ErrLostAlerts, describeLost(c.lost))
}

// measure measures the labelled rows with the new baselines and reports row errors.
func (o *Options) measure(ctx context.Context, errw io.Writer) ([]measure.Row, error) {
	if len(o.Files) == 0 {
		return nil, nil
	}
	labels, err := labelled.OpenLabels(o.Files...)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	rows, problems, err := o.measureWithBaselines(ctx, labels)
	if err != nil {
		return nil, err
	}
	for _, message := range problems.Messages() {
		fmt.Fprintf(errw, "labels: %s\n", message)
	}
	if hasFaults(&problems) && !o.Lenient {
		return nil, ErrFaultyLabels
	}
	return rows, nil
}

// measureWithBaselines measures with the new baselines.
func (o *Options) measureWithBaselines(ctx context.Context, labels measure.Labels) (rows []measure.Row, problems measure.RowErrors, err error) {
	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: "calibrating", Baselines: o.Choose.Baselines})
	if err != nil {
		return nil, problems, err
	}
	return o.measureLabels(ctx, labels, c)
}

// measureLabels measures under a calibration.
func (o *Options) measureLabels(ctx context.Context, labels measure.Labels, c *calibration.Calibration) (rows []measure.Row, problems measure.RowErrors, err error) {
	suite, err := o.Suite(c)
	if err != nil {
		return nil, problems, err
	}
	rows, problems, err = measure.Rows(ctx, suite, labels, measure.Options{Workers: o.Workers, Progress: o.Progress})
	if o.Done != nil {
		o.Done()
	}
	return rows, problems, err
}

// hasFaults reports row errors that would distort a calibration. A missing group is not one of them.
func hasFaults(p *measure.RowErrors) bool {
	return p.LeftOut() > 0 || p.Count(measure.NoText) > 0 || p.Count(measure.BadLogprobs) > 0 || p.Count(measure.UnknownFields) > 0
}

// Validate reports flags that are missing or out of range. feedback says that people's labels are read.
func (o *Options) Validate(feedback bool) error {
	c := &o.Choose
	switch {
	case len(o.Files) == 0 && !feedback:
		return errors.New("--labels is missing: name the files that hold labelled interactions, or read people's labels with --feedback")
	case o.Out == "":
		return errors.New("--out is missing: name the calibration file to write")
	case !(c.Target.Precision > 0 && c.Target.Precision <= 1):
		return fmt.Errorf("--target-precision %v: write a share above 0, up to 1, such as 0.7", c.Target.Precision)
	case c.Target.MinFired < 1:
		return fmt.Errorf("--min-fired %d: write a number of rows, 1 or more", c.Target.MinFired)
	}
	return nil
}
