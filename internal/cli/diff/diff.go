// Package diff compares two sets of flags over the same interactions: those of two versions of Confab, or of two
// calibrations. It pairs flags by incident id and pass.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"confab/internal/jsonl"
	"confab/schemas"
	"confab/schemas/json"
)

// Source is one set of flags: JSON Lines, plain or gzip.
type Source struct {
	Name   string // for messages
	Reader io.Reader
}

// rowKey identifies a flag.
type rowKey struct{ incident, pass string }

// flagRecord holds the compared properties of a flag.
type flagRecord struct {
	line           int // of the input, counted from 1
	interaction    string
	alert          bool
	recommendation string
	risk           *float64
	fired          []string // sorted
	signals        map[string]flagSignal
}

type flagSignal struct {
	outcome          string
	score, threshold float64
	spans            []string
}

// Compare reads a, then b, and reports what differs, with the worst rows. Of several flags with one key the first counts. A line
// that is not a flag is an error with its number, and so are inputs without flags or without a common flag. progress is called
// with the number of flags read; it may be nil.
func Compare(ctx context.Context, a, b Source, worst int, progress func(flags int)) (*Report, error) {
	r := &Report{A: Side{Name: a.Name}, B: Side{Name: b.Name}, ChangedRows: map[Aspect]int{}, detectors: map[string]*Detector{}}
	read := 0
	count := func() {
		if read++; progress != nil {
			progress(read)
		}
	}
	rowsA, err := r.A.read(ctx, a, count)
	if err != nil {
		return nil, err
	}
	rowsB, err := r.B.read(ctx, b, count)
	if err != nil {
		return nil, err
	}
	for _, key := range byLine(rowsA) {
		r.add(key, rowsA[key], rowsB[key])
	}
	for _, key := range byLine(rowsB) {
		if rowsA[key] == nil {
			r.add(key, nil, rowsB[key])
		}
	}
	switch {
	case r.A.Rows == 0 || r.B.Rows == 0:
		empty := a.Name
		if r.A.Rows > 0 {
			empty = b.Name
		}
		return nil, fmt.Errorf("%s holds no flags: write them with confab check FILE, or confab tail --json", empty)
	case r.Compared == 0:
		return nil, fmt.Errorf("%s and %s have no row in common: compare flags of the same interactions and pass (rows are paired by incident_id, which is made of tenant, interaction_id and answer)", a.Name, b.Name)
	}
	r.finish(worst)
	return r, nil
}

// byLine are the keys in the order of their lines, so that sums are the same in every run.
func byLine(rows map[rowKey]*flagRecord) []rowKey {
	return slices.SortedFunc(maps.Keys(rows), func(a, b rowKey) int { return cmp.Compare(rows[a].line, rows[b].line) })
}

// read reads the flags of a side and counts them.
func (s *Side) read(ctx context.Context, from Source, count func()) (map[rowKey]*flagRecord, error) {
	lines, err := jsonl.NewReader(from.Reader, json.DefaultMaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	rows := map[rowKey]*flagRecord{}
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case errors.Is(err, jsonl.ErrTooLong):
			return nil, fmt.Errorf("%s: line %d: %w: more than %d bytes", from.Name, lines.Number(), err, json.DefaultMaxBytes)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}
		var f schemas.Flag
		if err := decodeFlag(line, &f); err != nil {
			return nil, fmt.Errorf("%s: line %d is not a flag: %w; compare what confab check or confab tail --json writes", from.Name, lines.Number(), err)
		}
		count()
		key := rowKey{f.IncidentID, string(f.Pass)}
		if rows[key] != nil {
			s.Repeated++
			continue
		}
		rows[key] = newRecord(&f, lines.Number())
		s.Rows++
		if f.Alert {
			s.Alerts++
		}
	}
	return nil, ctx.Err()
}

// errNotFlag names the fields that distinguish flags from other records.
var errNotFlag = errors.New("incident_id, pass and recommendation are needed")

func decodeFlag(line []byte, f *schemas.Flag) error {
	if err := json.DecodeFlag(line, f); err != nil {
		return err
	}
	if f.IncidentID == "" || f.Pass == "" || f.Recommendation == "" {
		return errNotFlag
	}
	return nil
}

func newRecord(f *schemas.Flag, line int) *flagRecord {
	r := &flagRecord{
		line: line, interaction: f.InteractionID, alert: f.Alert, recommendation: string(f.Recommendation), risk: f.Risk,
		fired: slices.Sorted(slices.Values(f.Fired)), signals: make(map[string]flagSignal, len(f.Signals)),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		one := flagSignal{outcome: string(s.Outcome), score: s.Score, threshold: s.Threshold}
		for _, e := range s.Evidence {
			span := fmt.Sprintf("answer %d:%d", e.Start, e.End)
			if e.SourceID != "" || e.SourceEnd != 0 {
				span += fmt.Sprintf(", source %s %d:%d", e.SourceID, e.SourceStart, e.SourceEnd)
			}
			one.spans = append(one.spans, span)
		}
		r.signals[s.Detector] = one
	}
	return r
}

// Row is one pair of flags that differ, or a flag that only one side has.
type Row struct {
	InteractionID string   `json:"interaction_id"`
	Pass          string   `json:"pass"`
	LineA         int      `json:"line_a,omitempty"` // 0 without a row
	LineB         int      `json:"line_b,omitempty"`
	Changes       []Change `json:"changes"`

	key  rowKey
	rank int     // index of the worst aspect in Aspects
	size float64 // largest movement of a score or the risk
}

// newRow describes the pair, of which one may be nil; changes is not empty.
func newRow(key rowKey, a, b *flagRecord, changes []Change) Row {
	row := Row{InteractionID: cmp.Or(a, b).interaction, Pass: key.pass, Changes: changes, key: key, rank: len(Aspects())}
	if a != nil {
		row.LineA = a.line
	}
	if b != nil {
		row.LineB = b.line
	}
	for _, c := range changes {
		aspect := c.Aspect
		if aspect == Score { // ranked with the risk, by movement
			aspect = Risk
		}
		row.rank = min(row.rank, slices.Index(Aspects(), aspect))
		row.size = max(row.size, c.size)
	}
	return row
}

// compareRows orders rows worst first. No two rows of a comparison are equal.
func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.size, a.size), cmp.Compare(a.InteractionID, b.InteractionID),
		cmp.Compare(a.key.incident, b.key.incident), cmp.Compare(a.key.pass, b.key.pass))
}
