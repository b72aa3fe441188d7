package figures

import (
	"confab/internal/text"
)

// Months of the periods.
const (
	quarterMonths = 3
	halfMonths    = 6
	centuryMonths = 1200
)

//nolint:gochecknoglobals // read-only
var (
	hashCentury, hashCenturies = text.Hash("century"), text.Hash("centuries")
	hashQuarter, hashHalf      = text.Hash("quarter"), text.Hash("half")
)

// period reads what follows the ordinal n at token i: "quarter of 2024", "half of 2024", "century".
func (p *scanner) period(i int, n float64) (next int, ok bool) {
	at := i + 1
	if at >= len(p.tokens) || !isWordGap(p.gap(i)) {
		return 0, false
	}
	switch h := p.hash(at); {
	case (h == hashCentury || h == hashCenturies) && n >= 1 && n <= 30:
		return p.emit(Figure{Kind: Date, Year: int16(n-1) * 100, Period: centuryMonths}, i, at+1), true
	case h == hashQuarter && n <= 4:
		return p.yearPart(i, at+1, quarterMonths, n)
	case h == hashHalf && n <= 2:
		return p.yearPart(i, at+1, halfMonths, n)
	}
	return 0, false
}

// yearPart reads the year of the n-th quarter or half-year, before or after it. Without a year it is no date.
func (p *scanner) yearPart(first, last int, months int16, n float64) (next int, ok bool) {
	f := Figure{Kind: Date, Period: months, Month: int8(1 + int(months)*(int(n)-1))}
	at := last
	if p.hash(at) == hashOf {
		at++
	}
	if g := p.gap(at - 1); at < len(p.tokens) && IsYear(p.word(at)) && (g == " " || g == "/" || g == ", " || g == "-") {
		f.Year = int16(ParseDigits(p.word(at)))
		return p.emit(f, first, at+1), true
	}
	if year := p.previous(); year != nil && int(year.Last) == first && year.IsYearOnly() && year.Period == 0 && isWordGap(p.gap(first-1)) {
		f.Year = year.Year
		first = int(year.First)
		p.dst = p.dst[:len(p.dst)-1]
		return p.emit(f, first, last), true
	}
	return 0, false
}

// namedPeriod reads "first quarter of 2024", "Q1 2024", "H2/2023", "XIX century" and the Roman numeral of a name.
func (p *scanner) namedPeriod(i int, w numberWord) int {
	var next int
	var ok bool
	switch w.Class {
	case Rank:
		next, ok = p.period(i, w.Value)
	case Quarter:
		next, ok = p.yearPart(i, i+1, quarterMonths, w.Value)
	case HalfYear:
		next, ok = p.yearPart(i, i+1, halfMonths, w.Value)
	default:
		if word := p.word(i); !isUpper(word) || !isUpper(word[1:]) {
			return i + 1
		}
		if next, ok = p.period(i, w.Value); !ok && isUpper(p.word(i-1)) && p.gap(i-1) == " " {
			return p.emit(Figure{Kind: Ordinal, Value: w.Value}, i, i+1)
		}
	}
	if !ok {
		return i + 1
	}
	return next
}
