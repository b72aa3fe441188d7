package cellcheck

import (
	"math"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/internal/text/figures"
)

// maxOperands bounds the figures of the cells that are combined with each other.
const maxOperands = 160

// derived reports a figure that the cells lead to: a number of records, a sum, difference or product of two values, the sum
// of a column or record, or the time between two values. If clear is set, the words around the figure name a column, and only
// values of one column are combined.
func (x *Checker) derived(f *figures.Figure, clear bool) bool {
	if f.Kind == figures.Date || f.Kind == figures.Clock {
		return false
	}
	if f.Kind == figures.Count && f.Unit.Dimension == figures.None && x.countsRecords(f) {
		return true
	}
	return x.sums(f, clear) || x.combines(f, clear)
}

// countsRecords reports a number of records, or of the elements of a list, or of some of them.
func (x *Checker) countsRecords(f *figures.Figure) bool {
	if f.Value != math.Trunc(f.Value) || f.Value < 0 {
		return false
	}
	for i := range x.Groups {
		if n := x.Groups[i].Records; n > 1 && f.Value <= float64(n) && !x.nearColumn(f) {
			return true
		}
	}
	for i := 0; i < len(x.Cells); {
		n := 1
		for i+n < len(x.Cells) && x.Cells[i].Element && x.Cells[i+n].Element && x.Cells[i+n].Column == x.Cells[i].Column && x.Cells[i+n].Record == x.Cells[i].Record {
			n++
		}
		if n > 1 && f.Value == float64(n) {
			return true
		}
		i += n
	}
	return false
}

// nearColumn reports whether the words around the figure name a column with numbers.
func (x *Checker) nearColumn(f *figures.Figure) bool {
	_, isClear := x.columnFor(f)
	return isClear
}

// sums reports the sum of a column over the records, or of a record's numbers of one unit.
func (x *Checker) sums(f *figures.Figure, clear bool) bool {
	x.Work.Spend(len(x.Cells) * (1 + len(x.Columns)/detectors.ScanRows))
	for i := range x.Columns {
		if !x.Columns[i].Has(cells.NumberValue) {
			continue
		}
		sum, terms := 0.0, 0
		for k := range x.Cells {
			if c := &x.Cells[k]; c.Column == int32(i) && c.EndFigure > c.FirstFigure && x.adds(f, &x.Figures[c.FirstFigure]) {
				sum += x.amount(f, &x.Figures[c.FirstFigure])
				terms++
			}
		}
		if terms > 1 && same(f, sum) {
			return true
		}
	}
	for i := range x.Records {
		sum, terms := 0.0, 0
		if clear {
			break
		}
		for k := x.Records[i].FirstCell; k >= 0; k = x.Cells[k].Next {
			if c := &x.Cells[k]; c.Kind == cells.NumberValue && x.adds(f, &x.Figures[c.FirstFigure]) {
				sum += x.amount(f, &x.Figures[c.FirstFigure])
				if terms++; terms > 1 && same(f, sum) {
					return true
				}
			} else if sum != 0 && c.Kind != cells.NumberValue {
				sum, terms = 0, 0
			}
		}
	}
	return false
}

// adds reports whether the value can be a term of f.
func (x *Checker) adds(f, g *figures.Figure) bool {
	return g.Kind != figures.Clock && (g.Kind != figures.Date || g.Month == 0) &&
		(f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None)
}

// amount is the value in the unit of f.
func (x *Checker) amount(f, g *figures.Figure) float64 {
	if f.Unit.Dimension == g.Unit.Dimension && f.Unit.Factor > 0 {
		return g.Value * g.Unit.Factor / f.Unit.Factor
	}
	return g.Value
}

