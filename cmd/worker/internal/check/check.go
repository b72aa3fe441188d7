package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"confab/internal/jsonl"
	"confab/schemas"
	"confab/schemas/json"
)

// Options say how Check measures.
type Options struct {
	Admit    func(in *schemas.Interaction, origin schemas.Origin) // gives it what it lacks: a tenant, an id
	Evaluate func(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag
	Now      func() time.Time
	Workers  int             // lines measured at once
	Read     LineDecoder     // of a line; nil reads interactions and labelled rows
	Progress func(lines int) // told after every line; nil is nobody
}

// LineDecoder reads one line as an interaction, whose strings may point into the line.
type LineDecoder func(line []byte, in *schemas.Interaction) error

// Result is what became of the lines.
type Result struct {
	Lines, Bad, Flagged, Alerts, Blocked int
}

// Run reads interactions or labelled rows as JSON Lines and writes one flag per line, in input order, quiet ones too.
// A line that cannot be read gets a message with its number on errw and no row in w; the rest is measured. The error is
// about the input or output as a whole, never about a line.
func Run(ctx context.Context, r io.Reader, w, errw io.Writer, o Options) (Result, error) {
	lines, err := jsonl.NewReader(r, json.MaxLabelledBytes)
	if err != nil {
		return Result{}, err
	}
	c := &lineChecker{o}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan *checkJob, max(1, o.Workers)*checkQueuePerWorker)
	readErr := make(chan error, 1)
	go func() { readErr <- c.dispatch(ctx, lines, queue) }()
	result, err := c.collect(queue, w, errw)
	if err != nil {
		cancel()
		for range queue { // the dispatcher stops at the cancelled context and closes the queue
		}
	}
	return result, errors.Join(err, <-readErr)
}

// checkQueuePerWorker bounds the lines in memory: enough that one slow line does not idle the other workers.
const checkQueuePerWorker = 16

// checkJob is one line on its way through a worker; done is closed when out and err are set.
type checkJob struct {
	line   []byte
	number int
	done   chan struct{}
	out    []byte
	flag   schemas.Flag
	err    error
}

type lineChecker struct{ Options }

// dispatch reads the lines and hands each to a worker while it queues it for collect, which keeps the input order.
func (c *lineChecker) dispatch(ctx context.Context, lines *jsonl.Reader, queue chan<- *checkJob) error {
	work := make(chan *checkJob)
	finished := make(chan struct{})
	workers := max(1, c.Workers)
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
		case errors.Is(err, jsonl.ErrTooLong):
			job.err = fmt.Errorf("%w: more than %d bytes", err, json.MaxLabelledBytes)
		case err != nil:
			return err
		default:
			job.line = append([]byte(nil), line...)
		}
		select {
		case queue <- job:
		case <-ctx.Done():
			return ctx.Err()
		}
		if job.err != nil {
			close(job.done)
			continue
		}
		work <- job
	}
}
