package cellcheck

import (
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// superlative is what a word such as "cheapest" says about a column of numbers.
type superlative struct {
	highest   bool
	dimension figures.Dimension // of the column; None: any that the claim names
	money     bool
}

//nolint:gochecknoglobals // read-only tables
var (
	superlatives = readSuperlatives()
	rankWords    = text.HashSet("second third fourth fifth one among")
)

func readSuperlatives() map[uint64]superlative {
	table := map[uint64]superlative{}
	add := func(words string, s superlative) {
		for w := range strings.FieldsSeq(words) {
			table[text.Hash(w)] = s
		}
	}
	add("largest highest biggest most greatest maximum", superlative{highest: true})
	add("smallest lowest fewest least minimum", superlative{})
	add("cheapest", superlative{money: true})
	add("priciest costliest", superlative{highest: true, money: true})
	add("heaviest", superlative{highest: true, dimension: figures.Mass})
	add("lightest", superlative{dimension: figures.Mass})
	add("warmest hottest", superlative{highest: true, dimension: figures.Temperature})
	add("coldest coolest", superlative{dimension: figures.Temperature})
	add("longest", superlative{highest: true, dimension: figures.Duration})
	add("deepest tallest", superlative{highest: true, dimension: figures.Length})
	add("shallowest", superlative{dimension: figures.Length})
	add("shortest", superlative{dimension: figures.Duration})
	return table
}

// checkSuperlatives compares "the cheapest is the Flexa" with the column of all records.
func (x *Checker) checkSuperlatives(d *detectors.Document) {
	r := &x.claim
	for t := r.first; t < r.last; t++ {
		s, ok := x.superlativeAt(d, t)
		if !ok || !x.Work.Spend(4*len(x.Cells)) {
			continue
		}
		a := x.addressAt(t)
		column := x.superlativeColumn(t, s)
		if column < 0 || a.n != 1 || a.strength != inClause {
			continue
		}
		x.list.Checked++
		if own := x.CellAt(a.records[0], column); own >= 0 && x.Cells[own].Kind == cells.NumberValue && x.isExceeded(own, s) {
			at := x.nameOf(a.records[0], r.clauseOf(t), t)
			x.report(x.finding(own, d.Tokens()[at].Start, d.Tokens()[at].End, weightSwap))
		}
	}
}

// superlativeAt reads the word at t, unless another word weakens it: "the second largest".
func (x *Checker) superlativeAt(d *detectors.Document, t int32) (s superlative, ok bool) {
	s, ok = superlatives[d.Tokens()[t].Hash]
	return s, ok && (t == x.claim.first || !rankWords.Has(d.Tokens()[t-1].Hash)) && !x.deniesAt(d, t)
}

// nameOf returns the token that names the record in the clause.
func (x *Checker) nameOf(rec int32, clause int16, otherwise int32) int32 {
	for i := range x.claim.namings {
		if n := &x.claim.namings[i]; n.record == rec && x.claim.clauseOf(n.token) == clause {
			return n.token
		}
	}
	return otherwise
}

// superlativeColumn returns the only column of numbers that the superlative may be about, -1 for none or several.
func (x *Checker) superlativeColumn(t int32, s superlative) int32 {
	named, only, fitting := int32(-1), int32(-1), 0
	for i := range x.Columns {
		if !x.isMeasured(&x.Columns[i]) {
			continue
		}
		fits := x.fits(int32(i), s)
		if (fits || s.isGeneral()) && x.claim.namesAll(x, int32(i), x.claim.clauseOf(t)) {
			if named >= 0 {
				return -1
			}
			named = int32(i)
		}
		if fits {
			only = int32(i)
			fitting++
		}
	}
	switch {
	case named >= 0:
		return named
	case fitting == 1:
		return only
	default:
		return -1
	}
}

// isMeasured reports a column of numbers of several records.
func (x *Checker) isMeasured(c *cells.Column) bool {
	return c.Kinds&^(1<<cells.NullValue) == 1<<cells.NumberValue && x.Groups[c.Group].Records > 1 && !c.Numbering
}

// isGeneral reports a superlative of any column, such as "highest".
func (s superlative) isGeneral() bool { return !s.money && s.dimension == figures.None }

// fits reports whether the superlative is about the unit of the column.
func (x *Checker) fits(column int32, s superlative) bool {
	unit := x.Columns[column].Unit.Dimension
	if s.money {
		return unit >= figures.Dollar && unit <= figures.Rupee || x.hasKind(column, figures.Money)
	}
	return s.dimension != figures.None && x.hasDimension(column, s.dimension)
}

// namesAll reports whether the clause has a word that only this column's key has.
func (r *claimReader) namesAll(x *Checker, column int32, clause int16) bool {
	for i := range r.keys {
		k := &r.keys[i]
		if k.column == column && r.clauseOf(k.token) == clause && x.counts(k.word, &x.Columns[column]) && !k.opposite {
			return true
		}
	}
	return false
}

func (x *Checker) hasKind(column int32, kind figures.Kind) bool {
	for i := range x.Cells {
		if c := &x.Cells[i]; c.Column == column && c.EndFigure > c.FirstFigure {
			return x.Figures[c.FirstFigure].Kind == kind
		}
	}
	return false
}

func (x *Checker) hasDimension(column int32, dimension figures.Dimension) bool {
	for i := range x.Cells {
		if c := &x.Cells[i]; c.Column == column && c.EndFigure > c.FirstFigure {
			return x.Figures[c.FirstFigure].Unit.Dimension == dimension
		}
	}
	return false
}

// isExceeded reports whether another record has a higher value than the cell, or a lower one.
func (x *Checker) isExceeded(at int32, s superlative) bool {
	own := &x.Cells[at]
	value := func(c *cells.Cell) float64 {
		f := &x.Figures[c.FirstFigure]
		return f.Value * max(f.Unit.Factor, 1e-9)
	}
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Column != own.Column || c.EndFigure == c.FirstFigure || x.Figures[c.FirstFigure].Unit.Dimension != x.Figures[own.FirstFigure].Unit.Dimension {
			continue
		}
		if x.Figures[c.FirstFigure].Kind == figures.Date {
			return false
		}
		if far := value(c) - value(own); s.highest && far > 0 || !s.highest && far < 0 {
			return true
		}
	}
	return false
}
