package figures

import "strings"

// clock reads 17:30, 5 pm, 5:30 p.m., 11am and the first half of "9-5pm".
func (p *scanner) clock(i int) (next int, ok bool) {
	hour, minute, last, meridian := p.clockDigits(i)
	if hour < 0 {
		return 0, false
	}
	if meridian == 0 {
		meridian, last = p.meridian(last)
	}
	colon := last > i+1 && p.gap(i) == ":"
	if meridian == 0 && !colon {
		if p.hash(i+1) == hashOClock {
			last++
		} else if meridian = p.rangeMeridian(i); meridian == 0 {
			return 0, false
		}
	}
	if hour > 24 || minute > 59 {
		return 0, false
	}
	f := Figure{Kind: Clock, HalfDay: meridian == 0 && hour <= 12}
	switch {
	case meridian == 'p' && hour < 12:
		hour += 12
	case meridian == 'a' && hour == 12:
		hour = 0
	}
	f.Value = float64(hour*60 + minute)
	return p.emit(f, i, last), true
}

// clockDigits reads hour and minute at token i, with an attached meridian. The hour is -1 if there is no time.
func (p *scanner) clockDigits(i int) (hour, minute, last int, meridian byte) {
	hour, meridian = hourOf(p.word(i))
	if hour < 0 || meridian != 0 || p.gap(i) != ":" {
		return hour, 0, i + 1, meridian
	}
	if minute, meridian = hourOf(p.word(i + 1)); minute < 0 {
		return -1, 0, 0, 0
	}
	if p.gap(i+1) == ":" && p.shortValue(i+2) >= 0 { // seconds
		return hour, minute, i + 3, 0
	}
	return hour, minute, i + 2, meridian
}

// hourOf reads one or two digits with an optional "am" or "pm"; -1 for anything else.
func hourOf(w string) (v int, meridian byte) {
	n := 0
	for n < len(w) && isDigit(w[n]) {
		v = v*10 + int(w[n]-'0')
		n++
	}
	rest := w[n:]
	switch {
	case n == 0 || n > 2:
		return -1, 0
	case rest == "":
		return v, 0
	case equalFold(rest, "am"), equalFold(rest, "a"):
		return v, 'a'
	case equalFold(rest, "pm"), equalFold(rest, "p"):
		return v, 'p'
	}
	return -1, 0
}

// meridian reads "am" or "p.m." at token i.
func (p *scanner) meridian(i int) (meridian byte, last int) {
	if i >= len(p.tokens) || !isWordGap(p.gap(i-1)) {
		return 0, i
	}
	switch w := p.word(i); {
	case equalFold(w, "am"), equalFold(w, "a.m."), equalFold(w, "a.m"):
		return 'a', i + 1
	case equalFold(w, "pm"), equalFold(w, "p.m."), equalFold(w, "p.m"):
		return 'p', i + 1
	}
	return 0, i
}

// rangeMeridian is the meridian of token i, the start of a range that ends with one ("9-5pm", "10 to 11 am").
func (p *scanner) rangeMeridian(i int) byte {
	g := strings.TrimSpace(p.gap(i))
	at := i + 1
	if g == "" && (p.hash(at) == hashTo || p.hash(at) == hashOr || p.hash(at) == hashAnd) {
		at++
	} else if g != "-" && g != "–" {
		return 0
	}
	hour, _, last, meridian := p.clockDigits(at)
	if hour < 0 || hour > 12 {
		return 0
	}
	if meridian == 0 {
		meridian, _ = p.meridian(last)
	}
	first, _ := hourOf(p.word(i))
	if meridian == 'p' && first > hour && first < 12 {
		return 'a' // 9-5pm starts in the morning
	}
	return meridian
}
