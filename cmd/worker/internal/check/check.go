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

// Options configure Run.
type Options struct {
	Admit    func(in *schemas.Interaction, origin schemas.Origin) // sets what is missing: tenant, id
	Evaluate func(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag
	Now      func() time.Time
	Workers  int             // lines measured at once
	Read     LineDecoder     // decodes a line; nil reads interactions and labelled rows
	Progress func(lines int) // called after every line; may be nil
}

// LineDecoder decodes an interaction, whose strings may point into the line.
type LineDecoder func(line []byte, in *schemas.Interaction) error

// Result counts the lines.
type Result struct {
	Lines, Bad, Flagged, Alerts, Blocked int

	Skipped int // by the filter of the input
}

// Run reads interactions or labelled rows as JSON Lines and writes one flag per line, in input order, flags without a
// fired detector too. An unreadable line is reported with its number on errw and has no row in w. The error is about
// the input or output as a whole, never about a line.
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
		for range queue { // dispatch stops at the cancelled context and closes the queue
		}
	}
	return result, errors.Join(err, <-readErr)
}

// checkQueuePerWorker bounds the lines in memory, so that a slow line does not idle the other workers.
const checkQueuePerWorker = 16

// checkJob is one line; done is closed when out and err are set.
type checkJob struct {
	line   []byte
	number int
	done   chan struct{}
	out    []byte
	flag   schemas.Flag
	err    error
}

type lineChecker struct{ Options }

// dispatch reads the lines and queues each for a worker and for collect, which keeps the input order.
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
