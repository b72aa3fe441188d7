package produce

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/time/rate"

	"confab/internal/cli/mapping"
	"confab/internal/files"
	"confab/internal/kafka"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// Options say where interactions go and how fast.
type Options struct {
	Producer *kafka.Producer
	Topic    string
	Name     string                                                    // of the file, for messages
	Rate     float64                                                   // records per second; 0 is unlimited
	Raw      bool                                                      // write each line without decoding it
	Reads    func(line []byte) bool                                    // the topic's input reads the line as it is; may be nil
	Decode   func(line []byte, row *schemas.Labelled) error            // nil reads interactions, labelled rows and known shapes
	Parts    func(line []byte) recordshape.Part                        // which records belong together; nil: by the shape of the first
	Encode   func(dst []byte, in *schemas.Interaction) ([]byte, error) // nil writes JSON
	Progress func(records int)

	// Expand decodes the interactions of a line of a file that begins like spans; nil: none is.
	Expand func(line []byte, each func(in *schemas.Interaction, index int, err error)) error
}

// Result counts the lines. Every line is written or reported.
type Result struct {
	Lines, Written, Bad int

	Skipped int // hold no answer by their nature
}

// Run writes the interactions of a file (JSON Lines, plain or gzip; interactions or labelled rows) to a topic, keyed by
// conversation, else by interaction. A line that is not an interaction is reported with its number on errw and left out. It
// returns once all records are acknowledged.
func Run(ctx context.Context, r io.Reader, errw io.Writer, o Options) (Result, error) {
	o.Name = cmp.Or(o.Name, "FILE")
	read := func() (*files.Lines, error) { return recordshape.NewRecords(r, json.MaxLabelledBytes, o.Name, o.Parts) }
	if o.Raw {
		read = func() (*files.Lines, error) { return files.NewLines(r, json.MaxLabelledBytes) }
	}
	lines, err := read()
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.Expand != nil && !o.Raw && recordshape.IsSpans(lines.Head()) {
		lines = recordshape.Traces(lines)
	} else {
		o.Expand = nil
	}
	if o.Decode == nil {
		o.Decode = recordshape.DecodeLabelled
	}
	if o.Encode == nil {
		o.Encode = json.AppendInteraction
	}
	limit := rate.Inf
	if o.Rate > 0 {
		limit = rate.Limit(o.Rate)
	}
	p := &lineProducer{Options: o, bad: recordshape.NewBadLines(errw, lines.IsTable(), o.hint), limiter: rate.NewLimiter(limit, 1)}
	err = p.produceAll(ctx, lines)
	p.pending.Wait()
	if err == nil && p.result.Lines == 0 {
		err = fmt.Errorf("no interactions in %s", o.Name)
	}
	return p.result, errors.Join(err, p.bad.End(), p.failedError())
}

type lineProducer struct {
	Options
	bad     *recordshape.BadLines
	limiter *rate.Limiter
	pending sync.WaitGroup

	mu     sync.Mutex
	result Result
	failed []error
}

func (p *lineProducer) produceAll(ctx context.Context, lines *files.Lines) error {
	var row schemas.Labelled
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, files.ErrTooLong):
		case err != nil:
			return err
		}
		p.result.Lines++
		if err := p.limiter.Wait(ctx); err != nil {
			return fmt.Errorf("produce line %d: %w", lines.Number(), err)
		}
		if err == nil {
			err = p.produceLine(line, &row)
		}
		if errors.Is(err, json.ErrSkipped) {
			p.result.Skipped++
			continue
		} else if err != nil {
			err = p.reportLine(lines.Number(), line, err)
		}
		if err != nil {
			return err
		}
	}
}

// produceLine writes the interactions of a line. The error is of the first that cannot be read.
func (p *lineProducer) produceLine(line []byte, row *schemas.Labelled) (fault error) {
	if p.Raw {
		p.send("", bytes.Clone(line))
		return nil
	}
	one := func(in *schemas.Interaction, _ int, err error) {
		var value []byte
		if err == nil {
			value, err = p.Encode(nil, in)
		}
		if fault = cmp.Or(fault, err); err == nil {
			p.send(cmp.Or(in.ConversationID, in.ID), value)
		}
	}
	if p.Expand != nil {
		return cmp.Or(p.Expand(line, one), fault)
	}
	one(&row.Interaction, 0, p.Decode(line, row))
	return fault
}

func (p *lineProducer) send(key string, value []byte) {
	m := kafka.Message{Topic: p.Topic, Partition: kafka.AnyPartition, Value: value}
	if key != "" {
		m.Key = []byte(key)
	}
	p.pending.Add(1)
	p.Producer.Produce(m, func(err error) {
		defer p.pending.Done()
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			p.failed = append(p.failed, err)
			return
		}
		p.result.Written++
		if p.Progress != nil {
			p.Progress(p.result.Written)
		}
	})
}

func (p *lineProducer) reportLine(number int, line []byte, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Bad++
	return p.bad.Report(number, line, err)
}

// hint is what a person may do about a line that cannot be written.
func (o *Options) hint(line []byte, fault error) string {
	if o.Reads != nil && o.Reads(line) {
		return "the input reads such records as they are: write them with --raw"
	}
	return mapping.Hint(line, fault, o.Name)
}

// failedError reports the records that the cluster rejected.
func (p *lineProducer) failedError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.failed) == 0 {
		return nil
	}
	return fmt.Errorf("write %d records failed, first error: %w", len(p.failed), p.failed[0])
}
