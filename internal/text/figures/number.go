package figures

import "confab/internal/text"

// number reads digits with an optional suffix ("5", "1,200", "2.5", "1.2k", "3rd", "1990s", "5km").
func (p *scanner) number(i int) int {
	w := p.word(i)
	n, decimals := numberLen(w)
	f := Figure{Value: parseFloat(w[:n]), Decimals: int8(min(decimals, 9))}
	suffix := w[n:]
	last := i + 1
	switch {
	case suffix == "":
		if p.fraction(i, &f) {
			last = i + 2
		}
	case equalFold(suffix, "st"), equalFold(suffix, "nd"), equalFold(suffix, "rd"), equalFold(suffix, "th"):
		f.Kind = Ordinal
		return p.emit(f, i, last)
	case equalFold(suffix, "s"):
		if p.decade(&f, w[:n], p.before(i)) {
			return p.emit(f, i, last)
		}
	case !p.suffix(&f, suffix):
		if len(suffix) > 3 {
			return i + 1 // a code such as B12x45 or 3dprinting
		}
	}
	if suffix == "" {
		last = p.scales(&f, last)
	}
	if p.isLabel(i, last) {
		f.Kind = Label
		return p.emit(f, i, last)
	}
	last = p.measure(&f, i, last)
	if f.Kind == Count && f.Unit.Dimension == None && suffix == "" && last == i+1 && isYear(w) {
		f.Kind, f.Year = Date, int16(f.Value)
	}
	return p.emit(f, i, last)
}

// numberLen is the length of the number at the start of w, and how many of its digits are after the point.
func numberLen(w string) (n, decimals int) {
	point := -1
	for n < len(w) && (isDigit(w[n]) || w[n] == ',' || w[n] == '.') {
		if w[n] == '.' {
			if point >= 0 { // 1.2.3 is a version
				point = -1
				break
			}
			point = n
		}
		n++
	}
	for n > 0 && !isDigit(w[n-1]) {
		n--
	}
	if point >= 0 {
		decimals = max(0, n-point-1)
	}
	return n, decimals
}

// suffix applies letters attached to the digits.
func (p *scanner) suffix(f *Figure, suffix string) bool {
	switch {
	case equalFold(suffix, "k"):
		f.Value, f.Scaled = f.Value*1e3, true
	case equalFold(suffix, "m"), equalFold(suffix, "mn"), equalFold(suffix, "mm"):
		f.Value, f.Scaled = f.Value*1e6, true
	case equalFold(suffix, "b"), equalFold(suffix, "bn"):
		f.Value, f.Scaled = f.Value*1e9, true
	case equalFold(suffix, "g"):
		f.Unit = Unit{Mass, 1}
	default:
		u, ok := units[text.Hash(suffix)]
		f.Unit = u
		return ok
	}
	return true
}

func (p *scanner) decade(f *Figure, digits string, before byte) bool {
	switch {
	case isYear(digits) && digits[3] == '0':
		f.Year = int16(f.Value)
	case len(digits) == 2 && digits[1] == '0' && (before == '\'' || before >= 0x80):
		f.Year = 1900 + int16(f.Value)
	default:
		return false
	}
	f.Kind, f.Decade = Date, true
	return true
}

// fraction reads "1/2" and the like.
func (p *scanner) fraction(i int, f *Figure) bool {
	a, b := p.shortValue(i), p.shortValue(i+1)
	if p.gap(i) != "/" || a < 1 || b <= a || b > 12 {
		return false
	}
	f.Value, f.Decimals = float64(a)/float64(b), 2
	return true
}
