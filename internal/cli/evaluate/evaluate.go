package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/detectors"
	"confab/internal/console"
	"confab/internal/files"
)

// Options configure Run.
type Options struct {
	Suite   *detectors.Suite
	Labels  measure.Labels
	Cross   *CrossOptions // nil measures with the suite
	Quality quality.Options
	Format  QualityFormat
	JSON    string // file for the JSON report; empty for none
	Page    string // file for the HTML report; empty for none
	Rows    RowOptions
	Against string   // rows of an earlier run to compare with; empty for none
	Floors  []Floor  // required figures
	Workers int      // rows measured, and lines computed, at once
	Stage   Progress // of the two stages; may be nil
}

// Progress starts a stage with that unit. It returns a function to report progress and one to end the stage.
type Progress func(unit string) (count func(done int), end func())

// ErrBelowFloor says that a figure is below its floor; each was reported.
var ErrBelowFloor = errors.New("quality is below what was asked for")

// ErrLeftOut says that some labelled rows were unusable; each kind of error was reported.
var ErrLeftOut = errors.New("some labelled rows were left out")

// Run measures labelled interactions and reports how well each detector, the risk and the rule separate faulty answers
// from good ones: a table on w, and report files, written atomically. Row errors and notes go to errw. The error wraps
// ErrLeftOut or ErrBelowFloor when the report is written.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := files.CheckWritable(o.JSON, o.Page, o.Rows.File); err != nil {
		return err
	}
	earlier, err := o.readAgainst()
	if err != nil {
		return err
	}
	report, rows, problems, err := o.report(ctx, earlier)
	for _, line := range problems.Messages() {
		fmt.Fprintln(errw, console.Sanitize(line))
	}
	if err != nil {
		return err
	}
	for _, line := range report.Notes {
		fmt.Fprintln(errw, console.Sanitize(line))
	}
	if err := PrintQuality(w, report, o.Format); err != nil {
		return err
	}
	if err := o.write(ctx, report, rows); err != nil {
		return err
	}
	var outcomes []error
	if n := problems.LeftOut(); n > 0 {
		outcomes = append(outcomes, fmt.Errorf("%w: %d of %d", ErrLeftOut, n, problems.Rows))
	}
	below, err := belowFloors(errw, report, o.Floors)
	if err != nil {
		return err
	}
	if below {
		outcomes = append(outcomes, ErrBelowFloor)
	}
	return errors.Join(outcomes...)
}

// readAgainst reads the earlier run before anything is measured, so that a wrong file costs no time.
func (o *Options) readAgainst() (map[quality.RowKey]quality.EarlierRow, error) {
	if o.Against == "" {
		return nil, nil
	}
	return readEarlier(o.Against)
}

func (o *Options) report(ctx context.Context, earlier map[quality.RowKey]quality.EarlierRow) (*quality.Report, *singleRows, measure.RowErrors, error) {
	stage := o.Stage
	if stage == nil {
		stage = func(string) (func(int), func()) { return func(int) {}, func() {} }
	}
	judge := o.Quality
	rows, problems, err := o.rows(ctx, stage, &judge)
	if err != nil {
		return nil, nil, problems, err
	}
	count, end := stage("figures")
	defer end()
	judge.Workers, judge.Progress = o.Workers, func(done, _ int) { count(done) }
	report, err := quality.Evaluate(rows, judge)
	if err == nil && earlier != nil {
		report.Differences, err = quality.ComparePaired(rows, earlier, judge)
	}
	if err != nil {
		return nil, nil, problems, err
	}
	return report, o.judgeRows(rows, judge.Calibration), problems, nil
}

// rows measures the labelled rows, or cross-validates them.
func (o *Options) rows(ctx context.Context, stage Progress, judge *quality.Options) ([]measure.Row, measure.RowErrors, error) {
	if o.Cross != nil {
		return o.crossValidate(ctx, stage, judge)
	}
	count, end := stage("rows")
	defer end()
	return measure.Rows(ctx, o.Suite, o.Labels, measure.Options{Workers: o.Workers, Progress: count})
}

// write writes the table of rows, whose reading finds the texts of the page, and the reports.
func (o *Options) write(ctx context.Context, report *quality.Report, rows *singleRows) error {
	if err := rows.write(ctx); err != nil {
		return err
	}
	section, err := rows.section()
	if err != nil {
		return err
	}
	report.Sections = append(report.Sections, section)
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{{o.JSON, report.WriteJSON}, {o.Page, report.WriteHTML}} {
		if file.path == "" {
			continue
		}
		if o.Rows.Texts { // for its owner only
			if _, err := files.WriteAtomic(file.path, file.write); err != nil {
				return err
			}
			continue
		}
		var content bytes.Buffer
		if err := file.write(&content); err != nil {
			return err
		}
		if err := calibration.Replace(file.path, content.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
