package figurematch

import (
	"math"

	"confab/internal/text/figures"
)

// compareDates compares the parts of the answer's date. A four-digit number may be a year or a count.
func compareDates(a, b *figures.Figure) Level {
	if a.Kind != figures.Date || b.Kind != figures.Date {
		if a.IsYearOnly() || b.IsYearOnly() {
			if SameNumber(a.Value, b.Value) {
				return Equal
			}
			if a.Kind == figures.Count && isRounding(a, a.Value, b.Value) || a.Kind == figures.Count && senseCovers(a.Sense, a.Value, b.Value) {
				return Rounded
			}
		}
		return NoMatch
	}
	switch {
	case a.Weekday != 0:
		if a.Weekday == weekdayOf(b) {
			return Equal
		}
		return NoMatch
	case a.Decade && b.Year >= a.Year && b.Year < a.Year+decadeYears(a) && (b.Period == 0 || b.Period == centuryMonths && b.Year == a.Year && a.Year%100 == 0):
		return Equal
	case b.Decade && a.Decade:
		return NoMatch
	case a.Period > 0 || b.Period > 0:
		return comparePeriods(a, b)
	}
	shared := compareParts(a.Year, b.Year) + compareParts(int16(a.Month), int16(b.Month)) + compareParts(int16(a.Day), int16(b.Day))
	switch {
	case shared <= 0:
		return NoMatch
	case (a.Year == 0 || b.Year != 0) && (a.Month == 0 || b.Month != 0) && (a.Day == 0 || b.Day != 0):
		return Equal
	}
	return Rounded // the source lacks a part
}

// decadeYears is 100 for "the 1800s", which mostly means the century.
func decadeYears(f *figures.Figure) int16 {
	if f.Year%100 == 0 && f.Year < 2000 {
		return 100
	}
	return 10
}

// comparePeriods compares two dates, at least one of which is a quarter, half-year or century.
func comparePeriods(a, b *figures.Figure) Level {
	switch {
	case a.Period == b.Period && a.Year == b.Year && a.Month == b.Month:
		return Equal
	case a.Period == centuryMonths:
		if b.Year >= a.Year && b.Year <= a.Year+100 && b.Year != 0 {
			return Equal
		}
		return NoMatch
	case b.Period == centuryMonths || a.Year != b.Year && a.Year != 0 && b.Year != 0:
		return NoMatch
	case a.Period == 0 && a.Month == 0: // a year for its quarter
		return Equal
	case a.Period > 0 && b.Month == 0:
		return Rounded // the source lacks a part
	case a.Period > 0 && b.Month >= a.Month && int16(b.Month)+max(b.Period, 1) <= int16(a.Month)+a.Period:
		return Equal
	}
	return NoMatch
}

// compareParts scores a part of two dates: 1 if equal, 0 if one is unknown, -4 if they differ.
func compareParts(a, b int16) int {
	switch {
	case a == 0 || b == 0:
		return 0
	case a == b:
		return 1
	default:
		return -4
	}
}

// weekdayOf is the weekday of a date, 0 if unknown.
func weekdayOf(f *figures.Figure) int8 {
	if f.Weekday != 0 || f.Year == 0 || f.Month == 0 || f.Day == 0 {
		return f.Weekday
	}
	y, m := int(f.Year), int(f.Month) // Sakamoto's method
	if m < 3 {
		y--
	}
	shift := [...]int{0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4}[m-1]
	day := (y + y/4 - y/100 + y/400 + shift + int(f.Day)) % 7
	if day == 0 {
		return 7
	}
	return int8(day)
}

func compareClocks(a, b *figures.Figure) Level {
	if a.Kind != figures.Clock || b.Kind != figures.Clock {
		return NoMatch
	}
	va, vb := math.Mod(a.Value, 24*60), math.Mod(b.Value, 24*60)
	if va == math.Trunc(va) || vb == math.Trunc(vb) { // one of them without seconds
		va, vb = math.Trunc(va), math.Trunc(vb)
	}
	if va == vb || (a.HalfDay || b.HalfDay) && math.Mod(va, 12*60) == math.Mod(vb, 12*60) {
		return Equal
	}
	if later := vb - va; a.Sense == figures.AtLeast && later > 0 && later < 60 || a.Sense == figures.AtMost && later < 0 && later > -60 {
		return Rounded // before 4 p.m.
	}
	return NoMatch
}

// centuryMonths are the months of a century.
const centuryMonths = 1200
