// Package tune draws answers for people to label, reads the labels back, and fits the calibration to them.
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"confab"
	"confab/alerting"
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/tune"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/tablefile"
	"confab/internal/worker/tuning"
)

// Options configure Draw and Fit.
type Options struct {
	Log       *labelled.InteractionFile // answers of the traffic; nil: none
	Labels    []string                  // verdicts about answers of the log, which Draw leaves out; without one, labelled rows
	Topics    *tuning.ReadOptions       // what people and the judge said of recorded answers; nil: not read
	Evaluator *confab.Evaluator
	InForce   *calibration.Calibration
	Policy    *alerting.Policy
	Set       map[string]float64 // thresholds of the configuration, by detector

	Draws   int    // answers to draw
	Seed    uint64 // of the draw
	Out     string // the table of Draw, or the calibration of Fit; Fit writes none without it
	Rows    string // Fit writes labelled rows of the log to it; empty: not
	Command string // that read the log, for hints
	Check   string // the command that checks it, read the same way

	PerDay, Alerts float64 // answers a day, 0: those of the log; alerts a day to spend, 0: by cost
	JSON           bool    // Fit writes its report as JSON
	Lenient        bool    // leaves faulty labels out instead of failing
	Version, Model string  // of this program; id of the learned model
	Workers        int
	Now            func() time.Time
	Progress       func(answers int) // called after every answer; may be nil
	Done           func()            // called after the last one; may be nil
}

// ErrLeftOut says that some lines of the log could not be read; each was reported.
var ErrLeftOut = errors.New("some lines could not be read")

// errFaultyLabels says that labels are faulty; each was reported with its place.
var errFaultyLabels = &console.InputError{Err: errors.New("the labels are faulty, nothing was written: correct them, or leave the faulty ones out with --skip-faulty")}

// Fit reads the labels, fits the calibration, says on w what changes, and writes the file if Out names one. What cannot be used
// is reported on errw with its place.
func Fit(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := o.checkOutputs(); err != nil {
		return &console.InputError{Err: err}
	}
	f := &fitRun{o: &o, errw: errw}
	if err := f.read(ctx); err != nil {
		return err
	}
	if len(f.rows) == 0 {
		return &console.InputError{Err: fmt.Errorf("no answer is labelled: %s", o.remedy())}
	}
	perDay := cmp.Or(o.PerDay, f.perDay)
	if o.Alerts > 0 && perDay == 0 {
		return console.InputErrorf("--alerts: the log does not say how many answers a day come, for want of times or of a long enough time: add --traffic, such as 2000/day")
	}
	file, report, err := tune.Fit(f.rows, tune.Options{
		Current: o.InForce, Policy: o.Policy, Answers: f.answers, PerDay: perDay, Alerts: o.Alerts,
		Fingerprint: f.prints.Fingerprint(), CreatedBy: "confab tune " + o.Version, Model: o.Model, Now: o.Now(),
	})
	if err != nil {
		return err
	}
	if o.Out != "" {
		if err := calibration.Save(o.Out, file); err != nil {
			return err
		}
	}
	p := &reportPrinter{o: &o, report: &report, perDay: perDay, limits: f.limits}
	if o.JSON {
		err = p.json(w)
	} else {
		err = p.print(w)
	}
	return errors.Join(err, f.log.leftOut())
}

// checkOutputs rejects files that cannot be written, and those that are read: a filled table may hold an hour of work.
func (o *Options) checkOutputs() error {
	read := slices.Clone(o.Labels)
	if o.Log != nil {
		read = append(read, o.Log.Path)
	}
	for _, out := range []string{o.Out, o.Rows} {
		if slices.ContainsFunc(read, func(path string) bool { return sameFile(path, out) }) {
			return fmt.Errorf("%s is read: write to another file", out)
		}
	}
	if o.Out != "" && filepath.Clean(o.Out) == filepath.Clean(o.Rows) {
		return fmt.Errorf("--out and --rows both name %s: write to two files", o.Out)
	}
	return files.CheckWritable(o.Out, o.Rows)
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, missing := os.Stat(b) //nolint:gosec // the user names it
	return err == nil && missing == nil && os.SameFile(one, other)
}

func (o *Options) remedy() string {
	switch {
	case o.Log != nil:
		return "write wrong or fine in the column verdict of " + o.Labels[0]
	case o.Topics != nil:
		return "label some with the buttons of alerts, on the page or with confab label, or set llm.judge and sampling, whose verdicts count too"
	}
	return "label rows with 1 for wrong, 0 for fine"
}

// fitRun is one run of Fit.
type fitRun struct {
	o    *Options
	errw io.Writer

	rows    []tune.Row
	answers []measure.Row // of the traffic
	perDay  float64       // answers; 0: unknown
	prints  measure.RowHashes
	limits  []string // what the labels cannot show
	log     survey
}

func (f *fitRun) read(ctx context.Context) error {
	switch {
	case f.o.Log != nil:
		if err := f.readVerdicts(ctx); err != nil {
			return err
		}
	case len(f.o.Labels) > 0:
		if err := f.readRows(ctx); err != nil {
			return err
		}
	}
	if f.o.Topics == nil {
		return nil
	}
	rows, notes, err := tuning.ReadRows(ctx, *f.o.Topics)
	if err != nil {
		return err
	}
	f.addRecorded(rows)
	f.prints.Add([]byte(notes.Fingerprint))
	f.limits = append(f.limits, notes.Limits...)
	if f.o.Log == nil {
		f.answers, f.perDay = notes.Answers, notes.PerDay
	}
	return nil
}

// addRecorded adds answers of the topics, but those that the table has too: the table is what people wrote last.
func (f *fitRun) addRecorded(rows []tune.Row) {
	said := map[string]bool{}
	for i := range f.rows {
		said[f.rows[i].Group] = f.o.Log != nil
	}
	both := 0
	for i := range rows {
		if said[rows[i].ID] {
			both++
			continue
		}
		f.rows = append(f.rows, rows[i])
	}
	f.reportCount(both, "answers are judged in the topics, too: their verdicts in the table count")
}

// readRows measures labelled rows.
func (f *fitRun) readRows(ctx context.Context) error {
	for _, path := range f.o.Labels {
		if tablefile.CheckName(path) == nil {
			return console.InputErrorf("%s is a table of verdicts, which needs the log that it is about: confab tune LOG --labels %s", path, path)
		}
	}
	labels, err := labelled.OpenLabels(f.o.Labels...)
	if err != nil {
		return &console.InputError{Err: fmt.Errorf("%w; a table of verdicts needs the log that it is about: confab tune LOG --labels FILE", err)}
	}
	defer labels.Close()
	labels.Line = f.prints.Add
	rows, problems, err := f.o.measure(ctx, labels)
	if err != nil {
		return err
	}
	for _, message := range problems.Messages() {
		fmt.Fprintf(f.errw, "labels: %s\n", message)
	}
	faulty := problems.LeftOut() + problems.Count(measure.NoText) + problems.Count(measure.BadLogprobs) + problems.Count(measure.UnknownFields)
	if faulty > 0 && !f.o.Lenient {
		return errFaultyLabels
	}
	for i := range rows {
		f.add(rows[i], rows[i].Positive)
	}
	return nil
}

// add adds an answer that a person labelled.
func (f *fitRun) add(r measure.Row, wrong bool) {
	row := tune.Row{Row: r, By: tune.Person}
	if row.Positive = wrong; wrong {
		row.Wrong = 1
	}
	f.rows = append(f.rows, row)
}
