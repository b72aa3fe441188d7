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
			if e.EndFigure > e.FirstFigure && (sameRecord || e.Column == c.Column) && x.combine(f, c, e, &total) {
				return true
			}
		}
	}
	return false
}

// combine reports a figure that follows from two cells. total adds up their products.
func (x *Index) combine(f *figures.Figure, c, e *Cell, total *float64) bool {
	p, q := &x.Figures[c.FirstFigure], &x.Figures[e.FirstFigure]
	if x.elapsed(f, c, e) || x.differ(f, p, q) || isRatio(f, p, q) {
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

const (
	dayMinutes  = 24 * 60
	monthDays   = 30.44
	daySeconds  = 86400
	yearInMonth = 12
)

// product is the product of the values in the unit of f.
func (x *Index) product(f, p, q *figures.Figure) float64 {
	if p.Unit.Dimension == f.Unit.Dimension {
		return x.amount(f, p) * q.Value
	}
	return p.Value * x.amount(f, q)
}

// elapsed reports the time between two times or dates.
func (x *Index) elapsed(f *figures.Figure, c, e *Cell) bool {
	if f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar {
		return false
	}
	days, minutes, dated, timed := x.between(c, e)
	if f.Unit.Dimension == figures.Calendar {
		months := math.Abs(days) / monthDays
		return dated && math.Abs(f.Value*f.Unit.Factor-months) <= 0.6*max(1, f.Unit.Factor/yearInMonth)
	}
	seconds := math.Abs(days*daySeconds + minutes*60)
	if !dated && minutes < 0 {
		seconds = (minutes + dayMinutes) * 60
	}
	return (dated || timed) && x.timeParts(f, f.Value*f.Unit.Factor, seconds)
}

// between returns the days and minutes from the first cell to the second.
func (x *Index) between(c, e *Cell) (days, minutes float64, dated, timed bool) {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		for m := e.FirstFigure; m < e.EndFigure; m++ {
			p, q := &x.Figures[k], &x.Figures[m]
			switch {
			case p.Kind != q.Kind:
			case p.Kind == figures.Clock:
				minutes, timed = q.Value-p.Value, true
			case p.Kind == figures.Date:
				days, dated = dayNumber(q)-dayNumber(p), true
			}
		}
	}
	return days, minutes, dated, timed
}

// timeParts accepts a part of "1 hour 45 minutes" too.
func (x *Index) timeParts(f *figures.Figure, seconds, between float64) bool {
	near := math.Abs(seconds-between) <= 0.02*between+0.5*f.Unit.Factor*math.Pow10(-int(f.Decimals))*boolFloat(f.Decimals > 0)
	if near && between > 0 || between == seconds {
		return true
	}
	switch f.Unit.Factor {
	case 3600:
		return f.Value == math.Floor(between/3600)
	case 60:
		return f.Value == math.Mod(math.Floor(between/60), 60)
	default:
		return false
	}
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// dayNumber is a day count of the date, for differences.
func dayNumber(f *figures.Figure) float64 {
	y, m := int(f.Year), int(f.Month)
	if m < 3 {
		y, m = y-1, m+12
	}
	return float64(365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int(f.Day))
}
