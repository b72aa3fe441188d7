package redaction

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confab/internal/console"
	"confab/internal/redact"
)

// Options configure Run.
type Options struct {
	File     string
	Format   string // table, markdown or json
	Texts    bool   // print what was missed, and what else was replaced
	Redactor *redact.Redactor
}

// ErrLeftOut says that some rows were unusable; each was reported.
var ErrLeftOut = errors.New("some labelled texts were left out")

// Run measures a redactor on a file of labelled texts, and prints a report to w and unusable rows to errw.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	printers := map[string]func(io.Writer, *Report) error{"table": PrintReport, "markdown": PrintMarkdown, "json": PrintJSON}
	printIt := printers[o.Format]
	if printIt == nil {
		return &console.InputError{Err: fmt.Errorf("--format %s: expected table, markdown or json with --redaction", o.Format)}
	}
	report, err := MeasureFile(ctx, o.File, o.Redactor, o.Texts)
	if err != nil {
		return &console.InputError{Err: fmt.Errorf("--redaction: %w", err)}
	}
	for _, fault := range report.Faults {
		fmt.Fprintln(errw, console.Sanitize(fault))
	}
	if report.Rows == 0 {
		return &console.InputError{Err: fmt.Errorf("--redaction: %s has no labelled text", o.File)}
	}
	if err := printIt(w, report); err != nil {
		return err
	}
	if n := report.LeftOut; n > 0 {
		return fmt.Errorf("%w: %d of %d", ErrLeftOut, n, n+report.Rows)
	}
	return nil
}
