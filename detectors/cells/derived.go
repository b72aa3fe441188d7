package cells

import (
	"math"

	"confab/detectors"
	"confab/internal/text/figures"
)

// maxOperands bounds the figures of the cells that are combined with each other.
const maxOperands = 160

// Derives reports a figure that the cells lead to: a number of records, a sum, difference or product of two values, the sum
// of a column or record, or the time between two values. named is true if the words around the figure name a column: then it
// does not count records. If strict is set, only values of one column are combined.
func (x *Index) Derives(f *figures.Figure, named, strict bool) bool {
	if f.Kind == figures.Date || f.Kind == figures.Clock {
		return false
	}
	if f.Kind == figures.Count && f.Unit.Dimension == figures.None && x.countsRecords(f, named) {
		return true
	}
	return x.sums(f, strict) || x.combines(f, strict)
}

// countsRecords reports a number of records, or of the elements of a list, or of some of them.
func (x *Index) countsRecords(f *figures.Figure, named bool) bool {
	if f.Value != math.Trunc(f.Value) || f.Value < 0 {
		return false
	}
	for i := range x.Groups {
		if n := x.Groups[i].Records; !named && n > 1 && f.Value <= float64(n) {
			return true
		}
	}
	for i := 0; i < len(x.Cells); {
		n := x.elementsAt(i)
		if n > 1 && f.Value == float64(n) {
			return true
		}
		i += n
	}
	return false
}

// elementsAt returns the number of elements of the list whose first element is the i-th cell, 1 for another cell.
func (x *Index) elementsAt(i int) int {
	c, n := &x.Cells[i], 1
	for c.Element && i+n < len(x.Cells) && x.Cells[i+n].Element && x.Cells[i+n].Column == c.Column && x.Cells[i+n].Record == c.Record {
		n++
	}
	return n
}

// sums reports the sum of a column over the records, or of a record's numbers.
func (x *Index) sums(f *figures.Figure, strict bool) bool {
	x.Work.Spend(len(x.Cells) * (1 + len(x.Columns)/detectors.ScanRows))
	for i := range x.Columns {
		if x.Columns[i].Has(NumberValue) && x.sumsColumn(f, int32(i)) {
			return true
		}
	}
	for i := 0; i < len(x.Records) && !strict; i++ {
		if x.sumsRecord(f, &x.Records[i]) {
			return true
		}
	}
	return false
}

func (x *Index) sumsColumn(f *figures.Figure, column int32) bool {
	sum, terms := 0.0, 0
	for k := range x.Cells {
		if c := &x.Cells[k]; c.Column == column && c.EndFigure > c.FirstFigure && x.adds(f, &x.Figures[c.FirstFigure]) {
			sum += x.amount(f, &x.Figures[c.FirstFigure])
			terms++
		}
	}
	return terms > 1 && matchesValue(f, sum)
}

// sumsRecord reports the sum of neighboring numbers of the record.
func (x *Index) sumsRecord(f *figures.Figure, r *cellRecord) bool {
	sum, terms := 0.0, 0
	for k := r.FirstCell; k >= 0; k = x.Cells[k].Next {
		c := &x.Cells[k]
		switch {
		case c.Kind != NumberValue:
			sum, terms = 0, 0
		case x.adds(f, &x.Figures[c.FirstFigure]):
			sum += x.amount(f, &x.Figures[c.FirstFigure])
			if terms++; terms > 1 && matchesValue(f, sum) {
				return true
			}
		}
	}
	return false
}

// adds reports whether the value can be a term of f.
func (x *Index) adds(f, g *figures.Figure) bool {
	return g.Kind != figures.Clock && (g.Kind != figures.Date || g.Month == 0) &&
		(f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None)
}

// amount is the value in the unit of f.
func (x *Index) amount(f, g *figures.Figure) float64 {
	if f.Unit.Dimension == g.Unit.Dimension && f.Unit.Factor > 0 {
		return g.Value * g.Unit.Factor / f.Unit.Factor
	}
	return g.Value
}

// matchesValue reports whether f is the value, as exactly as f is stated.
func matchesValue(f *figures.Figure, value float64) bool {
	if value == 0 || f.Value == 0 {
		return value == f.Value
	}
	far := math.Abs(f.Value - math.Abs(value))
	if f.Sense != figures.Exact {
		return far <= 0.1*math.Abs(value)
	}
	return far <= 0.5001*math.Pow10(-int(f.Decimals)) && far <= 0.02*math.Abs(value) || far <= 1e-9*math.Abs(value)
}

// combines reports a difference, product or sum of two values of one column or one record.
func (x *Index) combines(f *figures.Figure, strict bool) bool {
	n := min(len(x.Cells), maxOperands)
	if !x.Work.Spend(2 * n * n / detectors.ScanRows) {
		return true
	}
	total := 0.0
	for i := range n {
		c := &x.Cells[i]
		for k := i + 1; k < n && c.EndFigure > c.FirstFigure; k++ {
			e := &x.Cells[k]
			sameRecord := e.Record == c.Record && (!strict || f.Unit.Dimension != figures.None)
			if e.EndFigure > e.FirstFigure && (sameRecord || e.Column == c.Column) && x.combine(f, i, k, &total) {
				return true
			}
		}
	}
	return false
}

