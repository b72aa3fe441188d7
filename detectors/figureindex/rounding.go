package figureindex

import (
	"math"

	"confab/internal/text/figures"
)

// isSpecific reports a figure that hardly occurs twice by chance: a day of a month, a time with minutes, three digits.
func isSpecific(f *figures.Figure) bool {
	switch f.Kind {
	case figures.Date:
		return f.Day > 0 && f.Month > 0
	case figures.Clock:
		return math.Mod(f.Value, 60) != 0
	default:
		v := math.Abs(f.Value)
		return v >= 100 && math.Mod(v, 100) != 0 || f.Decimals > 1
	}
}

// isRounded reports whether f, without its sense, is v rounded to the digits of f, or for "over" and "under" the next such
// number.
func isRounded(f *figures.Figure, v float64) bool {
	step := digitStep(f)
	off := v - baseValue(f)
	switch f.Sense {
	case figures.AtLeast:
		return off >= 0 && off < step && off <= maxRounding*v
	case figures.AtMost:
		return off <= 0 && -off < step && -off <= maxRounding*v
	default:
		return math.Abs(off) <= step/2*1.0000001 && math.Abs(off) <= maxRounding/2*v
	}
}

// digitStep is the value of the last digit of f that is not zero.
func digitStep(f *figures.Figure) float64 {
	step := math.Pow10(-int(f.Decimals))
	for n := math.Abs(f.Value); f.Decimals == 0 && n >= 10 && math.Mod(n, 10) == 0; n /= 10 {
		step *= 10
	}
	if f.Unit.Factor > 0 {
		step *= f.Unit.Factor
	}
	return step
}

// maxRounding is the largest share that rounding to the next number takes off.
const maxRounding = 0.06
