// Package diff compares two sets of flags over the same interactions: those of two versions of Confab, or of two
// calibrations. It keeps a packed copy of side A, streams side B, and pairs flags by incident id and pass.
package diff

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

// Options say what counts as a change and how many rows are kept.
type Options struct {
	Tolerance float64         // scores and risks that differ by no more are equal
	Texts     bool            // compare reasons, notes, excerpts and citations too
	Rows      int             // worst rows in the report
	Progress  func(flags int) // called with the number of flags read, after each; may be nil
}

// rowKey identifies a flag: a hash of incident id and pass.
type rowKey [16]byte

func newKey(f *schemas.Flag) rowKey {
	sum := sha256.Sum256([]byte(string(f.Pass) + "\x00" + f.IncidentID))
	return rowKey(sum[:16])
}

// Compare reads a, then b, and reports what differs. Of several flags with one key the first counts. A line that is not
// a flag is an error with its number, and so are inputs without flags or without a common flag.
func Compare(ctx context.Context, a, b Source, o Options) (*Report, error) {
	c := &comparison{Options: o, packer: newPacker(), rows: map[rowKey]string{}, report: newReport(a.Name, b.Name)}
	if err := c.read(ctx, a, c.addToA); err != nil {
		return nil, err
	}
	if err := c.read(ctx, b, c.addToB); err != nil {
		return nil, err
	}
	for _, side := range []Side{c.report.A, c.report.B} {
		if side.Rows == 0 {
			return nil, fmt.Errorf("%s holds no flags: write them with confab check FILE, or confab tail --json", side.Name)
		}
	}
	if c.report.Compared == 0 {
		return nil, fmt.Errorf("%s and %s have no row in common: compare flags of the same interactions and pass (rows are paired by incident_id, which is made of tenant, interaction_id and answer)", a.Name, b.Name)
	}
	for k, packed := range c.rows {
		if packed != seenInB {
			c.addMissing(k, c.packer.unpack(packed), nil)
		}
	}
	c.sortWorst()
	c.report.finish()
	return c.report, nil
}

// seenInB replaces the record of a row once side B had it; no packed record is empty.
const seenInB = ""

// comparison is the state of Compare.
type comparison struct {
	Options
	packer *recordPacker
	rows   map[rowKey]string // packed records of side A, and seenInB for each key of side B
	report *Report
	flags  int // read so far, of both sides
}

// read calls add with every flag of the source.
func (c *comparison) read(ctx context.Context, s Source, add func(k rowKey, r *flagRecord)) error {
	lines, err := jsonl.NewReader(s.Reader, json.DefaultMaxBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	var f schemas.Flag
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, jsonl.ErrTooLong):
			return fmt.Errorf("%s: line %d: %w: more than %d bytes", s.Name, lines.Number(), err, json.DefaultMaxBytes)
		case err != nil:
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := decodeFlag(line, &f); err != nil {
			return fmt.Errorf("%s: line %d is not a flag: %w; compare what confab check or confab tail --json writes", s.Name, lines.Number(), err)
		}
		add(newKey(&f), newRecord(&f, lines.Number(), c.Texts))
		if c.flags++; c.Progress != nil {
			c.Progress(c.flags)
		}
	}
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

func (c *comparison) addToA(k rowKey, r *flagRecord) {
	if _, repeated := c.rows[k]; repeated {
		c.report.A.Repeated++
		return
	}
	c.rows[k] = c.packer.pack(r)
	c.report.A.count(r)
}

func (c *comparison) addToB(k rowKey, r *flagRecord) {
	packed, known := c.rows[k]
	if known && packed == seenInB {
		c.report.B.Repeated++
		return
	}
	c.rows[k] = seenInB
	c.report.B.count(r)
	if !known {
		c.addMissing(k, nil, r)
		return
	}
	a := c.packer.unpack(packed)
	changes := c.changes(a, r)
	c.report.addPair(a, r, changes)
	if len(changes) > 0 {
		c.keep(newRow(k, a, r, changes))
	}
}

// addMissing adds a row that one side does not have; its record is nil.
func (c *comparison) addMissing(k rowKey, a, b *flagRecord) {
	changes := missingChanges(a, b)
	c.report.addMissing(a, changes)
	c.keep(newRow(k, a, b, changes))
}

// keep adds the row while it may be one of the worst.
func (c *comparison) keep(row Row) {
	c.report.Worst = append(c.report.Worst, row)
	if len(c.report.Worst) >= 2*c.Rows+1000 {
		c.sortWorst()
	}
}

func (c *comparison) sortWorst() {
	slices.SortFunc(c.report.Worst, compareRows)
	c.report.Worst = c.report.Worst[:min(c.Rows, len(c.report.Worst))]
}
