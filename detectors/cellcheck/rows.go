package cellcheck

import (
	"slices"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// headColumn returns the column that the head over the figure names, where the answer has it in a Markdown table; -1 for none.
func (x *Checker) headColumn(d *detectors.Document, f *figures.Figure) int32 {
	start, end, read := cells.HeadOver(d.Answer(), int(f.Start))
	if x.Work.Spend(1 + read/detectors.ScanRows); end <= start {
		return noRecord
	}
	return x.columnNamed(d, f, start, end)
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
