package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"confab/internal/cli/mapping"
	"confab/internal/files"
	"confab/internal/redact"
	"confab/internal/rowview"
	"confab/internal/worker/coverage"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
)

// Options configure Run.
type Options struct {
	Admit    func(in *schemas.Interaction, origin schemas.Origin) // sets what is missing: tenant, id
	Evaluate func(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag
	NoAlert  func(f *schemas.Flag) string // why it is no alert although a detector fired; "" otherwise
	Now      func() time.Time
	Workers  int                                // lines measured at once
	Read     LineDecoder                        // decodes a line; nil reads interactions and labelled rows
	Expand   LineExpander                       // decodes a line of spans; nil: none is expected
	Spans    bool                               // every line is expanded; else they are if Read is nil and the first line looks like it
	Parts    func(line []byte) recordshape.Part // which records belong together; nil: by the shape of the first
	TimeAt   string                             // the place of the time in the map that Read uses, "" for none
	Preset   string                             // that Read uses, so that no hint names it; "" for none
	Progress func(lines int)                    // called after every line; may be nil

	Rewriting *Rewriting       // nil: answers are not rewritten
	Redactor  *redact.Redactor // of what is shown; nil: the built-in patterns

	Name  string                       // of the input, in messages
	Only  Selection                    // the flags to write, show and keep; SelectAll when empty
	Show  func(row *rowview.Row) error // called for each selected row, in input order; may be nil
	Worst *rowview.Worst               // keeps the worst selected rows; may be nil

	Hints  bool           // flags have the evidence of clear signals, of which quiet answers near a threshold keep some
	Unread *UnreadReplies // of language models, which the summary quotes; may be nil
}

// LineDecoder decodes an interaction, whose strings may point into the line.
type LineDecoder func(line []byte, in *schemas.Interaction) error

// LineExpander gives each interaction of a line to a function, with its place in the line or the reason why it cannot be
// read. Interactions may point into the line. The error concerns the whole line.
type LineExpander func(line []byte, each func(in *schemas.Interaction, index int, err error)) error

// Selection is a choice of flags.
type Selection string

// The selections.
const (
	SelectAll     Selection = "all"
	SelectFlagged Selection = "flagged" // a detector fired
	SelectAlerts  Selection = "alerts"  // the alert rule holds
)

// parseSelection returns the selection of that name.
func parseSelection(name string) (Selection, error) {
	switch s := Selection(name); s {
	case SelectAll, SelectFlagged, SelectAlerts:
		return s, nil
	}
	return "", fmt.Errorf("%q: expected all, flagged or alerts", name)
}

func (s Selection) selects(c rowview.Class) bool {
	switch s {
	case SelectFlagged:
		return c >= rowview.Flagged
	case SelectAlerts:
		return c == rowview.Alerting
	default:
		return true
	}
}

// Run reads interactions or labelled rows as JSON Lines and writes one flag per line, in input order, flags without a
// fired detector too; a nil w gets none. An unreadable line is reported with its number on errw and has no row in w. The
// error is about the input or output as a whole, never about a line.
func Run(ctx context.Context, r io.Reader, w, errw io.Writer, o Options) (Result, error) {
	lines, err := recordshape.NewRecords(r, json.MaxLabelledBytes, o.fileName(), o.Parts)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.Spans = o.readsSpans(lines.Head()); o.Spans {
		lines = recordshape.Traces(lines)
	}
	c := &lineChecker{Options: o, flags: w, messages: recordshape.NewBadLines(errw, lines.IsTable(), o.hint), result: Result{preset: o.Preset, timeAt: o.TimeAt}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan *checkJob, max(1, o.Workers)*checkQueuePerWorker)
	readErr := make(chan error, 1)
	go func() { readErr <- c.dispatch(ctx, lines, queue) }()
	err = c.collect(queue)
	if err != nil {
		cancel()
		for range queue { // dispatch stops at the cancelled context and closes the queue
		}
	}
	err = errors.Join(err, <-readErr)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%s is cut off: fetch or compress it again: %w", o.Name, err)
	case err == nil && c.result.Lines == 0:
		err = fmt.Errorf("no interactions in %s", o.Name)
	case err == nil && c.result.Lines == c.result.Skipped:
		err = fmt.Errorf("no interactions in %s: %s", o.Name, o.describeSkipped(c.skipped, &c.result))
	}
	return c.result, errors.Join(err, c.messages.End())
}

// hint is what a person may do about a line that cannot be read.
func (o *Options) hint(line []byte, fault error) string {
	if bad, ok := errors.AsType[*scan.Error](fault); ok && bad.Reason == otlp.ReasonBadAnswer {
		return "an answer is broken JSON: " + coverage.CutOffRemedy
	}
	return mapping.Hint(line, fault, o.fileName())
}

// readsSpans reports whether lines are expanded, by the first of them.
func (o *Options) readsSpans(head []byte) bool {
	return o.Expand != nil && (o.Spans || o.Read == nil && recordshape.IsSpans(head))
}

