package figures

// numericDate reads 2020-01-31, 31/1/2020 and 1/31/20.
func (p *scanner) numericDate(i int) (next int, ok bool) {
	sep := p.gap(i)
	if sep != "-" && sep != "/" && sep != "." || p.gap(i+1) != sep {
		return 0, false
	}
	a, b, c := p.digitsValue(i, 4), p.shortValue(i+1), p.digitsValue(i+2, 4)
	if third := p.word(i + 2); c < 0 && len(third) > 2 && third[2] == 'T' && isDigit(third[0]) && isDigit(third[1]) {
		c = int(third[0]-'0')*10 + int(third[1]-'0') // 2020-01-31T10:00
	}
	switch {
	case len(p.word(i)) == 4 && a >= 1000 && validDay(b, c):
		return p.emit(Figure{Kind: Date, Year: int16(a), Month: int8(b), Day: int8(c)}, i, i+3), true
	case len(p.word(i)) > 2 || sep == "-" && c < 1000 || c < 0:
		return 0, false
	}
	if c < 100 && len(p.word(i+2)) == 2 {
		c = expandYear(c)
	}
	switch {
	case c < 1000:
		return 0, false
	case sep != "." && validDay(a, b): // month first unless the first number is above 12
		return p.emit(Figure{Kind: Date, Year: int16(c), Month: int8(a), Day: int8(b)}, i, i+3), true
	case validDay(b, a):
		return p.emit(Figure{Kind: Date, Year: int16(c), Month: int8(b), Day: int8(a)}, i, i+3), true
	}
	return 0, false
}

func validDay(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

func expandYear(year int) int {
	if year < 50 {
		return 2000 + year
	}
	return 1900 + year
}

// dayFirst reads "5 January 2020", "5th of January".
func (p *scanner) dayFirst(i int) (next int, ok bool) {
	day := p.dayOfMonth(i)
	if day == 0 || !isWordGap(p.gap(i)) {
		return 0, false
	}
	at := i + 1
	if p.hash(at) == hashOf {
		at++
	}
	if at >= len(p.tokens) {
		return 0, false
	}
	w := numberWords.find(p.hash(at))
	if w.class != month || !isUpper(p.word(at)) {
		return 0, false
	}
	f := Figure{Kind: Date, Month: int8(w.value), Day: int8(day)}
	last := p.year(&f, at+1)
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
	v := int(parseFloat(w[:n]))
	if rest := w[n:]; v < 1 || v > 31 || rest != "" && !equalFold(rest, "st") && !equalFold(rest, "nd") && !equalFold(rest, "rd") && !equalFold(rest, "th") {
		return 0
	}
	return v
}

// year reads a year at token i into f and returns the next token.
func (p *scanner) year(f *Figure, i int) (last int) {
	if i < len(p.tokens) && isYear(p.word(i)) {
		if g := p.gap(i - 1); g == " " || g == ", " || g == "," {
			f.Year = int16(parseFloat(p.word(i)))
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
	f := Figure{Kind: Date, Month: int8(m.value)}
	g := p.gap(i)
	if g == " " || g == ". " {
		if day := p.dayOfMonth(i + 1); day > 0 && p.gap(i+1) != ":" {
			f.Day = int8(day)
			last := p.year(&f, i+2)
			return p.emit(f, i, last)
		}
		if last := p.year(&f, i+1); last > i+1 {
			return p.emit(f, i, last)
		}
	}
	if len(p.word(i)) > 4 && m.value != 3 || monthIntros[p.hash(i-1)] {
		return p.emit(f, i, i+1)
	}
	return i + 1
}

func isUpper(w string) bool { return w != "" && w[0] >= 'A' && w[0] <= 'Z' }
