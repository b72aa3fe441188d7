package cellcheck

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// maxTable is how far above a row of a table its head may stand, in bytes.
const maxTable = 4000

// headColumn returns the column that the head over the figure names, where the answer has it in a Markdown table; -1 for none.
func (x *Checker) headColumn(d *detectors.Document, f *figures.Figure) int32 {
	s := d.Answer()
	row := strings.LastIndexByte(s[:f.Start], '\n') + 1
	if s[row] != '|' || !x.Work.Spend(1+(int(f.Start)-row)/detectors.ScanRows) {
		return noRecord
	}
	from := headOf(s, row)
	x.Work.Spend(1 + (row-from)/detectors.ScanRows)
	if from == row {
		return noRecord
	}
	for range strings.Count(s[row:f.Start], "|") {
		from += strings.IndexByte(s[from:row], '|') + 1
	}
	if end := strings.IndexByte(s[from:row], '|'); end > 0 {
		return x.columnNamed(d, f, from, from+end)
	}
	return noRecord
}

// headOf returns the start of the table's first line, or row itself if no line of dashes follows that.
func headOf(s string, row int) int {
	top, below := row, row
	for top > 0 && row-top < maxTable {
		line := strings.LastIndexByte(s[:top-1], '\n') + 1
		if s[line] != '|' {
			break
		}
		top, below = line, top
	}
	if below == row || strings.Trim(s[below:below+strings.IndexByte(s[below:], '\n')], "|-: \r") != "" {
		return row
	}
	return top
}

// columnNamed returns the column with figures whose key has the only word from start to end, or all of them; -1 for none.
func (x *Checker) columnNamed(d *detectors.Document, f *figures.Figure, start, end int) int32 {
	r, tokens := &x.claim, d.Tokens()
	r.counts = r.counts[:0]
	t, _ := slices.BinarySearchFunc(tokens, start, func(w text.Token, at int) int { return int(w.Start) - at })
	for ; t < len(x.Roots) && int(tokens[t].End) <= end; t++ {
		x.countKeys(x.EntriesOf(x.Roots[t]), f)
		if concept := x.Concepts[t]; concept != synonyms.NoConcept {
			x.countKeys(x.EntriesOf(cells.ConceptRoot(concept)), f)
		}
	}
	best, _, matched := r.bestCount()
	if best < 0 || matched < x.Columns[best].Needed {
		return noRecord
	}
	return best
}

func (x *Checker) countKeys(entries []cells.Entry, f *figures.Figure) {
	for _, e := range entries {
		if e.Kind == cells.KeyEntry && x.counts(e.Ref, &x.Columns[e.Column]) && x.hasComparable(e.Column, f) {
			x.claim.count(e.Column, 0)
		}
	}
}
