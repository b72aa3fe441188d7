package cells

import (
	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// superlative is what a word such as "cheapest" says about a column of numbers.
type superlative struct {
	highest   bool
	dimension figures.Dimension // of the column; None: any that the claim names
	money     bool
	date      bool
}

//nolint:gochecknoglobals // read-only tables
var (
	superlatives = readSuperlatives()
	rankWords    = text.HashSet("second third fourth fifth one among")
)

func readSuperlatives() map[uint64]superlative {
	table := map[uint64]superlative{}
	add := func(words string, s superlative) {
		for w := range text.HashSet(words) {
			table[w] = s
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
	add("shortest", superlative{dimension: figures.Duration})
	return table
}

// checkSuperlatives compares "the cheapest is the Flexa" with the column of all records.
func (x *Index) checkSuperlatives(d *detectors.Document) {
	r := &x.claim
	for t := r.first; t < r.last; t++ {
		s, ok := superlatives[d.Tokens()[t].Hash]
		if !ok || t > r.first && rankWords[d.Tokens()[t-1].Hash] || x.clauseHas(d, r.clauseOf(t), extraDenials) || !x.work.Spend(4*len(x.cells)) {
			continue
		}
		a := x.addressAt(t)
		column := x.superlativeColumn(t, s)
		if a.n != 1 || a.strength != inClause || column < 0 || x.columns[column].group != x.records[a.records[0]].group {
			continue
		}
		x.list.Checked++
		own := x.cellAt(a.records[0], column)
		if own < 0 || x.cells[own].kind != numberValue || !x.isExceeded(own, s) {
			continue
		}
		at := x.nameOf(a.records[0], r.clauseOf(t), t)
		x.list.Add(x.finding(own, d.Tokens()[at].Start, d.Tokens()[at].End, weightSwap))
	}
}

// nameOf returns the token that names the record in the clause.
func (x *Index) nameOf(rec int32, clause int16, otherwise int32) int32 {
	for i := range x.claim.namings {
		if n := &x.claim.namings[i]; n.record == rec && x.claim.clauseOf(n.token) == clause {
			return n.token
		}
	}
	return otherwise
}

// superlativeColumn returns the only column of numbers that the superlative may be about, -1 for none or several.
func (x *Index) superlativeColumn(t int32, s superlative) int32 {
	r, clause := &x.claim, x.claim.clauseOf(t)
	named, only := int32(-1), int32(-1)
	for i := range x.columns {
		c := &x.columns[i]
		if c.kinds&^(1<<nullValue) != 1<<numberValue || x.groups[c.group].records < 2 || c.numbering {
			continue
		}
		money := c.unit.Dimension >= figures.Dollar && c.unit.Dimension <= figures.Rupee || x.hasKind(int32(i), figures.Money)
		fits := s.money && money || !s.money && s.dimension != figures.None && x.hasDimension(int32(i), s.dimension)
		if r.namesAll(x, int32(i), clause) && (fits || !s.money && s.dimension == figures.None) {
			if named >= 0 {
				return -1
			}
			named = int32(i)
		}
		if fits {
			if only >= 0 {
				only = -2
			} else if only == -1 {
				only = int32(i)
			}
		}
	}
	if named >= 0 {
		return named
	}
	return max(only, -1)
}

// namesAll reports whether the clause has a word that only this column's key has.
func (r *claimReader) namesAll(x *Index, column int32, clause int16) bool {
	for i := range r.keys {
		k := &r.keys[i]
		if k.column == column && r.clauseOf(k.token) == clause && x.counts(k.word, &x.columns[column]) && !k.opposite {
			return true
		}
	}
	return false
}

func (x *Index) hasKind(column int32, kind figures.Kind) bool {
	for i := range x.cells {
		if c := &x.cells[i]; c.column == column && c.endFigure > c.firstFigure {
			return x.figures[c.firstFigure].Kind == kind
		}
	}
	return false
}

func (x *Index) hasDimension(column int32, dimension figures.Dimension) bool {
	for i := range x.cells {
		if c := &x.cells[i]; c.column == column && c.endFigure > c.firstFigure {
			return x.figures[c.firstFigure].Unit.Dimension == dimension
		}
	}
	return false
}

// isExceeded reports whether another record has a higher value than the cell, or a lower one.
func (x *Index) isExceeded(at int32, s superlative) bool {
	own := &x.cells[at]
	value := func(c *cell) float64 {
		f := &x.figures[c.firstFigure]
		return f.Value * max(f.Unit.Factor, 1e-9)
	}
	for i := range x.cells {
		c := &x.cells[i]
		if c.column != own.column || c.endFigure == c.firstFigure || x.figures[c.firstFigure].Unit.Dimension != x.figures[own.firstFigure].Unit.Dimension {
			continue
		}
		if x.figures[c.firstFigure].Kind == figures.Date {
			return false
		}
		if far := value(c) - value(own); s.highest && far > 0 || !s.highest && far < 0 {
			return true
		}
	}
	return false
}
