package figures

import "math"

// MatchLevel is how well one figure supports another.
type MatchLevel uint8

// The levels, worst first.
const (
	NoMatch   MatchLevel = iota
	SameValue            // the same number with another unit: 12 % and 12 km
	Rounded              // the value is the other one rounded or converted, or includes it ("over 5" and 7)
	Equal
)

// Compare returns how well the figure of a source supports the figure of an answer. The answer may be less exact than the
// source, not more.
func Compare(answer, source *Figure) MatchLevel {
	switch {
	case answer.Kind == Label || source.Kind == Label:
		return NoMatch
	case answer.Kind == Date || source.Kind == Date:
		return compareDates(answer, source)
	case answer.Kind == Clock || source.Kind == Clock:
		return compareClocks(answer, source)
	}
	a, b := answer.Value, source.Value
	same := sameMeasure(answer, source)
	if same && answer.Unit.Dimension != None && source.Unit.Dimension != None {
		a, b = a*answer.Unit.Factor, b*source.Unit.Factor
	}
	switch {
	case nearlyEqual(a, b):
		switch {
		case same:
			return Equal
		case isBareNumber(source) && !source.Counts: // "42 %" from a table with percent in its header
			return Rounded
		}
		return SameValue
	case same && (senseCovers(answer.Sense, a, b) || isRounding(answer, a, b) || isConversion(answer, source, a, b)):
		return Rounded
	}
	return NoMatch
}

// isConversion reports the same measure in another unit, within the usual rounding.
func isConversion(answer, source *Figure, a, b float64) bool {
	if answer.Unit.Dimension == None || source.Unit.Dimension == None {
		return false
	}
	if answer.Unit.Dimension == Temperature {
		return math.Abs(a-(b-32)*5/9) < 1 || math.Abs(a-(b*9/5+32)) < 1.5
	}
	return answer.Unit.Factor != source.Unit.Factor && math.Abs(a-b) <= conversionShare*math.Abs(b)
}

func nearlyEqual(a, b float64) bool {
	far := math.Abs(a - b)
	return far <= 1e-9 || far <= 1e-9*math.Abs(a) || far <= 1e-9*math.Abs(b) // NaN equals nothing
}

// sameMeasure reports whether both may measure the same. A number without a unit may measure anything unless a word follows
// it.
func sameMeasure(a, b *Figure) bool {
	bareA, bareB := isBareNumber(a), isBareNumber(b)
	switch {
	case bareA && bareB:
		return true
	case bareA:
		return b.Kind != Percent && !a.Counts
	case bareB:
		return a.Kind != Percent && !b.Counts
	case a.Kind == Percent || b.Kind == Percent:
		return a.Kind == b.Kind
	case a.Unit.Dimension == b.Unit.Dimension:
		return true
	}
	return isPoundPair(a, b) || isPoundPair(b, a)
}

func isBareNumber(f *Figure) bool {
	return (f.Kind == Count || f.Kind == Ordinal) && f.Unit.Dimension == None
}

// isPoundPair reports pounds of money and a mass.
func isPoundPair(a, b *Figure) bool { return a.Unit.Dimension == Pound && b.Unit.Dimension == Mass }

// Tolerances of figures that are not exact, as shares and factors.
const (
	aboutShare      = 0.1
	openEndFactor   = 1.6
	roundingShare   = 0.06
	conversionShare = 0.03
)

func senseCovers(s Sense, a, b float64) bool {
	switch s {
	case About:
		return math.Abs(a-b) <= aboutShare*math.Abs(b)
	case AtLeast:
		return b >= a && b <= a*openEndFactor
	case AtMost:
		return b <= a && b*openEndFactor >= a
	default:
		return false
	}
}

// isRounding reports whether a is b rounded to the digits of a.
func isRounding(answer *Figure, a, b float64) bool {
	if a == 0 || math.Abs(a-b) > roundingShare*math.Abs(b) {
		return false
	}
	step := math.Pow10(-int(answer.Decimals))
	if answer.Scaled {
		step *= magnitude(answer)
	}
	if answer.Unit.Factor > 0 && answer.Kind == Count {
		step *= answer.Unit.Factor
	}
	if answer.Decimals == 0 && !answer.Scaled {
		for n := math.Abs(a); n >= 10 && math.Mod(n, 10) == 0; n /= 10 {
			step *= 10
		}
	}
	return math.Abs(a-b) <= step/2*1.0000001
}

// magnitude is the scale of a scaled figure, a power of a thousand or 100.
func magnitude(f *Figure) float64 {
	m := 1.0
	for v := math.Abs(f.Value); v >= 1000 && m < 1e12; v /= 1000 {
		m *= 1000
	}
	return max(m, 100)
}

// compareDates compares the parts of the answer's date. A four-digit number may be a year or a count.
func compareDates(a, b *Figure) MatchLevel {
	if a.Kind != Date || b.Kind != Date {
		if yearOnly(a) || yearOnly(b) {
			if nearlyEqual(a.Value, b.Value) {
				return Equal
			}
			if a.Kind == Count && isRounding(a, a.Value, b.Value) || a.Kind == Count && senseCovers(a.Sense, a.Value, b.Value) {
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
	case a.Decade && b.Year >= a.Year && b.Year < a.Year+10:
		return Equal
	case b.Decade && a.Decade:
		return NoMatch
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

func yearOnly(f *Figure) bool { return f.Kind == Date && f.Month == 0 && f.Weekday == 0 && !f.Decade }

// weekdayOf is the weekday of a date, 0 if unknown.
func weekdayOf(f *Figure) int8 {
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

func compareClocks(a, b *Figure) MatchLevel {
	if a.Kind != Clock || b.Kind != Clock {
		return NoMatch
	}
	va, vb := math.Mod(a.Value, 24*60), math.Mod(b.Value, 24*60)
	if va == vb || (a.HalfDay || b.HalfDay) && math.Mod(va, 12*60) == math.Mod(vb, 12*60) {
		return Equal
	}
	return NoMatch
}