func (o *Options) describeSkipped(first []byte, r *Result) string {
	n := r.Skipped
	all := fmt.Sprintf("all %d records", n)
	if n == 1 {
		all = "the only record"
	}
	if o.Spans {
		return "no span with an answer is known in " + all + describeKeys(r.spanKeys)
	}
	if row, ok := recordshape.Recognise(first); ok && o.Read == nil {
		return cmp.Or(row.Skip, "no record of the shape "+row.Name+" has an answer: they are failed calls, or events of another kind")
	}
	return "where, of the map or of the preset, skips " + all + ": they hold no answer, or where is wrong (docs/existing-topics.md)"
}

// fileName is the input as commands in messages name it.
func (o *Options) fileName() string {
	return cmp.Or(strings.TrimPrefix(o.Name, standardInput), "FILE")
}

// standardInput is the name of standard input in messages.
const standardInput = "standard input"

// checkQueuePerWorker bounds the lines in memory, so that a slow line does not idle the other workers.
const checkQueuePerWorker = 16

// checkJob is one line; done is closed when the rest is set.
type checkJob struct {
	line      []byte
	number    int
	in        *schemas.Interaction // of a line of spans; nil: it is the line's
	index     int                  // in a line of spans, or of several objects
	done      chan struct{}
	out       []byte
	flag      schemas.Flag
	class     rowview.Class
	noAlert   string
	row       *rowview.Row // nil if no one wants it
	rewritten string       // what became of the answer, for the summary; "" if that was not asked
	unknown   []string     // unknown fields
	malformed []string
	time      string // without a zone, or that cannot be read
	timed     bool   // the answer has a time
	searched  bool   // the messages, for sources
	sourced   bool   // they hold some
	calls     bool   // of tools
	hinted    bool   // the flag has weak hints
	unread    int    // spans
	err       error
}

// lineChecker evaluates the lines of one input.
type lineChecker struct {
	Options

	flags    io.Writer // nil for none
	messages *recordshape.BadLines
	result   Result
	skipped  []byte // the first line that was skipped
}

// dispatch reads the lines and queues each for a worker and for collect, which keeps the input order.
func (c *lineChecker) dispatch(ctx context.Context, lines *files.Lines, queue chan<- *checkJob) error {
	work := make(chan *checkJob)
	workers := max(1, c.Workers)
	finished := make(chan struct{}, workers) // a worker that panics waits for nobody
	for range workers {
		go func() {
			defer func() { finished <- struct{}{} }()
			row := new(schemas.Labelled)
			for job := range work {
				c.measure(ctx, job, row)
				close(job.done)
			}
		}()
	}
	defer func() {
		close(work)
		for range workers {
			<-finished
		}
		close(queue)
	}()
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		job := &checkJob{number: lines.Number(), done: make(chan struct{})}
		switch {
		case errors.Is(err, files.ErrTooLong):
			job.err = fmt.Errorf("%w: more than %d bytes", err, json.MaxLabelledBytes)
		case err != nil:
			return err
		default:
			job.line = append([]byte(nil), line...)
		}
		for _, job := range c.expand(job) {
			if err := enqueue(ctx, job, queue, work); err != nil {
				return err
			}
		}
	}
}

// enqueue queues a job for collect, and for a worker unless it has failed already.
func enqueue(ctx context.Context, job *checkJob, queue, work chan<- *checkJob) error {
	select {
	case queue <- job:
	case <-ctx.Done():
		return ctx.Err()
	}
	if job.err == nil {
		work <- job
	} else {
		close(job.done)
	}
	return nil
}

// expand returns the jobs of a line: itself, or one for each interaction of a line of spans, or for each object of a line that
// holds several.
func (c *lineChecker) expand(line *checkJob) (jobs []*checkJob) {
	switch {
	case line.err != nil:
		return []*checkJob{line}
	case !c.Spans:
		return line.split()
	}
	line.err = c.Expand(line.line, func(in *schemas.Interaction, index int, err error) {
		jobs = append(jobs, &checkJob{number: line.number, in: in, index: index, err: err, done: make(chan struct{})})
	})
	if line.err != nil {
		return []*checkJob{line}
	}
	return jobs
}

// split returns one job for each object of a line, or the line itself where it holds none. A stream is one response.
func (j *checkJob) split() []*checkJob {
	holds := func(text string) bool { return bytes.Contains(j.line, []byte(text)) }
	if llmapi.IsTranscript(j.line) {
		j.line, j.err = llmapi.Assemble(j.line)
		return []*checkJob{j}
	}
	if j.line[0] == '{' && !holds("}{") && !holds("} {") && !holds("NaN") && !holds("Infinity") {
		return []*checkJob{j}
	}
	parts, err := json.Values(j.line)
	if err != nil || len(parts) < 2 {
		if j.err = err; len(parts) > 0 {
			j.line = parts[0]
		}
		return []*checkJob{j}
	}
	jobs := make([]*checkJob, len(parts))
	for i, part := range parts {
		jobs[i] = &checkJob{line: part, number: j.number, index: i, done: make(chan struct{})}
	}
	return jobs
}
