// Package figures reads numbers, percentages, amounts of money, dates, times of day and measures out of a text as values,
// so that "1.2k", "1,200" and "twelve hundred" are one figure. It knows English words and the digits of any language. It
// neither guesses what a figure belongs to nor looks for it elsewhere: that is for whoever compares two texts.
package figures

// Kind says what a figure counts.
type Kind uint8

// The kinds of a figure.
const (
	Count   Kind = iota // a number, with or without a unit
	Percent             // Value is in percent
	Money               // Value is in the currency's unit; Unit names the currency
	Ordinal             // 3rd, third
	Date                // Year, Month, Day and Weekday as far as they are known
	Clock               // Value is in minutes since midnight
	Label               // the number of a source, figure or step, or a word limit: no fact
)

// Sense says how exactly a figure is meant.
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
	Unit        Unit  // of a Count or Money
	Year        int16 // of a Date, 0 when it is not said; for a decade its first year
	Month       int8  // 1 to 12, 0 when it is not said
	Day         int8  // of the month, 0 when it is not said
	Weekday     int8  // 1 for Monday to 7 for Sunday, 0 when it is not said
	Kind        Kind
	Sense       Sense
	Decimals    int8 // digits behind the point
	Decade      bool // Year is the first of ten
	HalfDay     bool // a Clock that may as well mean twelve hours later
	Spelled     bool // in words
	Counts      bool // a word follows that it seems to count
	Scaled      bool // with thousand, million, k and the like
	Start, End  int32
	First, Last int32 // its tokens, half open
}

// Unit is what a value is measured in: a dimension and how many of its base units make one. The zero Unit is none.
type Unit struct {
	Dimension Dimension
	Factor    float64
}

// Dimension is what a unit measures. Values of different dimensions are never equal.
type Dimension uint8

// The dimensions.
const (
	None Dimension = iota
	Length
	Mass
	Volume
	Duration // up to weeks, in seconds
	Calendar // months and years, in months
	Temperature
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
	Age // years of a person or thing: met by Calendar
	Rating
)
