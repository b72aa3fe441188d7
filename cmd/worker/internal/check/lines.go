package check

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confab/schemas"
	"confab/schemas/json"
)

// fileTopic is the topic of the origin of a line; the offset is its number.
const fileTopic = "file"

// measure sets the job's row or error. The row's strings may point into the job's line.
func (c *lineChecker) measure(ctx context.Context, job *checkJob, row *schemas.Labelled) {
	in := &row.Interaction
	if job.err = c.read(job.line, row); job.err != nil {
		return
	}
	origin := schemas.Origin{Topic: fileTopic, Offset: int64(job.number)}
	c.Admit(in, origin)
	job.flag = c.Evaluate(ctx, in, origin, c.Now())
	if job.out, job.err = json.AppendFlag(nil, &job.flag); job.err == nil {
		job.out = append(job.out, '\n')
	}
}

func (c *lineChecker) read(line []byte, row *schemas.Labelled) error {
	if c.Read == nil {
		return json.DecodeLabelled(line, row)
	}
	*row = schemas.Labelled{} // earlier flags may point into the old values
	return c.Read(line, &row.Interaction)
}

func (c *lineChecker) collect(queue <-chan *checkJob, w, errw io.Writer) (Result, error) {
	var res Result
	for job := range queue {
		<-job.done
		res.Lines++
		if c.Progress != nil {
			c.Progress(res.Lines)
		}
		if errors.Is(job.err, json.ErrSkipped) {
			res.Skipped++
			continue
		}
		if job.err != nil {
			res.Bad++
			if _, err := fmt.Fprintf(errw, "line %d: %v\n", job.number, job.err); err != nil {
				return res, fmt.Errorf("write message: %w", err)
			}
			continue
		}
		if _, err := w.Write(job.out); err != nil {
			return res, fmt.Errorf("write flags: %w", err)
		}
		res.count(&job.flag)
	}
	return res, nil
}

func (r *Result) count(f *schemas.Flag) {
	if len(f.Fired) > 0 {
		r.Flagged++
	}
	if f.Alert {
		r.Alerts++
	}
	if f.Recommendation == schemas.Block {
		r.Blocked++
	}
}

// Err returns an error unless every line was measured.
func (r Result) Err() error {
	if r.Bad == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d", ErrBadLines, r.Bad, r.Lines)
}

// ErrBadLines says that some lines could not be read; each was reported with its number.
var ErrBadLines = errors.New("some lines could not be read")
