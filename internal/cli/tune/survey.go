package tune

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/schemas"
)

// survey is the log, measured.
type survey struct {
	rows   []measure.Row // their groups are the incidents of the answers
	unread int           // lines
	perDay float64       // answers a day; 0: unknown
}

// survey measures the answers of the log. seen is called with each of them, before it is measured. What is left out is reported on
// errw.
func (o *Options) survey(ctx context.Context, errw io.Writer, seen func(in *schemas.Interaction)) (*survey, error) {
	s := &survey{}
	var faults []string
	lines := &logLines{seen: seen}
	next, stop := iter.Pull(func(yield func(*labelled.InteractionLine) bool) {
		_, faults, lines.err = o.Log.EachLine(func(l *labelled.InteractionLine) error {
			if !yield(l) {
				return context.Canceled
			}
			return ctx.Err()
		})
	})
	defer stop()
	lines.next = next
	rows, problems, err := o.measure(ctx, lines)
	if err != nil {
		if ctx.Err() == nil {
			err = &console.InputError{Err: err}
		}
		return nil, err
	}
	s.rows, s.unread = rows, len(faults)
	if o.Log.Hint != "" {
		fmt.Fprintf(errw, "hint: %s\n", console.Sanitize(o.Log.Hint))
	}
	console.PrintFaults(errw, faults, 3)
	if n := problems.Count(measure.Repeated); n > 0 {
		fmt.Fprintf(errw, "%d lines repeat an answer under the same id: each answer counts once\n", n)
	}
	if n := lines.labelled; n > 0 {
		fmt.Fprintf(errw, "%d lines hold labels of their own, which are not used: confab tune --labels %s reads them\n", n, o.Log.Path)
	}
	if len(rows) == 0 {
		return nil, console.InputErrorf("%s: no interaction can be read: %s says why", o.Log.Path, o.Check)
	}
	if span := lines.newest.Sub(lines.oldest); span > time.Hour {
		s.perDay = float64(len(rows)) / (span.Hours() / 24)
	}
	return s, nil
}

func (s *survey) leftOut() error {
	if s.unread > 0 {
		return fmt.Errorf("%w: %d", ErrLeftOut, s.unread)
	}
	return nil
}

// measure measures rows by the evaluator.
func (o *Options) measure(ctx context.Context, labels measure.Labels) ([]measure.Row, measure.RowErrors, error) {
	rows, problems, err := measure.Rows(ctx, o.Evaluator.Suite, labels, measure.Options{
		Workers: o.Workers, Progress: o.Progress,
		Evaluate: func(ctx context.Context, in *schemas.Interaction) *detectors.Evaluation {
			return o.Evaluator.Measure(ctx, in, o.Now())
		},
	})
	if o.Done != nil {
		o.Done()
	}
	return rows, problems, err
}

// logLines gives the answers of a log to measure.Rows, as if they were labelled.
type logLines struct {
	next           func() (*labelled.InteractionLine, bool)
	seen           func(in *schemas.Interaction)
	err            error // of the log as a whole
	place          string
	oldest, newest time.Time
	labelled       int // lines with a label of their own
}

// Next implements [measure.Labels].
func (l *logLines) Next(row *schemas.Labelled) error {
	line, ok := l.next()
	switch {
	case l.err != nil:
		return l.err
	case !ok:
		return io.EOF
	}
	*row, l.place = line.Row, line.Place
	if row.Labelled {
		l.labelled++
	}
	in := &row.Interaction
	row.Labelled, row.Label, row.Weight, row.Group = true, 0, 0, in.EventID().IncidentID()
	if at := in.OccurredAt; !at.IsZero() {
		if l.oldest.IsZero() || at.Before(l.oldest) {
			l.oldest = at
		}
		if at.After(l.newest) {
			l.newest = at
		}
	}
	l.seen(in)
	return nil
}

// Place implements [measure.Labels].
func (l *logLines) Place() string { return l.place }
