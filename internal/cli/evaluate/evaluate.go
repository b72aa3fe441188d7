package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/detectors"
	"confab/internal/console"
	"confab/internal/files"
	"confab/schemas"
)

// Options configure Run.
type Options struct {
	Suite   *detectors.Suite
	Labels  measure.Labels
	Quality quality.Options
	JSON    string // file for the JSON report; empty for none
	Rows    RowOptions
	Workers int // rows measured, and lines computed, at once

	// Judge is how a judge is asked about each row, and Deep asks it; both are empty without one.
	Judge schemas.Asked
	Deep  func(ctx context.Context, in *schemas.Interaction) *detectors.Evaluation

	Stage Progress // of the two stages; may be nil
}

// Progress starts a stage with that unit. It returns a function to report progress and one to end the stage.
type Progress func(unit string) (count func(done int), end func())

// ErrLeftOut says that some labelled rows were unusable; each kind of error was reported.
var ErrLeftOut = errors.New("some labelled rows were left out")

// Run measures labelled interactions and reports how well each detector, the risk and the rule separate wrong answers
// from fine ones: a table on w, and report files, written atomically. Row errors and notes go to errw. The error wraps
// ErrLeftOut when the report is written.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := files.CheckWritable(o.JSON, o.Rows.File); err != nil {
		return err
	}
	report, rows, problems, err := o.report(ctx)
	for _, line := range problems.Messages() {
		fmt.Fprintln(errw, console.Sanitize(line))
	}
	if err != nil {
		return err
	}
	for _, line := range report.Notes {
		fmt.Fprintln(errw, console.Sanitize(line))
	}
	if err := PrintQuality(w, report); err != nil {
		return err
	}
	if o.Judge.Prompt != "" {
		if err := printAgreement(w, o.Judge, rows); err != nil {
			return err
		}
	}
	if err := o.write(report, rows); err != nil {
		return err
	}
	if n := problems.LeftOut(); n > 0 {
		return fmt.Errorf("%w: %d of %d", ErrLeftOut, n, problems.Rows)
	}
	return nil
}

func (o *Options) report(ctx context.Context) (*quality.Report, []measure.Row, measure.RowErrors, error) {
	stage := o.Stage
	if stage == nil {
		stage = func(string) (func(int), func()) { return func(int) {}, func() {} }
	}
	count, end := stage("rows")
	rows, problems, err := measure.Rows(ctx, o.Suite, o.Labels, measure.Options{Workers: o.Workers, Progress: count, Evaluate: o.Deep})
	end()
	if err != nil {
		return nil, nil, problems, err
	}
	count, end = stage("figures")
	defer end()
	judge := o.Quality
	judge.Workers, judge.Progress = o.Workers, func(done, _ int) { count(done) }
	report, err := quality.Evaluate(rows, judge)
	return report, rows, problems, err
}

// write writes the table of rows and the report.
func (o *Options) write(report *quality.Report, rows []measure.Row) error {
	if err := o.writeRows(rows); err != nil || o.JSON == "" {
		return err
	}
	_, err := files.WriteShared(o.JSON, report.WriteJSON)
	return err
}