// same reports whether f is the value, as exactly as f is stated.
func same(f *figures.Figure, value float64) bool {
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
func (x *Checker) combines(f *figures.Figure, clear bool) bool {
	n := min(len(x.Cells), maxOperands)
	if !x.Work.Spend(2 * n * n / detectors.ScanRows) {
		return true
	}
	total := 0.0
	for i := range n {
		c := &x.Cells[i]
		if c.EndFigure == c.FirstFigure {
			continue
		}
		for k := i + 1; k < n; k++ {
			e := &x.Cells[k]
			if e.EndFigure == e.FirstFigure || e.Column != c.Column && (e.Record != c.Record || clear && f.Unit.Dimension == figures.None) {
				continue
			}
			if x.elapsed(f, c, e) {
				return true
			}
			p, q := &x.Figures[c.FirstFigure], &x.Figures[e.FirstFigure]
			switch {
			case x.differ(f, p, q), isRatio(f, p, q):
				return true
			case e.Record == c.Record && x.multiplies(f, p, q):
				product := x.product(f, p, q)
				total += product
				if same(f, product) || same(f, total) || e.Record == c.Record && same(f, product/100) || same(f, p.Value*(1+q.Value)) || same(f, p.Value*(1-q.Value)) {
					return true
				}
			}
		}
	}
	return false
}

// differ reports the difference or sum of two values, or their ratio in percent.
func (x *Checker) differ(f, p, q *figures.Figure) bool {
	if f.Kind == figures.Percent && p.Unit == q.Unit && p.Kind == q.Kind && p.Value > 0 && q.Value > 0 && p.Kind != figures.Date {
		if same(f, 100*p.Value/q.Value) || same(f, 100*q.Value/p.Value) || same(f, 100*(p.Value/q.Value-1)) || same(f, 100*(q.Value/p.Value-1)) {
			return true
		}
	}
	if !x.adds(f, p) || !x.adds(f, q) || p.Unit != q.Unit || p.Kind == figures.Date != (q.Kind == figures.Date) {
		return false
	}
	u, v := x.amount(f, p), x.amount(f, q)
	return same(f, u-v) || same(f, u+v)
}

// isRatio reports how many times one amount is in another: "three months of rent".
func isRatio(f, p, q *figures.Figure) bool {
	if p.Unit != q.Unit || p.Unit.Dimension == figures.None || f.Kind != figures.Count || p.Value <= 0 || q.Value <= 0 || f.Value < 2 {
		return false
	}
	return same(f, p.Value/q.Value) || same(f, q.Value/p.Value)
}

// multiplies reports whether the product of the values may be meant: an amount and a number of things.
func (x *Checker) multiplies(f, p, q *figures.Figure) bool {
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
func (x *Checker) product(f, p, q *figures.Figure) float64 {
	if p.Unit.Dimension == f.Unit.Dimension {
		return x.amount(f, p) * q.Value
	}
	return p.Value * x.amount(f, q)
}

// elapsed reports the time between two times or dates.
func (x *Checker) elapsed(f *figures.Figure, c, e *cells.Cell) bool {
	if f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar {
		return false
	}
	days, clocks, minutes := 0.0, 0, 0.0
	dates := 0
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		for m := e.FirstFigure; m < e.EndFigure; m++ {
			p, q := &x.Figures[k], &x.Figures[m]
			if p.Kind != q.Kind {
				continue
			}
			switch p.Kind {
			case figures.Clock:
				minutes, clocks = q.Value-p.Value, clocks+1
			case figures.Date:
				days, dates = dayNumber(q)-dayNumber(p), dates+1
			default:
			}
		}
	}
	if clocks == 0 && dates == 0 {
		return false
	}
	if f.Unit.Dimension == figures.Calendar {
		months := math.Abs(days) / monthDays
		return dates > 0 && math.Abs(f.Value*f.Unit.Factor-months) <= 0.6*max(1, f.Unit.Factor/yearInMonth)
	}
	seconds := f.Value * f.Unit.Factor
	between := math.Abs(days*daySeconds + minutes*60)
	if dates == 0 && minutes < 0 {
		between = (minutes + dayMinutes) * 60
	}
	return x.timeParts(f, seconds, between)
}

// timeParts accepts a part of "1 hour 45 minutes" too.
func (x *Checker) timeParts(f *figures.Figure, seconds, between float64) bool {
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
