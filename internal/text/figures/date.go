package figures

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// numericDate reads 2020-01-31, 31/1/2020, 1/31/20, 31.03.2024 and 2024年3月31日.
func (p *scanner) numericDate(i int) (next int, ok bool) {
	if next, ok = p.dottedDate(i); ok {
		return next, ok
	}
	sep := p.gap(i)
	if sep == " " {
		return 0, false
	}
	if len(sep) == len("年") && sep[0] >= 0x80 || sep == "" {
		return p.ideographDate(i)
	}
	if sep != "-" && sep != "/" && sep != "." || p.gap(i+1) != sep {
		return 0, false
	}
	a, b, c := p.digitsValue(i, 4), p.shortValue(i+1), p.digitsValue(i+2, 4)
	if third := p.word(i + 2); c < 0 && len(third) > 2 && third[2] == 'T' && isDigit(third[0]) && isDigit(third[1]) {
		c = int(third[0]-'0')*10 + int(third[1]-'0') // 2020-01-31T10:00
	}
	switch {
	case len(p.word(i)) == 4 && a >= 1000 && IsDay(b, c, a):
		next = p.emit(Figure{Kind: Date, Year: int16(a), Month: int8(b), Day: int8(c)}, i, i+3)
		return p.isoTime(next), true
	case len(p.word(i)) > 2 || sep == "-" && c < 1000 || c < 0:
		return 0, false
	}
	if c < 100 && len(p.word(i+2)) == 2 {
		c = ExpandYear(c)
	}
	switch {
	case c < 1000:
		return 0, false
	case sep != "." && IsDay(a, b, c): // month first unless the first number is above 12
		return p.emit(Figure{Kind: Date, Year: int16(c), Month: int8(a), Day: int8(b)}, i, i+3), true
	case IsDay(b, a, c):
		return p.emit(Figure{Kind: Date, Year: int16(c), Month: int8(b), Day: int8(a)}, i, i+3), true
	}
	return 0, false
}

// isoTime reads the time of "2020-01-31T10:00:00Z", whose date was emitted last, with its hours in the last token.
func (p *scanner) isoTime(next int) int {
	_, hours, ok := strings.Cut(p.word(next-1), "T")
	minute := p.shortValue(next)
	if !ok || len(hours) != 2 || !IsNumeral(hours) || minute < 0 || minute > 59 || p.gap(next-1) != ":" || ParseDigits(hours) > 23 {
		return next
	}
	start := p.tokens[next-1].End - int32(len(hours))
	p.dst[len(p.dst)-1].End = start - 1
	last := p.emit(Figure{Kind: Clock, Value: ParseDigits(hours)*60 + float64(minute)}, next, next+1)
	p.dst[len(p.dst)-1].Start = start
	for gap := p.gap(last - 1); gap == ":" || gap == "+" || gap == "-"; gap = p.gap(last - 1) { // seconds, zone
		last++
	}
	return last
}

// dottedDate reads 31.03.2024, 1.3.2024, 31.03.24 and 2024.03.31, which are one token.
func (p *scanner) dottedDate(i int) (next int, ok bool) {
	w := p.word(i)
	if len(w) < len("1.1.2000") || len(w) > len("31.12.2000") || strings.IndexByte(w, '.') < 0 {
		return 0, false
	}
	first, rest, _ := strings.Cut(w, ".")
	second, third, found := strings.Cut(rest, ".")
	if !found || !IsNumeral(first) || !IsNumeral(second) || !IsNumeral(third) || first == "" || second == "" || len(second) > 2 {
		return 0, false
	}
	day, month, year := first, second, third
	if len(first) == 4 {
		day, year = third, first
	}
	if len(day) > 2 || day == "" || len(year) != 4 && (len(year) != 2 || len(day) != 2 || len(month) != 2) {
		return 0, false
	}
	y, m, d := int(ParseDigits(year)), int(ParseDigits(month)), int(ParseDigits(day))
	if len(year) == 2 {
		y = ExpandYear(y)
	}
	if y < 1000 || y > 2999 || !IsDay(m, d, y) {
		return 0, false
	}
	return p.emit(Figure{Kind: Date, Year: int16(y), Month: int8(m), Day: int8(d)}, i, i+1), true
}

