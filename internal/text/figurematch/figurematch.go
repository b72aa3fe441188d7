package figurematch

import (
	"math"

	"confab/internal/text/figures"
)

// Level is how well one figure supports another.
type Level uint8

// The levels, worst first.
const (
	NoMatch   Level = iota
	SameValue       // the same number with another unit: 12 % and 12 km
	Rounded         // the value is the other one rounded or converted, or includes it ("over 5" and 7)
	Equal
)

// Compare returns how well the figure of a source supports the figure of an answer. The answer may be less exact than the
// source, not more. "1.280 m" may be "1.3 km", and a number of a table in thousands or millions "3.4 billion".
func Compare(answer, source *figures.Figure) Level {
	level := compare(answer, source)
	grouped, scaled := source.Alternative > source.Value, answer.Scaled && !source.Scaled && source.Kind != figures.Percent
	if level > SameValue || source.Kind > figures.Money || !grouped && !scaled {
		return level
	}
	g := *source
	if grouped {
		g.Value, g.Alternative, g.Decimals = g.Alternative, 0, 0
		if compare(answer, &g) > SameValue {
			return Rounded
		}
	}
	for range 2 {
		if g.Value *= 1000; scaled && compare(answer, &g) > SameValue {
			return SameValue
		}
	}
	return level
}

func compare(answer, source *figures.Figure) Level {
	switch {
	case answer.Kind == figures.Label || source.Kind == figures.Label:
		return NoMatch
	case answer.Kind == figures.Code || source.Kind == figures.Code:
		if answer.Kind == source.Kind && answer.Value == source.Value {
			return Equal
		}
		return NoMatch
	case answer.Kind == figures.Date || source.Kind == figures.Date:
		return compareDates(answer, source)
	case answer.Kind == figures.Clock || source.Kind == figures.Clock:
		return compareClocks(answer, source)
	}
	a, b := answer.Value, source.Value
	same := sameMeasure(answer, source)
	if same && answer.Unit.Dimension != figures.None && source.Unit.Dimension != figures.None {
		if answer.Unit.Dimension != source.Unit.Dimension && (isCelsiusPair(answer, source) || isSpan(answer, source)) {
			return compareAcross(answer, source)
		}
		a, b = a*answer.Unit.Factor, b*source.Unit.Factor
		if isPoundPair(answer, source) {
			a *= gramsPerPound
		}
	}
	if areFarApart(a, b) && answer.Sense == figures.Exact && answer.Alternative == 0 && source.Alternative == 0 && answer.Unit.Dimension != figures.Temperature {
		return NoMatch // most pairs
	}
	switch {
	case SameNumber(a, b), readsAs(answer, source), readsAs(source, answer): // "1.250" and "1,250"
		switch {
		case same:
			return Equal
		case isBareNumber(source) && !source.Counts: // "42 %" from a table with percent in its header
			return Rounded
		}
		return SameValue
	case same && SameNumber(a, -b) && !isTemperature(answer):
		return SameValue // "fell by 5 %" and "-5 %"
	case same && (senseCovers(answer.Sense, a, b) || isRounding(answer, a, b) || isConversion(answer, source, a, b)):
		return Rounded
	}
	return NoMatch
}

// isConversion reports the same measure in another unit, within the usual rounding.
func isConversion(answer, source *figures.Figure, a, b float64) bool {
	if answer.Unit.Dimension == figures.None || source.Unit.Dimension == figures.None {
		return false
	}
	if answer.Unit.Dimension == figures.Temperature {
		return math.Abs(a-(b-32)*5/9) < 1 || math.Abs(a-(b*9/5+32)) < 1.5
	}
	return answer.Unit.Factor != source.Unit.Factor && math.Abs(a-b) <= conversionShare*math.Abs(b)
}

// areFarApart reports positive values that differ by more than rounding or a conversion takes off.
func areFarApart(a, b float64) bool {
	far := math.Abs(a - b)
	return a > 0 && b > 0 && far > roundingShare*b && far > 1e-9 && far > 1e-9*a
}

// SameNumber reports whether two numbers are equal but for rounding errors of their calculation.
func SameNumber(a, b float64) bool {
	far := math.Abs(a - b)
	return far <= 1e-9 || far <= 1e-9*math.Abs(a) || far <= 1e-9*math.Abs(b) // NaN equals nothing
}

// sameMeasure reports whether both may measure the same. A number without a unit and a word behind it may measure anything.
func sameMeasure(a, b *figures.Figure) bool {
	bareA, bareB := isBareNumber(a), isBareNumber(b)
	switch {
	case bareA && bareB:
		return true
	case bareA:
		return b.Kind != figures.Percent && !a.Counts
	case bareB:
		return a.Kind != figures.Percent && !b.Counts
	case a.Kind == figures.Percent || b.Kind == figures.Percent:
		return a.Kind == b.Kind
	case a.Unit.Dimension == b.Unit.Dimension, isTemperature(a) && isTemperature(b), isSpan(a, b):
		return true
	}
	return isPoundPair(a, b) || isPoundPair(b, a)
}

