// Package figures parses numbers, percentages, amounts of money, dates, times of day and measures of a text as values, so
// that "1.2k", "1,200" and "twelve hundred" are equal. It reads English words and the digits 0 to 9.
package figures

import "math"

// Kind is the kind of a figure.
type Kind uint8

// The kinds of a figure.
const (
	Count   Kind = iota // a number, with or without a unit
	Percent             // Value is in percent
	Money               // Value is in the unit of the currency, which Unit names
	Ordinal             // 3rd, third
	Date                // Year, Month, Day and Weekday as far as they are known
	Clock               // Value is in minutes since midnight
	Label               // not a fact: the number of a source, figure or step, or a word limit
	Code                // a version, address, telephone or part number: Value is a hash of its characters
)

// Sense is how exactly a figure is meant.
type Sense uint8

// The senses of a figure.
const (
	Exact   Sense = iota
	About         // about, around, nearly
	AtLeast       // over, more than, at least
	AtMost        // under, less than, up to
)

// Figure is one value of a text.
type Figure struct {
	Value       float64
	Alternative float64 // how "1.234" or "1,234" reads with the separators of another language, else 0
	Unit        Unit    // of a Count or Money
	Year        int16   // of a Date, 0 if unknown; for a decade its first year
	Month       int8    // 1 to 12, 0 if unknown
	Day         int8    // of the month, 0 if unknown
	Weekday     int8    // 1 for Monday to 7 for Sunday, 0 if unknown
	Kind        Kind
	Sense       Sense
	Decimals    int8  // digits after the point
	Period      int16 // months of a Date that is a quarter, half-year or century, else 0
	Decade      bool  // a Date that is a decade
	HalfDay     bool  // a Clock without am or pm
	Spelled     bool  // in words
	Counts      bool  // a word follows, which it may count
	Scaled      bool  // with thousand, million, k and the like
	Start, End  int32
	First, Last int32 // its tokens, half open
}

// IsBare reports a number without a unit.
func (f *Figure) IsBare() bool { return f.Kind == Count && f.Unit.Dimension == None }

// IsYearOnly reports a year without a month or day.
func (f *Figure) IsYearOnly() bool {
	return f.Kind == Date && f.Month == 0 && f.Weekday == 0 && !f.Decade
}

// Scale is the power of a thousand that a scaled figure is told in: a million for "0.84 million".
func (f *Figure) Scale() float64 {
	v, scale := math.Abs(f.Value), 1.0
	shown := math.Round(v * math.Pow10(int(f.Decimals)))
	for v > 0 && scale < 1e12 && (v >= 1000*scale || math.Mod(shown, 1000*scale) == 0) {
		scale *= 1000
	}
	return scale
}

// Unit is a unit of measure: a dimension and the number of its base units. The zero Unit means none.
type Unit struct {
	Dimension Dimension
	Factor    float64
}

// Dimension is the quantity that a unit measures. Values of different dimensions are not equal.
type Dimension uint8

// The dimensions.
const (
	None Dimension = iota
	Length
	Mass
	Volume
	Duration    // up to weeks, in seconds
	Calendar    // months and years, in months
	Temperature // degrees of an unknown scale
	Celsius
	Fahrenheit
	Speed
	Energy
	Power
	Data
	Area
	Dollar
	Euro
	Pound
	Yen
	Rupee
	Yuan
	Franc
	Krona
	Ruble
	Electricity
	Frequency
	Rating
)
