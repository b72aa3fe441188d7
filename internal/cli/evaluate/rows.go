package evaluate

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"

	"confab/calibration/measure"
	"confab/calibration/rowresults"
	"confab/internal/files"
	"confab/internal/tablefile"
	"confab/schemas"
)

// RowOptions say what is written about single rows.
type RowOptions struct {
	File  string                // a table with a line for each row; empty for none
	Texts bool                  // the table and the page hold question, answer and sources
	Stamp func(f *schemas.Flag) // sets alert and recommendation
	// Reopen returns the labels again, from their start; it is used for texts.
	Reopen func() (labels measure.Labels, done func(), err error)
}

// worstShown is the number of false alarms and of misses on the page.
const worstShown = 20

// errLabelsChanged says that the second reading differs from the first.
var errLabelsChanged = errors.New("the labels changed while they were read: run the command again")

// singleRows are the results of single rows.
type singleRows struct {
	o       *Options
	results []rowresults.Result
	worst   rowresults.Worst
	texts   map[int]*rowresults.Text // of the worst
}

// judgeRows judges each row as the tables do.
func (o *Options) judgeRows(rows []measure.Row, judge measure.Calibrated) *singleRows {
	s := &singleRows{o: o, results: rowresults.JudgeRows(rows, rowresults.Judge{Calibration: judge, Stamp: o.Rows.Stamp})}
	s.worst = rowresults.FindWorst(s.results, worstShown)
	return s
}

// write writes the table, atomically.
func (s *singleRows) write(ctx context.Context) error {
	if s.o.Rows.File == "" && !s.wantsTexts() {
		return nil
	}
	if s.o.Rows.File == "" {
		return s.readTexts(ctx, func(int, *schemas.Interaction) error { return nil })
	}
	format, err := tablefile.FormatOf(s.o.Rows.File)
	if err != nil {
		return err
	}
	_, err = files.WriteAtomic(s.o.Rows.File, func(w io.Writer) error { return s.writeTable(ctx, w, format) })
	return err
}

func (s *singleRows) writeTable(ctx context.Context, w io.Writer, format tablefile.Format) error {
	names := rowresults.Detectors(s.results)
	table, err := tablefile.NewWriter(w, format, rowresults.Columns(names, s.o.Rows.Texts))
	if err != nil {
		return err
	}
	line := func(i int, in *schemas.Interaction) error {
		return rowresults.WriteResult(table, &s.results[i], names, in)
	}
	if s.o.Rows.Texts {
		err = s.readTexts(ctx, line)
	} else {
		for i := range s.results {
			err = errors.Join(err, line(i, nil))
		}
	}
	if err := errors.Join(err, table.Flush()); err != nil {
		return fmt.Errorf("write the rows: %w", err)
	}
	return nil
}

func (s *singleRows) wantsTexts() bool { return s.o.Rows.Texts && s.o.Page != "" }

// readTexts reads the labels again, calls line with each interaction and keeps the texts of the worst.
func (s *singleRows) readTexts(ctx context.Context, line func(int, *schemas.Interaction) error) error {
	wanted := map[int]bool{}
	if s.wantsTexts() {
		for _, list := range [][]*rowresults.Result{s.worst.FalseAlarms, s.worst.Misses} {
			for _, r := range list {
				wanted[r.Index] = true
			}
		}
	}
	labels, done, err := s.o.Rows.Reopen()
	if err != nil {
		return err
	}
	defer done()
	s.texts = map[int]*rowresults.Text{}
	read := 0
	_, err = measure.EachLabelled(labels, func(i int, row *schemas.Labelled) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if read++; i >= len(s.results) || s.results[i].Row.ID != row.Interaction.ID {
			return errLabelsChanged
		}
		if wanted[i] {
			e := s.o.Suite.Evaluate(ctx, &row.Interaction)
			s.texts[i] = rowresults.NewText(row, e.Readings())
			e.Release()
		}
		return line(i, &row.Interaction)
	})
	if err == nil && read != len(s.results) {
		err = errLabelsChanged
	}
	return err
}

// section is the part of the page with the worst answers.
func (s *singleRows) section() (template.HTML, error) {
	note := "With --texts this page shows the answers, with their marked places."
	switch {
	case s.o.Rows.Texts && s.o.Cross != nil:
		note = "Figures and outcomes are those of the held-out folds; the marked places are those of the configured model."
	case s.o.Rows.Texts:
		note = ""
	}
	return s.worst.HTML(s.texts, note)
}
