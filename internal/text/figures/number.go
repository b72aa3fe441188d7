package figures

import (
	"strings"

	"confab/internal/text"
)

// number reads digits with an optional suffix ("5", "1,200", "2.5", "1.2k", "3rd", "1990s", "5km").
func (p *scanner) number(i int) int {
	w := p.word(i)
	n := NumberLen(w)
	d, ok := ReadSeparated(w[:n])
	if !ok {
		return i + 1
	}
	f := Figure{Value: d.Value, Alternative: d.Alternative, Decimals: int8(min(d.Decimals, 9))}
	suffix := w[n:]
	last := i + 1
	if (strings.EqualFold(suffix, "s") || suffix == "" && strings.HasPrefix(p.s[p.tokens[i].End:], "'s")) && p.decade(&f, w[:n], p.before(i)) {
		return p.emit(f, i, last)
	}
	switch {
	case suffix == "":
		last = p.moreDigits(i, &f)
	case IsOrdinalSuffix(suffix):
		f.Kind = Ordinal
		if next, ok := p.period(i, f.Value); ok {
			return next
		}
		return p.emit(f, i, last)
	case strings.EqualFold(suffix, "s"):
	case !p.suffix(&f, suffix, i):
		if len(suffix) > 3 {
			return i + 1 // a code such as B12x45 or 3dprinting
		}
	}
	if suffix == "" {
		last = p.scales(&f, last)
		last = p.ideographScale(&f, last)
	}
	if p.isLabel(i, last) {
		f.Kind = Label
		return p.emit(f, i, last)
	}
	plain := last == i+1
	last = p.measure(&f, i, last)
	if p.isNumbered(&f, i) {
		f.Kind = Label
	} else if f.Kind == Count && f.Unit.Dimension == None && suffix == "" && plain && last == i+1 && IsYear(w) && !f.Scaled && f.Value > 0 {
		f.Kind, f.Year = Date, int16(f.Value)
	}
	return p.emit(f, i, last)
}

// suffix applies letters attached to the digits.
func (p *scanner) suffix(f *Figure, suffix string, i int) bool {
	switch {
	case strings.EqualFold(suffix, "k"):
		f.Value, f.Scaled = f.Value*1e3, true
	case strings.EqualFold(suffix, "m"), strings.EqualFold(suffix, "mn"):
		f.Value, f.Scaled = f.Value*1e6, true
	case strings.EqualFold(suffix, "b"), strings.EqualFold(suffix, "bn"):
		f.Value, f.Scaled = f.Value*1e9, true
	case suffix == "C":
		f.Unit = Unit{Celsius, 1}
	case suffix == "F":
		f.Unit = Unit{Fahrenheit, 1}
	case strings.EqualFold(suffix, "in"):
		f.Unit = Unit{Length, 0.0254}
	case strings.EqualFold(suffix, "g"):
		f.Unit = Unit{Mass, 1}
	default:
		u, ok := units[text.Hash(suffix)]
		if _, money := p.leadingCurrency(i); money && strings.EqualFold(suffix, "mm") {
			f.Value, f.Scaled = f.Value*1e6, true
			return true
		}
		f.Unit = u
		if isCurrency(u.Dimension) {
			f.Kind = Money
		}
		return ok
	}
	return true
}

func (p *scanner) decade(f *Figure, digits string, before byte) bool {
	switch {
	case IsYear(digits) && digits[3] == '0':
		f.Year = int16(f.Value)
	case len(digits) == 2 && digits[1] == '0' && (before == '\'' || before >= 0x80):
		f.Year = 1900 + int16(f.Value)
	default:
		return false
	}
	f.Kind, f.Decade = Date, true
	return true
}

// fraction reads "1/2" and the like; token i is before a slash.
func (p *scanner) fraction(i int, f *Figure) bool {
	a, b := p.shortValue(i), p.shortValue(i+1)
	if a < 1 || b <= a || b > 12 {
		return false
	}
	f.Value, f.Decimals = float64(a)/float64(b), 2
	return true
}