// ideographDate reads 2024年3月31日, 2024年3月 and 3月31日.
func (p *scanner) ideographDate(i int) (next int, ok bool) {
	f := Figure{Kind: Date}
	last := i
	for at := i; at < len(p.tokens) && at <= i+4; at++ {
		if p.tokens[at].Kind == text.Gram {
			continue
		}
		if !p.ideographPart(&f, at) {
			break
		}
		last = at + 1
	}
	if f.Month == 0 || f.Year == 0 && f.Day == 0 {
		return 0, false
	}
	return p.emit(f, i, last), true
}

// ideographPart reads the number at the token as the next part of f, which the character after it names.
func (p *scanner) ideographPart(f *Figure, at int) bool {
	v := p.digitsValue(at, 4)
	if v < 1 {
		return false
	}
	sign, _ := utf8.DecodeRuneInString(p.after(at, 4))
	switch {
	case sign == '年' && len(p.word(at)) == 4 && f.Year == 0 && f.Month == 0:
		f.Year = int16(v)
	case sign == '月' && v <= 12 && f.Month == 0:
		f.Month = int8(v)
	case (sign == '日' || sign == '号') && f.Day == 0 && IsDay(int(f.Month), v, int(f.Year)):
		f.Day = int8(v)
	default:
		return false
	}
	return true
}

// dayFirst reads "5 January 2020", "5th of January".
func (p *scanner) dayFirst(i int) (next int, ok bool) {
	at := i + 1
	if h := p.hash(at); h == hashOf || h == hashDe {
		at++
	}
	w := numberWords.Find(p.hash(at))
	switch gap := p.gap(i); {
	case !isWordGap(gap) && gap != ". ":
		return 0, false
	case w.Class == MonthOnly:
	case w.Class != Month || !isUpper(p.word(at)), gap == ". " && !IsYear(p.word(at+1)):
		return 0, false
	}
	day := p.dayOfMonth(i)
	f := Figure{Kind: Date, Month: int8(w.Value), Day: int8(day)}
	if day == 0 || day > MonthDays(int(f.Month), 0) {
		return 0, false
	}
	at++
	if p.hash(at) == hashDe {
		at++
	}
	last := p.year(&f, at)
	if f.Year == 0 && p.hash(at-1) == hashDe {
		last = at - 1
	}
	return p.emit(f, i, last), true
}

// dayOfMonth is the day of "5" or "5th", 0 for none.
func (p *scanner) dayOfMonth(i int) int {
	w := p.word(i)
	n := 0
	for n < len(w) && isDigit(w[n]) {
		n++
	}
	if n == 0 || n > 2 {
		return 0
	}
	v := int(ParseDigits(w[:n]))
	if rest := w[n:]; v < 1 || v > 31 || rest != "" && !strings.EqualFold(rest, "st") && !strings.EqualFold(rest, "nd") && !strings.EqualFold(rest, "rd") && !strings.EqualFold(rest, "th") && rest != "er" {
		return 0
	}
	return v
}

// year reads a year at token i into f and returns the next token.
func (p *scanner) year(f *Figure, i int) (last int) {
	if i < len(p.tokens) && IsYear(p.word(i)) {
		if g := p.gap(i - 1); g == " " || g == ", " || g == "," {
			f.Year = int16(ParseDigits(p.word(i)))
			return i + 1
		}
	}
	return i
}

// monthFirst reads "January 5, 2020", "Jan. 5", "January 2020" and "in January".
func (p *scanner) monthFirst(i int, m numberWord) int {
	if !isUpper(p.word(i)) {
		return i + 1
	}
	f := Figure{Kind: Date, Month: int8(m.Value)}
	g := p.gap(i)
	if g == " " || g == ". " {
		if day := p.dayOfMonth(i + 1); day > 0 && day <= MonthDays(int(m.Value), 0) && p.gap(i+1) != ":" {
			f.Day = int8(day)
			last := p.year(&f, i+2)
			return p.emit(f, i, last)
		}
		if last := p.year(&f, i+1); last > i+1 {
			return p.emit(f, i, last)
		}
	}
	if len(p.word(i)) > 4 && m.Value != 3 || monthIntros.Has(p.hash(i-1)) || p.afterMonth(i) {
		return p.emit(f, i, i+1)
	}
	return i + 1
}

// afterMonth reports the second month of "between March and June".
func (p *scanner) afterMonth(i int) bool {
	f := p.previous()
	return f != nil && f.Kind == Date && f.Month > 0 && f.Day == 0 && f.Year == 0 && text.Between(p.s, f.End, p.tokens[i].Start) == " and "
}

func isUpper(w string) bool { return w != "" && w[0] >= 'A' && w[0] <= 'Z' }
