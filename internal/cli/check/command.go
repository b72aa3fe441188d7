package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"confab/detectors/confidence"
	"confab/detectors/rewrite"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/rowview"
	"confab/schemas"
)

// Rows that are kept and shown.
const (
	terminalRows = 100
	reportRows   = 1000
)

// Flags are the flags of the command line about the output.
type Flags struct {
	JSON   bool   // write JSON Lines on a terminal, too
	Only   string // all, flagged or alerts
	Report string // path of the HTML report; empty for none

	Rewrite string // remove, hedge or annotate; empty: answers are not rewritten
	Explain bool   // show what was compared for quiet detectors, too
}

// NewCommand makes the run that the command line describes. out is a terminal or not. The caller sets what is missing: Admit,
// Evaluate, Now and Clock. An error is about the command line.
func NewCommand(f Flags, args []string, out io.Writer, terminal bool) (*Command, error) {
	c := &Command{Report: f.Report, Streams: len(args) == 0 || args[0] == "-", Rows: (terminal || f.Report != "") && !f.JSON}
	c.Printer = console.FlagPrinter{W: out, Color: terminal}
	c.Workers, c.Name = runtime.GOMAXPROCS(0), standardInput
	if !c.Streams {
		c.Name = args[0]
	}
	c.Hints = c.Rows && !f.Explain
	c.hidesQuiet = c.Hints && f.Only+f.Report+f.Rewrite == ""
	var err error
	if c.Only, err = parseSelection(cmp.Or(f.Only, string(SelectAll))); err != nil {
		return nil, fmt.Errorf("--only %w", err)
	}
	if f.Rewrite != "" {
		c.Rewriting = &Rewriting{EmptyAnswer: func(string) string { return "" }}
		if c.Rewriting.Mode, err = rewrite.ParseMode(f.Rewrite); err != nil {
			return nil, fmt.Errorf("--rewrite %w", err)
		}
		if f.Report != "" {
			return nil, errors.New("--rewrite: the report does not show rewritten answers; leave out --report")
		}
	}
	if err := checkReport(f.Report, c.Name); err != nil {
		return nil, fmt.Errorf("--report: %w", err)
	}
	return c, nil
}

// Command is one run of confab check.
type Command struct {
	Options

	Clock      func() time.Time    // measures the time taken
	Rows       bool                // show rows to a person instead of writing JSON
	Streams    bool                // show rows as they are read, in input order, instead of the worst ones at the end
	Printer    console.FlagPrinter // of the rows
	Report     string              // path of the HTML report; empty for none
	Set        map[string]float64  // thresholds of the configuration, by detector
	Finish     func()              // called when all lines were read; may be nil
	hidesQuiet bool                // quiet rows are not shown, since nobody asked for them
}

// Run evaluates in and writes flags or rows to out, the report, and messages and a summary to errw.
func (c *Command) Run(ctx context.Context, in io.Reader, out, errw io.Writer) (Result, error) {
	began := c.Clock()
	c.prepare()
	if c.Rows {
		out = nil
	}
	res, err := Run(ctx, in, out, errw, c.Options)
	if c.Finish != nil {
		c.Finish()
	}
	if partial := errors.Is(err, io.ErrUnexpectedEOF) || res.Lines > 0 && res.Lines == res.Skipped; err != nil && !partial {
		return res, err
	}
	return res, errors.Join(err, c.writeResult(&res, began, errw))
}

// Learn reads in once to learn which token uncertainty is usual for its answers, before Run reads it to judge them. What
// cannot be read is for Run to report.
func (c *Command) Learn(ctx context.Context, in io.Reader) *confidence.Live {
	live := confidence.NewFileLive()
	o := Options{Admit: c.Admit, Read: c.Read, Expand: c.Expand, Spans: c.Spans, Parts: c.Parts, Name: c.Name, Now: c.Now, Workers: 1}
	o.Evaluate = func(_ context.Context, answer *schemas.Interaction, _ schemas.Origin, _ time.Time) (none schemas.Flag) {
		live.LearnAnswer(answer)
		return none
	}
	_, _ = Run(ctx, in, nil, io.Discard, o)
	live.Freeze()
	return live
}

// writeResult shows the rows that were kept and the summary.
func (c *Command) writeResult(res *Result, began time.Time, errw io.Writer) (err error) {
	if c.Rows && c.Report == "" && !c.Streams {
		err = c.printWorst()
	}
	if n := res.Measured() - res.Flagged; c.hidesQuiet && n > 0 {
		err = errors.Join(err, c.Printer.Write(console.CountOf(n, "answer")+" without a flag: --only all lists them\n"))
	}
	if err == nil && c.Report != "" && res.Measured() > 0 { // an older report stays
		err = c.writeReport(res, errw)
	}
	if c.Unread != nil {
		res.began = c.Unread.began
	}
	res.set = c.Set
	res.Elapsed = c.Clock().Sub(began)
	return errors.Join(err, res.WriteSummary(errw, c.fileName()))
}

// ProgressTo is where progress may be shown: w, or nowhere if it would be mixed with rows.
func (c *Command) ProgressTo(w io.Writer) io.Writer {
	if c.Rows && c.Streams && c.Report == "" {
		return io.Discard
	}
	return w
}

// checkReport returns an error for a report that cannot be written to path, or that would replace the input.
func checkReport(path, input string) error {
	if path == "" {
		return nil
	}
	if path == "-" {
		return errors.New("the report is a page for a browser: name a file, such as report.html")
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(input)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return fmt.Errorf("%s is the input: name another file", path)
	}
	return files.CheckWritable(path)
}

// prepare decides which rows are kept or shown.
func (c *Command) prepare() {
	if c.hidesQuiet {
		c.Only = SelectFlagged
	}
	switch {
	case c.Report != "":
		c.Worst = rowview.NewWorst(reportRows)
	case c.Rows && c.Streams:
		c.Show = c.Printer.Row
	case c.Rows:
		c.Worst = rowview.NewWorst(terminalRows)
	}
}

// printWorst prints the rows kept, worst first, and how many there are more.
func (c *Command) printWorst() error {
	rows, total := c.Worst.Rows()
	for _, r := range rows {
		if err := c.Printer.Row(r); err != nil {
			return err
		}
	}
	if more := total - len(rows); more > 0 {
		return c.Printer.Write(fmt.Sprintf("… and %s: --report FILE.html shows the worst %d, --json all\n", console.CountOf(more, "more answer"), reportRows))
	}
	return nil
}

func (c *Command) writeReport(res *Result, errw io.Writer) error {
	rows, total := c.Worst.Rows()
	page := Page{
		Name: c.Name, At: c.Now(), Only: string(c.Only), Rows: rows, Total: total,
		Read: res.Lines, Answers: res.Measured(), Bad: res.Bad, Flagged: res.Flagged, Alerts: res.Alerts, Unchecked: res.Unchecked,
	}
	for i := range res.Detectors {
		d := &res.Detectors[i]
		page.Detectors = append(page.Detectors, DetectorRow{Name: d.Detector, Outcomes: d.Outcomes, Why: d.Reasons.list(d.Reasons.top())})
	}
	shown := 0
	size, err := files.WriteAtomic(c.Report, func(w io.Writer) (err error) {
		shown, err = Write(w, &page)
		return err
	})
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return console.Printf(errw, "report: %s, %d of %s, %s\n", c.Report, shown, console.CountOf(total, "answer"), formatSize(size))
}

func formatSize(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