func isBareNumber(f *figures.Figure) bool {
	return (f.Kind == figures.Count || f.Kind == figures.Ordinal) && f.Unit.Dimension == figures.None
}

// isPoundPair reports pounds of money and a mass.
func isPoundPair(a, b *figures.Figure) bool {
	return a.Unit.Dimension == figures.Pound && b.Unit.Dimension == figures.Mass
}

func isTemperature(f *figures.Figure) bool {
	return f.Unit.Dimension == figures.Temperature || f.Unit.Dimension == figures.Celsius || f.Unit.Dimension == figures.Fahrenheit
}

func isCelsiusPair(a, b *figures.Figure) bool {
	return a.Unit.Dimension == figures.Celsius && b.Unit.Dimension == figures.Fahrenheit || a.Unit.Dimension == figures.Fahrenheit && b.Unit.Dimension == figures.Celsius
}

// isSpan reports a duration in seconds and one in months.
func isSpan(a, b *figures.Figure) bool {
	return a.Unit.Dimension == figures.Duration && b.Unit.Dimension == figures.Calendar || a.Unit.Dimension == figures.Calendar && b.Unit.Dimension == figures.Duration
}

// readsAs reports whether the alternative reading of a is b: without decimals if a has three, with three if a has none.
func readsAs(a, b *figures.Figure) bool {
	return a.Alternative != 0 && SameNumber(a.Alternative, b.Value) && a.Decimals+b.Decimals == 3
}

// compareAcross compares degrees of the two scales, or days and weeks with months and years.
func compareAcross(answer, source *figures.Figure) Level {
	a, b := answer.Value, source.Value
	tolerance := degreeTolerance
	if answer.Sense == figures.About || math.Mod(a, 5) == 0 { // ovens are set in steps of five
		tolerance = ovenTolerance
	}
	switch answer.Unit.Dimension {
	case figures.Celsius:
		if math.Abs(a-(b-32)*5/9) < tolerance {
			return Rounded
		}
		return NoMatch
	case figures.Fahrenheit:
		if math.Abs(a-(b*9/5+32)) < tolerance*9/5 {
			return Rounded
		}
		return NoMatch
	default:
	}
	days, months := answer, source
	if answer.Unit.Dimension == figures.Calendar {
		days, months = source, answer
	}
	d, m := days.Value*days.Unit.Factor/secondsPerDay, months.Value*months.Unit.Factor
	for _, perMonth := range [...]float64{28, 30, 31, 364.0 / 12, 365.0 / 12, 366.0 / 12, 360.0 / 12} {
		if math.Abs(d-m*perMonth) < 0.5 {
			return Rounded
		}
	}
	if math.Abs(d-m*365.25/12) <= spanShare*d && answer.Sense == figures.About {
		return Rounded
	}
	return NoMatch
}

// Tolerances of figures that are not exact, as shares and factors.
const (
	aboutShare      = 0.1
	openEndFactor   = 1.6
	roundingShare   = 0.06
	conversionShare = 0.03
	spanShare       = 0.05
	degreeTolerance = 1.0
	ovenTolerance   = 2.6
	secondsPerDay   = 86400
	gramsPerPound   = 453.59237
)

func senseCovers(s figures.Sense, a, b float64) bool {
	switch s {
	case figures.About:
		return math.Abs(a-b) <= aboutShare*math.Abs(b)
	case figures.AtLeast:
		return b >= a && b <= a*openEndFactor
	case figures.AtMost:
		return b <= a && b*openEndFactor >= a
	default:
		return false
	}
}

// isRounding reports whether a is b rounded to the digits of a.
func isRounding(answer *figures.Figure, a, b float64) bool {
	if a == 0 || a < 0 != (b < 0) || math.Abs(a-b) > roundingShare*math.Abs(b) {
		return false
	}
	a, b = math.Abs(a), math.Abs(b)
	step := math.Pow10(-int(answer.Decimals))
	if answer.Scaled {
		step *= max(answer.Scale(), 100)
	}
	if answer.Unit.Factor > 0 && answer.Kind == figures.Count {
		step *= answer.Unit.Factor
	}
	if answer.Decimals == 0 && !answer.Scaled {
		for n := math.Abs(answer.Value); n >= 10 && math.Mod(n, 10) == 0; n /= 10 {
			step *= 10
		}
	}
	return math.Abs(a-b) <= step/2*1.0000001
}
