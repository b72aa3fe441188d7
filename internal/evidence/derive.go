package evidence

import (
	"math"
	"time"

	"confab/internal/text/figures"
)

// maxOperands is how many figures are combined: the cost grows with the third power.
const maxOperands = 12

// Derivable reports whether the figure follows from the others: as a sum, difference, product, quotient, percentage, total, mean
// or converted unit of numbers; as the time between two dates or times of day; as a date or time after a duration.
func Derivable(f *figures.Figure, from []figures.Figure) bool {
	switch f.Kind {
	case figures.Date:
		return isDerivedDate(f, from)
	case figures.Clock:
		return isDerivedClock(f, from)
	case figures.Label, figures.Code:
		return false
	}
	d := derivation{value: f.Value, tolerance: tolerance(f), percent: f.Kind == figures.Percent}
	d.counted = f.Unit.Dimension == figures.None
	return d.isElapsed(f, from) || d.isCombined(from)
}

// tolerance is half of the last place that the figure shows, or 3 % of one that is about.
func tolerance(f *figures.Figure) float64 {
	step := math.Pow10(-int(f.Decimals))
	v := math.Abs(f.Value)
	if f.Scaled {
		for n := v; n >= 1000; n /= 1000 {
			step *= 1000
		}
	} else if f.Decimals == 0 && v >= 1000 {
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

type operand struct {
	value     float64
	dimension figures.Dimension
	percent   bool
}

type derivation struct {
	value, tolerance float64
	percent, counted bool
	operands         [maxOperands]operand
	n                int
}

func (d *derivation) is(v float64) bool { return v != 0 && math.Abs(v-d.value) <= d.tolerance }

func (d *derivation) isShare(a, b float64) bool {
	if !d.percent && !d.counted {
		return false
	}
	return d.is(100*a/b) || d.is(100*b/a) || d.is(100*math.Abs(a-b)/b) || d.is(100*math.Abs(a-b)/a)
}

func (d *derivation) isCombined(from []figures.Figure) bool {
	for i := range from {
		f := &from[i]
		if d.n < maxOperands && f.Value != 0 && (f.Kind == figures.Count || f.Kind == figures.Percent || f.Kind == figures.Money) {
			d.operands[d.n] = operand{f.Value, f.Unit.Dimension, f.Kind == figures.Percent}
			d.n++
		}
	}
	for i := range d.n {
		if d.isOfOne(&d.operands[i]) {
			return true
		}
		for j := range i {
			if d.isOfTwo(&d.operands[i], &d.operands[j]) {
				return true
			}
		}
	}
	return d.isOfMany()
}

// isOfOne reports a usual conversion: hours and minutes, months and years, days and weeks, twice, half, the rest of 100 %.
func (d *derivation) isOfOne(a *operand) bool {
	if a.percent {
		return d.is(100 - a.value)
	}
	for _, k := range [...]float64{2, 7, 12, 24, 60, 1000} {
		if d.is(a.value*k) || d.is(a.value/k) {
			return true
		}
	}
	return false
}

func (d *derivation) isOfTwo(a, b *operand) bool {
	x, y := a.value, b.value
	if a.dimension == b.dimension || a.dimension == figures.None || b.dimension == figures.None {
		if d.is(x+y) || d.is(math.Abs(x-y)) || d.isShare(x, y) {
			return true
		}
	}
	if d.is(x*y) || d.is(x/y) || d.is(y/x) {
		return true
	}
	if b.percent {
		x, y = y, x
	}
	return (a.percent || b.percent) && (d.is(x*y/100) || d.is(y*(1-x/100)) || d.is(y*(1+x/100)))
}

// isOfMany reports totals and means of figures of one unit, and combinations of three.
func (d *derivation) isOfMany() bool {
	for i := range d.n {
		unit, sum, n := d.operands[i].dimension, 0.0, 0.0
		for j := range d.n {
			if d.operands[j].dimension == unit {
				sum += d.operands[j].value
				n++
			}
		}
		if n > 2 && (d.is(sum) || d.is(sum/n) || d.is(sum-d.operands[i].value)) {
			return true
		}
	}
	for i := range d.n {
		for j := range i {
			for k := range j {
				if d.isOfThree(d.operands[i].value, d.operands[j].value, d.operands[k].value) {
					return true
				}
			}
		}
	}
	return false
}

func (d *derivation) isOfThree(a, b, c float64) bool {
	for range 3 {
		a, b, c = b, c, a
		if d.is(a+b-c) || d.is(a*b/c) || d.is(a*b+c) || d.is(math.Abs(a*b-c)) || d.is(a*math.Abs(b-c)) {
			return true
		}
	}
	return d.is(a+b+c) || d.is((a+b+c)/3) || d.is(a*b*c) || d.is(a*b*c/100)
}

// isElapsed reports the time between two dates or two times of day.
func (d *derivation) isElapsed(f *figures.Figure, from []figures.Figure) bool {
	if !d.counted && f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar {
		return false
	}
	for i := range from {
		for j := range i {
			a, b := &from[i], &from[j]
			switch {
			case a.Kind == figures.Clock && b.Kind == figures.Clock:
				if d.isMinutes(f, math.Abs(a.Value-b.Value)) {
					return true
				}
			case a.Kind == figures.Date && b.Kind == figures.Date && d.isBetween(f, a, b):
				return true
			}
		}
	}
	return false
}

const minutesPerDay = 24 * 60

func (d *derivation) isMinutes(f *figures.Figure, minutes float64) bool {
	for _, m := range [...]float64{minutes, minutesPerDay - minutes} {
		if f.Unit.Dimension == figures.Duration && math.Abs(m*60-f.Value*f.Unit.Factor) <= 90 || d.counted && (d.is(m) || d.is(m/60)) {
			return true
		}
	}
	return false
}

func (d *derivation) isBetween(f, a, b *figures.Figure) bool {
	if a.Day == 0 || b.Day == 0 {
		return a.Year != 0 && b.Year != 0 && (d.counted || f.Unit.Dimension == figures.Calendar) && d.is(math.Abs(float64(a.Year-b.Year)))
	}
	days := math.Abs(dayOf(a, b.Year).Sub(dayOf(b, a.Year)).Hours() / 24)
	for _, n := range [...]float64{days, days + 1, days - 1} {
		if f.Unit.Dimension == figures.Duration && math.Abs(n*86400-f.Value*f.Unit.Factor) < 1 || d.counted && d.is(n) {
			return true
		}
	}
	months := math.Abs(float64(12*int(a.Year-b.Year) + int(a.Month-b.Month)))
	return f.Unit.Dimension == figures.Calendar && math.Abs(months-f.Value*f.Unit.Factor) < 1
}

// dayOf is the date; year stands for one that is not known.
func dayOf(f *figures.Figure, year int16) time.Time {
	if f.Year != 0 {
		year = f.Year
	}
	if year == 0 {
		year = 2026
	}
	return time.Date(int(year), time.Month(f.Month), int(f.Day), 0, 0, 0, 0, time.UTC)
}

// isDerivedDate reports a date that a duration leads to from another one.
func isDerivedDate(f *figures.Figure, from []figures.Figure) bool {
	for i := range from {
		a := &from[i]
		if a.Kind != figures.Date || a == f {
			continue
		}
		for j := range from {
			b := &from[j]
			if b.Kind == figures.Count && isDateAfter(f, a, b) {
				return true
			}
		}
	}
	return false
}

func isDateAfter(f, a, b *figures.Figure) bool {
	length := b.Value * max(b.Unit.Factor, 1)
	switch {
	case f.Day != 0 && a.Day != 0:
		days := math.Abs(dayOf(f, a.Year).Sub(dayOf(a, f.Year)).Hours() / 24)
		if b.Unit.Dimension == figures.Calendar {
			return days > 0 && math.Abs(days-length*365.25/12) <= 2
		}
		if b.Unit.Dimension == figures.Duration {
			length /= 86400
		}
		return days > 0 && math.Abs(days-length) <= 1
	case f.Month != 0 && a.Month != 0:
		months := math.Abs(float64(12*int(f.Year-a.Year) + int(f.Month-a.Month)))
		return b.Unit.Dimension == figures.Calendar && months > 0 && math.Abs(months-length) <= 1
	case f.Year != 0 && a.Year != 0:
		years := math.Abs(float64(f.Year - a.Year))
		return years > 0 && (b.Unit.Dimension == figures.Calendar && years*12 == length || b.Unit.Dimension == figures.None && years == b.Value)
	}
	return false
}

// isDerivedClock reports a time of day that a duration leads to from another one.
func isDerivedClock(f *figures.Figure, from []figures.Figure) bool {
	for i := range from {
		a := &from[i]
		if a.Kind != figures.Clock {
			continue
		}
		for j := range from {
			b := &from[j]
			if b.Unit.Dimension != figures.Duration {
				continue
			}
			for _, sign := range [...]float64{1, -1} {
				if v := math.Mod(a.Value+sign*b.Value*b.Unit.Factor/60+minutesPerDay, minutesPerDay); math.Abs(v-f.Value) < 0.5 {
					return true
				}
			}
		}
	}
	return false
}
