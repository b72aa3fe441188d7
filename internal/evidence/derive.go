package evidence

import (
	"math"
	"slices"
	"time"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// MaxOperands is how many figures are combined in pairs. The cost of triples grows with the third power.
const MaxOperands = 24

const maxTriples = 12

// DerivationWork is the work of one derivation from n figures, in units of 10 ns.
func DerivationWork(n int) int {
	n = min(n, MaxOperands)
	return n*n + min(n, maxTriples)*min(n, maxTriples)*min(n, maxTriples)
}

// Derivable reports whether the figure follows from the others: as a sum, difference, product, quotient, percentage, total, mean
// or converted amount of numbers; as the time between two dates or times of day; as a date or time after a duration. Results
// count within half of the last place that the figure shows.
func Derivable(f *figures.Figure, from []figures.Figure) bool {
	switch f.Kind {
	case figures.Label, figures.Code:
		return false
	case figures.Date:
		return isDerivedDate(f, from)
	case figures.Clock:
		return isDerivedClock(f, from)
	default:
	}
	if g := grouped(f); g != f && Derivable(g, from) {
		return true
	}
	d := derivation{figure: f, tolerance: tolerance(f)}
	return isElapsed(f, from) || d.isCombined(from)
}

// grouped is "1.250" read as a thousand and more.
func grouped(f *figures.Figure) *figures.Figure {
	if f.Alternative == 0 || f.Decimals != 3 {
		return f
	}
	g := *f
	g.Value, g.Alternative, g.Decimals = f.Alternative, 0, 0
	return &g
}

// tolerance is half of the last place that the figure shows, or 3 % of one that is about.
func tolerance(f *figures.Figure) float64 {
	step := math.Pow10(-int(f.Decimals))
	v := math.Abs(f.Value)
	switch {
	case f.Scaled:
		step *= f.Scale()
	case f.Decimals == 0 && v >= 100:
		for n := v; n >= 10 && math.Mod(n, 10) == 0; n /= 10 {
			step *= 10
		}
	}
	t := 0.505 * step
	if f.Sense == figures.About {
		t = max(t, 0.03*v)
	}
	return min(t, 0.05*v+1e-9)
}

// derivation looks for the value of a figure among combinations of operands.
type derivation struct {
	figure    *figures.Figure
	tolerance float64
	operands  [MaxOperands]*figures.Figure
	n         int
}

func (d *derivation) is(values ...float64) bool {
	for _, v := range values {
		if v != 0 && math.Abs(v-d.figure.Value) <= d.tolerance {
			return true
		}
	}
	return false
}

func (d *derivation) isCombined(from []figures.Figure) bool {
	for i := range from {
		f := &from[i]
		if d.figure.Decimals == 0 {
			f = grouped(f)
		}
		if d.n < MaxOperands && f.Value != 0 && f.Kind <= figures.Money {
			d.operands[d.n] = f
			d.n++
		}
	}
	for i, a := range d.operands[:d.n] {
		if mayAdd(d.figure, a) && d.isOfOne(a) {
			return true
		}
		for _, b := range d.operands[:i] {
			if d.isOfTwo(a, b) {
				return true
			}
		}
	}
	return d.isTotal() || d.isOfThree()
}

// mayAdd reports figures that are not of two known quantities: metres and euros have no sum.
func mayAdd(a, b *figures.Figure) bool {
	return a.Unit.Dimension == b.Unit.Dimension || a.Unit.Dimension == figures.None || b.Unit.Dimension == figures.None
}

// isOfOne reports the same amount per another period or in another scale, the rest to 100 %, or how often in a day, week or year.
func (d *derivation) isOfOne(a *figures.Figure) bool {
	if a.Kind == figures.Percent && d.is(100-a.Value) || d.figure.Sense == figures.About && d.is(4*a.Value, a.Value*52/12) { // a month
		return true
	}
	if d.isFrequency(a) {
		return true
	}
	for _, k := range [...]float64{7, 12, 30, 52, 60, 100, 365, 1000} {
		if v := convert(d.figure, a); d.is(v*k, v/k) && (k < 1000 || !d.figure.Scaled || !a.Scaled) { // a million is no billion
			return true
		}
	}
	return false
}

// isFrequency reports how often the time a passes in a day, week or year.
func (d *derivation) isFrequency(a *figures.Figure) bool {
	t, u := a.Value*a.Unit.Factor, a.Unit.Dimension
	return d.figure.Unit.Dimension == figures.None && (u == figures.Calendar && d.is(12/t) || u == figures.Duration && d.is(86400/t, 7*86400/t))
}

// isOfKind reports figures of one quantity: money and a number of things have no sum.
func isOfKind(a, b *figures.Figure) bool { return a.Unit.Dimension == b.Unit.Dimension }

func (d *derivation) isOfTwo(a, b *figures.Figure) bool {
	x, y := convert(d.figure, a), convert(d.figure, b)
	return d.isSum(a, b, x+y, math.Abs(x-y)) || d.mayMultiply(a, b) && d.is(x*y, a.Value*b.Value, x/y, y/x) || d.isShare(x, y) || a.Kind == figures.Percent && d.isPart(x, y) || b.Kind == figures.Percent && d.isPart(y, x)
}

// mayMultiply reports figures that have a product or ratio of the figure's kind: boards and gigabytes are no number of boards.
func (d *derivation) mayMultiply(a, b *figures.Figure) bool {
	isCount := func(g *figures.Figure) bool {
		return slices.Contains([]figures.Dimension{figures.None, figures.Duration, figures.Calendar}, g.Unit.Dimension)
	}
	return d.figure.Unit.Dimension != figures.None || a.Unit.Dimension == b.Unit.Dimension || isCount(a) && isCount(b)
}

// isSum reports the sum, difference or mean of a and b, also of a table in thousands or millions.
func (d *derivation) isSum(a, b *figures.Figure, sum, far float64) bool {
	if !isOfKind(a, b) || !mayAdd(d.figure, a) || !mayAdd(d.figure, b) {
		return false
	}
	return d.is(sum, far, sum/2) || d.figure.Scaled && !a.Scaled && !b.Scaled && d.is(sum*1e3, sum*1e6, far*1e3, far*1e6)
}

// convert is the value of a, in the unit of f if it is of its quantity.
func convert(f, a *figures.Figure) float64 {
	if u := f.Unit; u.Dimension != figures.None && a.Unit.Dimension == u.Dimension && u.Factor > 0 {
		return a.Value * a.Unit.Factor / u.Factor
	}
	return a.Value
}

// isShare reports what percentage one is of the other, or how much more or less.
func (d *derivation) isShare(x, y float64) bool {
	if d.figure.Kind != figures.Percent && d.figure.Unit.Dimension != figures.None {
		return false
	}
	return d.is(100*x/y, 100*y/x, 100*math.Abs(x-y)/y, 100*math.Abs(x-y)/x)
}

// isPart reports that percentage of an amount, or the amount with it added or taken off.
func (d *derivation) isPart(percent, of float64) bool {
	return d.is(percent*of/100, of*(1-percent/100), of*(1+percent/100))
}

// isTotal reports the total or the mean of the figures of one unit, or the rest of the total.
func (d *derivation) isTotal() bool {
	for _, a := range d.operands[:d.n] {
		sum, n := 0.0, 0.0
		for _, b := range d.operands[:d.n] {
			if a.Unit.Dimension == b.Unit.Dimension {
				sum += b.Value
				n++
			}
		}
		if n > 2 && d.is(sum, sum/n, sum-a.Value) {
			return true
		}
	}
	return false
}

func (d *derivation) isOfThree() bool {
	n := min(d.n, maxTriples)
	for i := range n {
		for j := range i {
			for k := range j {
				x, y, z := d.operands[i], d.operands[j], d.operands[k]
				a, b, c := x.Value, y.Value, z.Value
				if isOfKind(x, y) && isOfKind(y, z) && d.is(a+b+c, (a+b+c)/3) || d.is(a*b*c, a*b*c/100) || d.isMixed(x, y, z) || d.isMixed(y, z, x) || d.isMixed(z, x, y) {
					return true
				}
			}
		}
	}
	return false
}

// isMixed reports two steps, the last one with the third figure, which may be a percentage.
func (d *derivation) isMixed(x, y, z *figures.Figure) bool {
	a, b, c := x.Value, y.Value, z.Value
	far := math.Abs(a - b)
	return z.Kind == figures.Percent && (d.isPart(c, a*b) || isOfKind(x, y) && d.isPart(c, a+b)) || d.is(math.Abs(a+b-c), a*b/c, a*b+c, math.Abs(a*b-c), far*c, far/c, (a+b)*c)
}

const minutesPerDay = 24 * 60

// isElapsed reports the time between two dates or two times of day.
func isElapsed(f *figures.Figure, from []figures.Figure) bool {
	for i := range from {
		for j := range i {
			a, b := &from[i], &from[j]
			if a.Kind == figures.Clock && b.Kind == figures.Clock {
				if minutes := math.Abs(a.Value - b.Value); isMinutes(f, minutes) || isMinutes(f, minutesPerDay-minutes) {
					return true
				}
			}
			if days, ok := daysBetween(a, b); ok && isDays(f, math.Abs(days)) {
				return true
			}
		}
	}
	return false
}

func isMinutes(f *figures.Figure, minutes float64) bool {
	if f.Unit.Dimension == figures.Duration {
		return math.Abs(f.Value*f.Unit.Factor-minutes*60) <= .02*minutes*60+30
	}
	return f.Value == minutes || f.Value == minutes/60
}

func isDays(f *figures.Figure, days float64) bool {
	if days <= 0 {
		return false
	}
	switch f.Unit.Dimension {
	case figures.Duration:
		return math.Abs(f.Value*f.Unit.Factor/86400-days) <= 1+.02*days
	case figures.Calendar:
		return math.Abs(f.Value*f.Unit.Factor*30.44-days) <= 20*f.Unit.Factor
	default:
	}
	return math.Abs(f.Value-days) <= 1 || math.Abs(f.Value-days/365.25) < 1
}

// daysBetween is the time from one date to another; a missing year is that of the other one.
func daysBetween(a, b *figures.Figure) (days float64, ok bool) {
	if a.Kind != figures.Date || b.Kind != figures.Date {
		return 0, false
	}
	x, okX := DayOf(a, b)
	y, okY := DayOf(b, a)
	return y.Sub(x).Hours() / 24, okX && okY
}

// DayOf is the day of a date, the first one of a month or year. A missing year is that of the other date, if it has one.
func DayOf(a, other *figures.Figure) (time.Time, bool) {
	const anyYear = 2026
	year := a.Year
	if year == 0 {
		year = other.Year
	}
	if year == 0 {
		year = anyYear
	}
	if a.Month == 0 && a.Year == 0 {
		return time.Time{}, false
	}
	return time.Date(int(year), time.Month(max(a.Month, 1)), int(max(a.Day, 1)), 0, 0, 0, 0, time.UTC), true
}

// isDerivedDate reports a date that is a duration before or after another one, or the weekday of one.
func isDerivedDate(f *figures.Figure, from []figures.Figure) bool {
	for i := range from {
		a := &from[i]
		if f.Weekday != 0 && f.Day == 0 {
			if isWeekdayOf(f, a) {
				return true
			}
			continue
		}
		days, ok := daysBetween(a, f)
		next := *f
		if next.Year == 0 {
			next.Year = a.Year + 1 // 10 January is 90 days after 12 October
		}
		later, _ := daysBetween(a, &next)
		for j := range from {
			if b := &from[j]; ok && b.Kind <= figures.Ordinal && (isDays(b, math.Abs(days)) || isDays(b, math.Abs(later))) {
				return true
			}
		}
	}
	return false
}

// isWeekdayOf reports the day of the week of a date.
func isWeekdayOf(f, date *figures.Figure) bool {
	at, ok := DayOf(date, date)
	return ok && date.Kind == figures.Date && date.Day != 0 && int(at.Weekday()+6)%7+1 == int(f.Weekday)
}

// isDerivedClock reports a time of day that is a duration before or after another one. "14 h" is either.
func isDerivedClock(f *figures.Figure, from []figures.Figure) bool {
	for i := range from {
		at := from[i].Value
		if u := from[i].Unit; u.Dimension == figures.Duration {
			at *= u.Factor / 60
		} else if from[i].Kind != figures.Clock {
			continue
		}
		for j := range from {
			b := &from[j]
			if b.Kind == figures.Count && i != j &&
				(isMinutes(b, math.Mod(f.Value-at+minutesPerDay, minutesPerDay)) || isMinutes(b, math.Mod(at-f.Value+minutesPerDay, minutesPerDay))) {
				return true
			}
		}
	}
	return false
}

// IsStep reports a figure one step from one of these: with another of its record, of another result, of the user or of a call. Of many
// figures only those of the record and the user count. Small ones, and those of a row, follow from others of it by chance.
func (x *Index) IsStep(f *figures.Figure, of []Term) bool {
	return slices.ContainsFunc(of, func(t Term) bool {
		if t.Figure < 0 {
			return false
		}
		g := &x.Evidence.Figures[t.Figure]
		return x.Evidence.Units[g.Unit].Form == units.Record && x.isMultiple(f, g) || slices.ContainsFunc(x.Evidence.Figures, func(o Figure) bool {
			return o.Term != g.Term && x.mayStep(f, g, &o) && isStep(f, &g.Figure, &o.Figure)
		})
	})
}

// mayStep reports a figure that is no more than by chance with o one step from g.
func (x *Index) mayStep(f *figures.Figure, g, o *Figure) bool {
	n, u, from := len(x.Evidence.Figures), &x.Evidence.Units[g.Unit], x.Evidence.Units[o.Unit].Source
	isOwn := from == u.Source && u.Form == units.Record && max(f.Value, 10*float64(f.Decimals)) >= 10 && (o.Unit == g.Unit || n <= MaxOperands)
	return from < 0 || o.Value != 1 && (isOwn || from != u.Source && n <= 4*MaxOperands)
}

// isStep reports the sum or difference of g and o, g so many times, or that percentage of it, added or taken off; not of zero.
func isStep(f, g, o *figures.Figure) bool {
	a, b, shown := convert(f, g), convert(f, o), 0.505*math.Pow10(-int(f.Decimals))
	isAmount := max(f.Kind, g.Kind, o.Kind) <= figures.Money && a*b != 0 && mayAdd(f, g) && (f.Kind == figures.Percent) == (g.Kind == figures.Percent)
	if o.Kind == figures.Percent && g.Kind != figures.Percent {
		return isAmount && slices.ContainsFunc([]float64{b, 100 - b, 100 + b}, func(k float64) bool { return math.Abs(a*k/100-f.Value) <= shown })
	}
	is := func(v float64) bool { return math.Abs(v-f.Value) < 1e-6 }
	return isAmount && (mayAdd(f, o) && mayAdd(g, o) && slices.ContainsFunc([]float64{a + b, math.Abs(a - b)}, is) || o.IsBare() && is(a*o.Value))
}

// periods are words that count an amount: a week of days, a year of months, two ways or people.
//
//nolint:gochecknoglobals,misspell // a read-only table; words of other languages
var periods = map[float64]text.WordSet{
	7:  text.HashSet("week weeks weekly woche wochen semaine semaines semana semanas settimana settimane"),
	12: text.HashSet("year years yearly annual annually jahr jahre jahren an ans annee año años anno anni"),
	6:  text.HashSet("half halbjahr semestre"),
	2:  text.HashSet("both couple pair return weekend double twice beide paar wochenende deux dos due"),
}

// times are the numbers that the answer and the user say, also in weeks or years where they speak of these.
func (x *Index) times() (list []float64) {
	const most = 60
	factors, words, said := []float64{1}, slices.Clone(x.Answer.Terms), slices.Clone(x.Answer.Figures)
	for i := range x.Evidence.Units {
		if x.Evidence.Units[i].Source < 0 {
			words, said = append(words, x.Evidence.TermsOf(i)...), append(said, x.Evidence.FiguresOf(i)...)
		}
	}
	for n, names := range periods {
		if slices.ContainsFunc(words, func(t Term) bool { return names.Has(t.Word) }) {
			list, factors = append(list, n), append(factors, n)
		}
	}
	for _, o := range said[:min(len(said), maxTriples)] {
		v := o.Value
		switch u := o.Figure.Unit; u.Dimension {
		case figures.Duration:
			v = o.Value * u.Factor / 86400
		case figures.Calendar:
			v = o.Value * u.Factor
		default:
		}
		list = append(list, v)
		for _, k := range factors {
			list = append(list, o.Value*k)
		}
	}
	return slices.DeleteFunc(list, func(v float64) bool { return v < 2 || v > most || v != math.Trunc(v) })
}

// isMultiple reports an amount that is so many times the figure of a record, also with another one of the record or so many times that.
func (x *Index) isMultiple(f *figures.Figure, g *Figure) bool {
	const least = 20
	value := grouped(f).Value
	if f.Kind > figures.Money || value < least {
		return false
	}
	own := slices.DeleteFunc(slices.Clone(x.Evidence.Figures), func(o Figure) bool { return o.Unit != g.Unit || o.Kind > figures.Money || o.Value <= 1 })
	own, times := own[:min(len(own), maxTriples)], x.times()
	is := func(v float64) bool { return math.Abs(v-value) < 1e-6 }
	return slices.ContainsFunc(own, func(a Figure) bool {
		return slices.ContainsFunc(times, func(n float64) bool {
			return is(n*a.Value) || slices.ContainsFunc(own, func(b Figure) bool {
				return b.Term != a.Term && (is(n*a.Value+b.Value) || slices.ContainsFunc(times, func(m float64) bool { return is(n*a.Value + m*b.Value) }))
			})
		})
	})
}
