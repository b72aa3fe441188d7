package cellcheck

import (
	"confab/detectors/cells"
	"confab/detectors/synonyms"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// checkQuantity compares "three kettles" with the quantity of the record that names kettles.
func (x *Checker) checkQuantity(f *figures.Figure) (s figureState, ok bool) {
	r := &x.claim
	if f.Kind != figures.Count || f.Unit.Dimension != figures.None {
		return s, false
	}
	for i := range r.namings {
		n := &r.namings[i]
		if n.token != f.Last {
			continue
		}
		for k := x.Records[n.record].FirstCell; k >= 0; k = x.Cells[k].Next {
			c := &x.Cells[k]
			if c.Kind != cells.NumberValue || !x.isQuantity(c.Column) {
				continue
			}
			if x.holds(c, f) {
				return figureState{verdict: supported, cell: k}, true
			}
			return x.refute(f, k, weightCell), true
		}
	}
	return s, false
}

// isQuantity reports a column such as "qty".
func (x *Checker) isQuantity(column int32) bool {
	c := &x.Columns[column]
	for w := c.FirstWord; w < c.EndWord; w++ {
		if x.Words[w].Concept != synonyms.NoConcept && x.Words[w].Concept == x.quantity {
			return true
		}
	}
	return false
}

// onlyMeasure returns the only cell of the named records with the figure's unit, -1 for none or several.
func (x *Checker) onlyMeasure(a *address, f *figures.Figure) int32 {
	if f.Unit.Dimension == figures.None || f.Unit.Dimension == figures.Duration || f.Unit.Dimension == figures.Calendar {
		return -1
	}
	only := int32(-1)
	for i := range x.Cells {
		c := &x.Cells[i]
		for k := c.FirstFigure; k < c.EndFigure && x.covers(a, c.Record); k++ {
			if x.Figures[k].Unit.Dimension != f.Unit.Dimension {
				continue
			}
			if only >= 0 {
				return -1
			}
			only = int32(i)
		}
	}
	return only
}

// namedCell returns the only cell of the column among the named records that f could be compared with, -1 for none.
func (x *Checker) namedCell(a *address, column int32, f *figures.Figure) int32 {
	only := int32(-1)
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Column != column || !x.covers(a, c.Record) || c.EndFigure == c.FirstFigure || !x.comparable(c, f) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = int32(i)
	}
	return only
}

// holds reports whether the cell has the figure.
func (x *Checker) holds(c *cells.Cell, f *figures.Figure) bool {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		g := &x.Figures[k]
		if figurematch.Compare(f, g) >= figurematch.Rounded {
			return true
		}
		if x.sameDigits(f, g) || x.isScaled(c, f, g) {
			return true
		}
		if f.Kind == figures.Percent && g.Kind == figures.Count && g.Value > 0 && g.Value <= 1 && figurematch.SameNumber(f.Value, 100*g.Value) {
			return true
		}
	}
	return false
}

// sameDigits reports equal numbers of which at most one has a unit.
func (x *Checker) sameDigits(f, g *figures.Figure) bool {
	return f.Kind != figures.Clock && g.Kind != figures.Clock && f.Kind != figures.Percent && g.Month == 0 && f.Month == 0 &&
		(f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None) && figurematch.SameNumber(f.Value, g.Value)
}

// isScaled reports a value whose key has a scale: 450 of budget_k_eur is 450,000.
func (x *Checker) isScaled(c *cells.Cell, f, g *figures.Figure) bool {
	scale := x.Columns[c.Column].Scale
	if scale == 0 {
		return false
	}
	scaled := *g
	scaled.Value *= scale
	return figurematch.Compare(f, &scaled) >= figurematch.Rounded
}

// comparable reports whether the cell has a figure of the kind and dimension of f.
func (x *Checker) comparable(c *cells.Cell, f *figures.Figure) bool {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		g := &x.Figures[k]
		switch {
		case f.Kind == figures.Date || g.Kind == figures.Date, f.Kind == figures.Clock || g.Kind == figures.Clock:
			if f.Kind == g.Kind {
				return true
			}
		case f.Kind == figures.Percent || g.Kind == figures.Percent:
			if f.Kind == g.Kind {
				return true
			}
		case f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || x.isAmount(c, f, g):
			return true
		}
	}
	return false
}

// isAmount reports an amount of money and a bare number of a column of amounts.
func (x *Checker) isAmount(c *cells.Cell, f, g *figures.Figure) bool {
	return f.Kind == figures.Money && g.Kind == figures.Count && g.Unit.Dimension == figures.None && x.Columns[c.Column].Money
}
