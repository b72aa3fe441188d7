package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"confab/internal/cli/mapping"
	"confab/internal/redact"
	"confab/internal/rowview"
	"confab/internal/text"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/otlp"
)

// fileTopic is the topic of the origin of a line; the offset is its number.
const fileTopic = "file"

// measure sets the job's results or error. The row's strings may point into the job's line.
func (c *lineChecker) measure(ctx context.Context, job *checkJob, row *schemas.Labelled) {
	in := &row.Interaction
	if job.in != nil {
		in = job.in
	} else {
		job.unread = recordshape.UnreadSpans(job.line)
		if job.err = c.read(job.line, row); job.err != nil {
			return
		}
	}
	origin := schemas.Origin{Topic: fileTopic, Offset: int64(job.number), Index: job.index}
	c.Admit(in, origin)
	job.flag = c.Evaluate(ctx, in, origin, c.Now())
	if c.Hints {
		job.hinted = keepHints(&job.flag)
	}
	job.searched, job.sourced = in.PromptSources()
	job.calls, job.timed = len(in.Calls) > 0, !in.OccurredAt.IsZero()
	job.unknown, job.malformed = unknownNames(in), malformedNames(in)
	job.time = redact.Excerpt(c.Redactor.Redact(in.UnreadTime), maxFieldName)
	rank := rowview.RankOf(&job.flag)
	job.class = rank.Class
	if c.NoAlert != nil {
		job.noAlert = c.NoAlert(&job.flag)
	}
	if !c.Only.selects(rank.Class) {
		return
	}
	rewritten := c.rewrite(ctx, in, &job.flag)
	if rewritten != nil {
		job.rewritten = rewriteOutcome(rewritten)
	}
	if c.Show != nil || c.Worst != nil && c.Worst.Wants(rank) {
		job.row = rowview.New(in, &job.flag, c.Redactor)
		job.row.Rewrite, job.row.NoAlert = rewritten, job.noAlert
	}
	if c.flags == nil {
		return
	}
	if job.out, job.err = json.AppendFlag(nil, &job.flag); job.err == nil {
		job.out, job.err = appendRewrite(job.out, rewritten)
		job.out = append(job.out, '\n')
	}
}

// keepHints leaves the evidence of clear signals to quiet answers, of signals that reach half of their threshold.
func keepHints(f *schemas.Flag) (kept bool) {
	for i := range f.Signals {
		s := &f.Signals[i]
		if s.Outcome == schemas.Clear && (len(f.Fired) > 0 || 2*s.Score < s.Threshold) {
			s.Evidence = nil
		}
		kept = kept || len(s.Evidence) > 0
	}
	return kept && len(f.Fired) == 0
}

func unknownNames(in *schemas.Interaction) (names []string) {
	for _, n := range in.UnknownNames {
		short, _ := text.Cut(n, maxFieldName)
		names = append(names, strings.Clone(short))
	}
	if len(names) == 0 && in.UnknownFields > 0 {
		names = append(names, unnamedField)
	}
	return names
}

// malformedNames leaves out a time that was read.
func malformedNames(in *schemas.Interaction) []string {
	return slices.DeleteFunc(slices.Clone(in.Malformed), func(name string) bool { return name == timeField && !in.OccurredAt.IsZero() })
}

// maxFieldName bounds the bytes of a field's name in the summary.
const maxFieldName = 60

// unnamedField counts the records whose unknown fields have no name.
const unnamedField = "(not named)"

func (c *lineChecker) read(line []byte, row *schemas.Labelled) error {
	if c.Read == nil {
		return recordshape.DecodeLabelled(line, row)
	}
	*row = schemas.Labelled{} // earlier flags may point into the old values
	return c.Read(line, &row.Interaction)
}

func (c *lineChecker) collect(queue <-chan *checkJob) error {
	for job := range queue {
		<-job.done
		c.result.Lines++
		if c.Progress != nil {
			c.Progress(c.result.Lines)
		}
		c.result.UnreadSpans += job.unread
		if errors.Is(job.err, json.ErrSkipped) {
			c.skip(job)
			continue
		}
		if job.err != nil {
			c.result.Bad++
			if err := c.messages.Report(job.number, job.line, job.err); err != nil {
				return err
			}
			continue
		}
		c.result.count(job)
		if job.class == rowview.Unchecked && c.Read == nil && job.in == nil && !c.result.hinted { // a map reads the shape already
			c.result.uncheckedHint, c.result.hinted = mapping.UncheckedHint(job.line, c.fileName()), true
		}
		if err := c.emit(job); err != nil {
			return err
		}
	}
	return nil
}

// skip counts a line that holds no answer by its nature.
func (c *lineChecker) skip(job *checkJob) {
	if c.result.Skipped++; c.skipped == nil {
		c.skipped = job.line
	}
	if spans, ok := errors.AsType[*otlp.NoAnswerError](job.err); ok {
		c.result.spanKeys.add(spans.Keys...)
	}
}

// emit hands a measured line to those who want it.
func (c *lineChecker) emit(job *checkJob) error {
	if !c.Only.selects(job.class) {
		return nil
	}
	if c.flags != nil {
		if _, err := c.flags.Write(job.out); err != nil {
			return fmt.Errorf("write flags: %w", err)
		}
	}
	if c.Worst != nil {
		c.Worst.Add(job.row)
	}
	if c.Show != nil {
		return c.Show(job.row)
	}
	return nil
}
