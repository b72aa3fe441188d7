package cellcheck

import (
	"confab/detectors"
	"confab/detectors/cells"
	"confab/internal/text/figures"
)

// columnCount is how well the words near a figure name a column.
type columnCount struct {
	column   int32
	matched  int32
	distance int32
}

// sameUnit reports whether the columns measure the same, so that one may be taken for the other.
func (x *Checker) sameUnit(a, b int32) bool {
	return x.Columns[a].Unit.Dimension == x.Columns[b].Unit.Dimension && x.Columns[a].Percent == x.Columns[b].Percent
}

// isSpecific reports a figure that can hardly mean anything but the column: its key is there, or it has a unit or many digits.
func (x *Checker) isSpecific(f *figures.Figure, column int32, clause int16) bool {
	return f.Unit.Dimension != figures.None || f.Kind != figures.Count && f.Kind != figures.Ordinal || f.Decimals > 0 || f.Value >= 100 ||
		x.claim.namesColumn(column, clause)
}

// columnFor returns the column that the words nearest to the figure name, -1 for none or several. isClear is true if all
// words of its key are there, or if its unit fits and no other column has the unit.
func (x *Checker) columnFor(f *figures.Figure) (best int32, isClear bool) {
	r := &x.claim
	r.counts = r.counts[:0]
	clause := r.clauseOf(f.First)
	for i := range r.keys {
		k := &r.keys[i]
		if r.clauseOf(k.token) == clause && x.namesFor(k, f) {
			r.count(k.column, max(f.First-k.token, k.token-f.Last+1))
		}
	}
	best, least, matched := r.bestCount()
	if best < 0 {
		return -1, false
	}
	return best, matched >= x.Columns[best].Needed && least <= clearReach && !x.isShared(best) && !x.countsOther(f, best)
}

// namesFor reports whether the key's word may name the column of the figure.
func (x *Checker) namesFor(k *keyHit, f *figures.Figure) bool {
	inside := k.token >= f.First && k.token < f.Last
	if inside || k.opposite || !x.counts(k.word, &x.Columns[k.column]) && !x.Words[k.word].Optional || x.claim.belongsToOther(f, k.token) {
		return false
	}
	return max(f.First-k.token, k.token-f.Last+1) <= figureReach && x.hasComparable(k.column, f) && !x.isBetween(f, k.token)
}

// bestCount returns the column with most words, the nearest of equal ones, -1 for none or several.
func (r *claimReader) bestCount() (best, least, matched int32) {
	best, least = -1, figureReach+1
	for _, c := range r.counts {
		switch {
		case c.matched > matched || c.matched == matched && c.distance < least:
			best, least, matched = c.column, c.distance, c.matched
		case c.matched == matched && c.distance == least:
			best = -1
		}
	}
	return best, least, matched
}

// isShared reports a column whose key has no word of its own: "lifts_total" next to "lifts_open".
func (x *Checker) isShared(column int32) bool {
	c := &x.Columns[column]
	for i := range x.Columns {
		other := &x.Columns[i]
		if c.Distinct || int32(i) == column || other.Group != c.Group || !other.Has(cells.NumberValue) || !x.sameUnit(column, int32(i)) {
			continue
		}
		if x.sharesWord(c, other) {
			return true
		}
	}
	return false
}

func (x *Checker) sharesWord(a, b *cells.Column) bool {
	x.Work.Spend(1)
	for i := a.FirstWord; i < a.EndWord; i++ {
		for k := b.FirstWord; k < b.EndWord; k++ {
			if x.Words[i].Root == x.Words[k].Root && !x.Words[i].Generic {
				return true
			}
		}
	}
	return false
}

// countsOther reports whether the word after a bare number is no word of the column: "40 points from 18 games".
func (x *Checker) countsOther(f *figures.Figure, column int32) bool {
	r := &x.claim
	if !f.Counts || f.Unit.Dimension != figures.None || f.Last >= r.last || f.Kind != figures.Count {
		return false
	}
	for i := range r.keys {
		if k := &r.keys[i]; k.column == column && (k.token == f.First-1 || k.token >= f.Last && k.token < f.Last+clearReach) {
			return false
		}
	}
	return !r.stops[f.Last-r.first]
}

// belongsToOther reports whether the token directly follows another figure, which it thus counts.
func (r *claimReader) belongsToOther(f *figures.Figure, token int32) bool {
	for i := range r.figures {
		if g := &r.figures[i]; g.First != f.First && g.Last == token {
			return true
		}
	}
	return false
}

func (r *claimReader) count(column, distance int32) {
	for i := range r.counts {
		if c := &r.counts[i]; c.column == column {
			c.matched++
			c.distance = min(c.distance, distance)
			return
		}
	}
	r.counts = append(r.counts, columnCount{column: column, matched: 1, distance: distance})
}

// isBetween reports whether another figure stands between the figure and the token.
func (x *Checker) isBetween(f *figures.Figure, token int32) bool {
	r := &x.claim
	for i := range r.figures {
		if g := &r.figures[i]; g.First >= min(f.Last, token) && g.First < max(f.First, token) && g.First != f.First {
			return true
		}
	}
	return false
}

// hasComparable reports whether the column has figures of the kind of f.
func (x *Checker) hasComparable(column int32, f *figures.Figure) bool {
	x.Work.Spend(1 + len(x.Cells)/detectors.ScanRows)
	for i := range x.Cells {
		if c := &x.Cells[i]; c.Column == column && c.EndFigure > c.FirstFigure && x.comparable(c, f) {
			return true
		}
	}
	return false
}

// namesColumn reports whether the clause has a word of the column's key.
func (r *claimReader) namesColumn(column int32, clause int16) bool {
	for i := range r.keys {
		if r.keys[i].column == column && r.clauseOf(r.keys[i].token) == clause {
			return true
		}
	}
	return false
}
