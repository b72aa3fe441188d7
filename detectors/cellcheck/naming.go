package cellcheck

import (
	"confab/detectors"
	"confab/detectors/cells"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// naming is a place of the claim that names one of several sibling records.
type naming struct {
	token, record int32
	lead          bool
}

// nameRecords finds the sibling records that the claim names.
func (x *Checker) nameRecords(d *detectors.Document) {
	r := &x.claim
	for i := 0; i < len(r.values); {
		last := i
		for last < len(r.values) && r.values[last].first == r.values[i].first {
			last++
		}
		for k := i; k < last; k++ {
			c := &x.Cells[r.values[k].cell]
			if col := &x.Columns[c.Column]; col.Naming && x.isOnlyHit(r.values[i:last], c) {
				if !x.isCompared(d, r.values[k].first) {
					r.namings = append(r.namings, naming{token: r.values[k].first, record: c.Record, lead: col.Lead})
				}
			}
		}
		i = last
	}
	for i := range r.figures {
		x.nameByNumber(&r.figures[i])
	}
}

//nolint:gochecknoglobals // a read-only table
var comparedWords = text.HashSet("than unlike versus vs like behind below above instead")

// isCompared reports a name to which another one is compared: "less than a double bed".
func (x *Checker) isCompared(d *detectors.Document, token int32) bool {
	for t := token - 1; t >= max(x.claim.first, token-3); t-- {
		w := &d.Tokens()[t]
		if comparedWords.Has(w.Hash) {
			return true
		}
		if !w.Stop() {
			return false
		}
	}
	return false
}

// isOnlyHit reports whether no cell of a sibling record has the words.
func (x *Checker) isOnlyHit(hits []valueHit, c *cells.Cell) bool {
	for _, h := range hits {
		if other := &x.Cells[h.cell]; x.Columns[other.Column].Group == x.Columns[c.Column].Group && other.Record != c.Record {
			return false
		}
	}
	return true
}

// nameByNumber reads "order 1042".
func (x *Checker) nameByNumber(f *figures.Figure) {
	if f.Kind == figures.Money || f.Kind == figures.Percent || f.Kind == figures.Clock || f.Unit.Dimension != figures.None || f.Value <= 0 {
		return
	}
	for i := range x.Columns {
		if x.Columns[i].Numbering && (f.Value >= minID || x.claim.isNumbered(int32(i), f) || f.Value >= minListedID && x.claim.hasKey(int32(i))) {
			x.nameInColumn(int32(i), f)
		}
	}
}

// nameInColumn names the record that has the number in the column.
func (x *Checker) nameInColumn(column int32, f *figures.Figure) {
	r := &x.claim
	x.Work.Spend(1 + len(x.Cells)/detectors.ScanRows)
	for k := range x.Cells {
		c := &x.Cells[k]
		if c.Column != column || c.EndFigure == c.FirstFigure || x.Figures[c.FirstFigure].Value != f.Value {
			continue
		}
		r.namings = append(r.namings, naming{token: f.First, record: c.Record, lead: x.Columns[column].Lead})
		for t := f.First; t < f.Last; t++ {
			r.covered[t-r.first] = true
		}
	}
}

// isNumbered reports "set 2" and "second set".
func (r *claimReader) isNumbered(column int32, f *figures.Figure) bool {
	for i := range r.keys {
		if k := &r.keys[i]; k.column == column && (k.token == f.First-1 || f.Kind == figures.Ordinal && k.token == f.Last) {
			return true
		}
	}
	return false
}

// carryRecord keeps the record for the next claim if this claim named just one.
func (x *Checker) carryRecord() {
	named := int32(-1)
	for i := range x.claim.namings {
		n := &x.claim.namings[i]
		if named >= 0 && named != n.record {
			x.current = -1
			return
		}
		named = n.record
	}
	if named >= 0 {
		x.current = named
	}
}

// hasKey reports whether the claim has a word of the column's key.
func (r *claimReader) hasKey(column int32) bool {
	for i := range r.keys {
		if r.keys[i].column == column {
			return true
		}
	}
	return false
}