// combine reports a figure that follows from the i-th and the k-th cell. total adds up their products.
func (x *Index) combine(f *figures.Figure, i, k int, total *float64) bool {
	c, e := &x.Cells[i], &x.Cells[k]
	p, q := &x.Figures[c.FirstFigure], &x.Figures[e.FirstFigure]
	if x.elapsed(f, i, k) || x.differ(f, p, q) || isRatio(f, p, q) {
		return true
	}
	if e.Record != c.Record || !x.multiplies(f, p, q) {
		return false
	}
	product := x.product(f, p, q)
	*total += product
	return matchesValue(f, product) || matchesValue(f, *total) || matchesValue(f, product/100) || matchesValue(f, p.Value*(1+q.Value)) || matchesValue(f, p.Value*(1-q.Value))
}

// differ reports the difference or sum of two values, or their ratio in percent.
func (x *Index) differ(f, p, q *figures.Figure) bool {
	if p.Unit != q.Unit || (p.Kind == figures.Date) != (q.Kind == figures.Date) {
		return false
	}
	if f.Kind == figures.Percent && p.Kind == q.Kind && p.Value > 0 && q.Value > 0 && p.Kind != figures.Date && isShare(f, p.Value/q.Value) {
		return true
	}
	if !x.adds(f, p) || !x.adds(f, q) {
		return false
	}
	u, v := x.amount(f, p), x.amount(f, q)
	return matchesValue(f, u-v) || matchesValue(f, u+v)
}

// isShare reports a percentage that is the ratio, its inverse, or the change from one to the other.
func isShare(f *figures.Figure, ratio float64) bool {
	return matchesValue(f, 100*ratio) || matchesValue(f, 100/ratio) || matchesValue(f, 100*(ratio-1)) || matchesValue(f, 100*(1/ratio-1))
}

// isRatio reports how many times one amount is in another: "three months of rent".
func isRatio(f, p, q *figures.Figure) bool {
	if p.Unit != q.Unit || p.Unit.Dimension == figures.None || f.Kind != figures.Count || p.Value <= 0 || q.Value <= 0 || f.Value < 2 {
		return false
	}
	return matchesValue(f, p.Value/q.Value) || matchesValue(f, q.Value/p.Value)
}

// multiplies reports whether the product of the values may be meant: an amount and a number of things.
func (x *Index) multiplies(f, p, q *figures.Figure) bool {
	if p.Kind == figures.Date || q.Kind == figures.Date || p.Kind == figures.Clock || q.Kind == figures.Clock {
		return false
	}
	unit := p.Unit.Dimension
	if unit == figures.None {
		unit = q.Unit.Dimension
	}
	return f.Unit.Dimension != figures.None && (unit == f.Unit.Dimension || unit == figures.None || p.Unit.Dimension != figures.None)
}

// product is the product of the values in the unit of f.
func (x *Index) product(f, p, q *figures.Figure) float64 {
	if p.Unit.Dimension == f.Unit.Dimension {
		return x.amount(f, p) * q.Value
	}
	return p.Value * x.amount(f, q)
}

// DerivesFor is Derives for a claim about one record: only values of one record that it may mean are combined,
// to an amount with a unit.
func (x *Index) DerivesFor(f *figures.Figure, record int32) bool {
	if f.Kind == figures.Date || f.Kind == figures.Clock {
		return false
	}
	if f.Unit.Dimension == figures.None {
		return f.Kind == figures.Count && x.countsRecords(f, true)
	}
	n := min(len(x.Cells), maxOperands)
	if !x.Work.Spend(2 * n * n / detectors.ScanRows) {
		return true
	}
	total := 0.0
	for i := range n {
		if c := &x.Cells[i]; c.EndFigure > c.FirstFigure && x.Compatible(record, c.Record) && x.combinesWith(f, i, n, &total) {
			return true
		}
	}
	return x.sumsRecord(f, &x.Records[record])
}

// combinesWith reports whether the figure follows from the i-th cell and a later one of its record, before the n-th.
func (x *Index) combinesWith(f *figures.Figure, i, n int, total *float64) bool {
	c := &x.Cells[i]
	for k := i + 1; k < n; k++ {
		if e := &x.Cells[k]; e.EndFigure > e.FirstFigure && e.Record == c.Record && x.combine(f, i, k, total) {
			return true
		}
	}
	return false
}

// Multiplies reports the product of the cell's value and a number of things in the claim: "two lamps cost 80". at may be -1.
func (x *Index) Multiplies(f *figures.Figure, at int32, claim []figures.Figure) bool {
	if at < 0 {
		return false
	}
	c := &x.Cells[at]
	x.Work.Spend(1 + len(claim)/detectors.ScanRows)
	for i := range claim {
		g := &claim[i]
		if g.Kind == figures.Count && g.Unit.Dimension == figures.None && g.Value >= 2 && c.EndFigure > c.FirstFigure && matchesValue(f, g.Value*x.amount(f, &x.Figures[c.FirstFigure])) {
			return true
		}
	}
	return false
}
