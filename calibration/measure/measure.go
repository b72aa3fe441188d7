package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"confab/detectors"
	"confab/schemas"
)

// Options configure Rows.
type Options struct {
	Workers  int            // rows measured at once; 0 is one
	Progress func(rows int) // called after every row; may be nil

	// Evaluate replaces that of the suite, such as to ask language models; may be nil.
	Evaluate func(ctx context.Context, in *schemas.Interaction) *detectors.Evaluation
}

// Rows measures every labelled interaction with the suite and keeps the numbers, in the order of the labels. Unusable
// rows are left out and counted. Scores are kept whatever the suite's thresholds are, so that the rows can be judged
// under any calibration. One interaction per worker is in memory. The error is about the labels as a whole, or the
// context's.
func Rows(ctx context.Context, suite *detectors.Suite, labels Labels, o Options) ([]Row, RowErrors, error) {
	if o.Evaluate == nil {
		o.Evaluate = suite.Evaluate
	}
	m := &measureRun{Options: o, labels: labels, seen: map[eventKey]bool{}}
	var workers sync.WaitGroup
	for range max(1, o.Workers) {
		workers.Go(func() { m.measureRows(ctx) })
	}
	workers.Wait()
	switch {
	case m.err != nil:
		return nil, m.rowErrors, m.err
	case ctx.Err() != nil:
		return nil, m.rowErrors, ctx.Err()
	}
	return m.rows, m.rowErrors, nil
}

// EachRow calls each with every usable labelled interaction, in order; the rest is counted as by Rows. The row is overwritten
// by the next one. It ends with the first error of each, or the context's.
func EachRow(ctx context.Context, labels Labels, each func(index int, row *schemas.Labelled) error) (RowErrors, error) {
	m := &measureRun{labels: labels, seen: map[eventKey]bool{}}
	var row schemas.Labelled
	for ctx.Err() == nil {
		_, index, ok := m.next(&row)
		if !ok {
			return m.rowErrors, m.err
		}
		if err := each(index, &row); err != nil {
			return m.rowErrors, err
		}
	}
	return m.rowErrors, ctx.Err()
}

// eventKey is a prefix of an event id.
type eventKey [16]byte

// measureRun is one run of Rows. mu guards the fields below it and the reading of labels.
type measureRun struct {
	Options
	labels Labels

	mu        sync.Mutex
	rows      []Row
	seen      map[eventKey]bool
	rowErrors RowErrors
	done      int
	err       error
}

func (m *measureRun) measureRows(ctx context.Context) {
	var row schemas.Labelled
	for ctx.Err() == nil {
		place, index, ok := m.next(&row)
		if !ok {
			return
		}
		m.storeRow(index, m.measure(ctx, &row, place))
	}
}

// next reads until there is a row to measure, and reserves its index in the result.
func (m *measureRun) next(row *schemas.Labelled) (place string, index int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.err == nil {
		err := m.labels.Next(row)
		if errors.Is(err, io.EOF) {
			return "", 0, false
		}
		m.rowErrors.Rows++
		if bad, is := errors.AsType[*LabelError](err); is {
			m.rowErrors.add(Unreadable, fmt.Sprintf("%s %v", bad.Place, bad.Err))
			continue
		}
		if m.err = err; err != nil {
			return "", 0, false
		}
		place = m.labels.Place()
		if m.usable(row, place) {
			m.rows = append(m.rows, Row{})
			return place, len(m.rows) - 1, true
		}
	}
	return "", 0, false
}

// usable counts the row's errors and reports whether it can be measured.
func (m *measureRun) usable(row *schemas.Labelled, place string) bool {
	in := &row.Interaction
	if !row.Labelled {
		m.rowErrors.add(Unlabelled, place)
		return false
	}
	if in.ID != "" {
		id := in.EventID()
		key := eventKey(id[:len(eventKey{})])
		positive, known := m.seen[key]
		switch {
		case known && positive != (row.Label == 1):
			m.rowErrors.add(Contradicted, place)
			return false
		case known:
			m.rowErrors.add(Repeated, place)
			return false
		}
		m.seen[key] = row.Label == 1
	}
	for _, t := range []struct {
		trouble RowError
		found   bool
	}{
		{NoText, strings.TrimSpace(in.Answer) == ""},
		{BadLogprobs, badLogprobs(in.Logprobs)},
		{UnknownFields, in.UnknownFields > 0},
		{Ungrouped, row.Group == ""},
	} {
		if t.found {
			m.rowErrors.add(t.trouble, place)
		}
	}
	return true
}

// badLogprobs reports whether a chosen token lacks a valid log-probability. The JSON decoder already clamps values that
// are infinite or above 0.
func badLogprobs(l schemas.Logprobs) bool {
	for i := range l.Rows() {
		if chosen := float64(l.Row(i)[0]); math.IsNaN(chosen) || math.IsInf(chosen, 0) || chosen > 0 {
			return true
		}
	}
	return false
}

func (m *measureRun) storeRow(index int, r Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[index] = r
	m.done++
	if m.Progress != nil {
		m.Progress(m.done)
	}
}
