package figures

import (
	"strings"

	"confab/internal/text"
)

// clock reads 17:30, 5 pm, 5:30 p.m., 11am, 17h30, 0900-1730 hours and the first half of "9-5pm".
func (p *scanner) clock(i int) (next int, ok bool) {
	if next, ok = p.attachedClock(i); ok {
		return next, ok
	}
	hour, minute, last, meridian := p.clockDigits(i)
	if hour < 0 || hour > 24 || minute > 59 {
		return 0, false
	}
	if meridian == 0 {
		meridian, last = p.meridian(last)
	}
	colon := last > i+1 && p.gap(i) == ":"
	if meridian == 0 {
		part, next := p.dayPart(p.hourWord(last))
		if part != 0 && (colon || clockIntros.Has(p.hash(i-1)) || p.hourWord(last) > last) {
			meridian, last = part, next
		}
	}
	if meridian == 0 && !colon {
		switch {
		case p.hash(i+1) == hashOClock, p.hash(i+1) == hashUhr && p.gap(i) == " ":
			last++
		case p.startsUhr(i):
		case p.hash(i+1) == hashH && p.gap(i) == " " && p.gap(i+1) == " " && len(p.word(i+2)) == 2 && p.shortValue(i+2) >= 0: // 5 h 40
			minute, last = p.shortValue(i+2), i+3
			if minute > 59 {
				return 0, false
			}
		case strings.HasPrefix(p.after(i, len("点")), "点"):
			f := Figure{Kind: Clock, Value: float64(hour)}
			return p.emitIdeographs(f, i, int(p.tokens[i].Start), p.ideographClock(&f, int(p.tokens[i].Start), p.tokens[i].End)), true
		default:
			if meridian = p.rangeMeridian(i); meridian == 0 {
				return 0, false
			}
		}
	}
	f := Figure{Kind: Clock, HalfDay: meridian == 0 && hour <= 12, Sense: clockSenses[p.hash(i-1)]}
	hour = FullHour(hour, meridian)
	f.Value = float64(hour*60 + minute)
	if colon && last == i+3 && p.gap(i+1) == ":" {
		f.Value += float64(p.shortValue(i+2)) / 60
	}
	if colon && p.hash(last) == hashUhr && p.gap(last-1) == " " {
		last++
	}
	return p.emit(f, i, last), true
}

// startsUhr reports the start of a range that ends with "Uhr": "10 bis 19 Uhr", "10–14 Uhr".
func (p *scanner) startsUhr(i int) bool {
	at := i + 1
	if h := p.hash(at); h == hashBis || h == hashUnd {
		at++
	} else if !IsRangeGap(p.gap(i)) {
		return false
	}
	return p.shortValue(at) >= 0 && p.hash(at+1) == hashUhr
}

// clockDigits reads hour and minute at token i, with an attached meridian. The hour is -1 if there is no time.
func (p *scanner) clockDigits(i int) (hour, minute, last int, meridian byte) {
	hour, meridian = ReadHour(p.word(i))
	if hour < 0 || meridian != 0 || p.gap(i) != ":" {
		return hour, 0, i + 1, meridian
	}
	if minute, meridian = ReadHour(p.word(i + 1)); minute < 0 {
		return -1, 0, 0, 0
	}
	if meridian == 0 && minute > 0 && len(p.word(i+1)) == 1 {
		return -1, 0, 0, 0 // 3:1 and 16:9 are ratios
	}
	if p.gap(i+1) == ":" && p.shortValue(i+2) >= 0 {
		return hour, minute, i + 3, 0
	}
	return hour, minute, i + 2, meridian
}

// meridian reads "am" or "p.m." at token i.
func (p *scanner) meridian(i int) (meridian byte, last int) {
	w := p.word(i)
	if len(w) < len("am") || len(w) > len("a.m.") || w[0]|0x20 != 'a' && w[0]|0x20 != 'p' || !isWordGap(p.gap(i-1)) {
		return 0, i
	}
	switch {
	case strings.EqualFold(w, "am"), strings.EqualFold(w, "a.m."), strings.EqualFold(w, "a.m"):
		return 'a', i + 1
	case strings.EqualFold(w, "pm"), strings.EqualFold(w, "p.m."), strings.EqualFold(w, "p.m"):
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
	first, _ := ReadHour(p.word(i))
	if meridian == 'p' && first > hour && first < 12 {
		return 'a' // 9-5pm starts in the morning
	}
	return meridian
}

// attachedClock reads 17h30, the ends of 09h-17h, and those of 0900-1730 hours.
func (p *scanner) attachedClock(i int) (next int, ok bool) {
	w := p.word(i)
	if p.tokens[i].Kind == text.Number && (len(w) < 4 || (len(w) > 4 || p.hash(i+1) != hashHours && p.hash(i+2) != hashHours) && strings.IndexByte(w, '.') < 0) {
		return 0, false
	}
	ends := p.endsClockRange(i)
	if hour, minute, ok := SplitClock(w); ok {
		again, _, twice := SplitClock(p.word(i + 1))
		if len(w) < 4 && w[0] != '0' && !ends && (!twice || again > 24 || !IsRangeGap(p.gap(i))) {
			return 0, false // 5h is a duration
		}
		return p.emit(Figure{Kind: Clock, Value: float64(hour*60 + minute)}, i, i+1), true
	}
	if next, ok = p.pointClock(i, ends); ok {
		return next, ok
	}
	if v := p.digitsValue(i, 4); len(w) == 4 && v >= 0 && v <= 2400 && v%100 < 60 {
		last := p.word(i + 1)
		starts := w[0] == '0' && len(last) == 4 && p.digitsValue(i+1, 4) >= 0 && IsRangeGap(p.gap(i)) && p.hash(i+2) == hashHours
		if starts || ends && p.hash(i+1) == hashHours || w[0] == '0' && p.hash(i+1) == hashHours {
			next = i + 1
			if p.hash(next) == hashHours {
				next++
			}
			return p.emit(Figure{Kind: Clock, Value: float64(v/100*60 + v%100)}, i, next), true
		}
	}
	return 0, false
}

// pointClock reads 8.30 before "Uhr", "am" or "pm", and the start of "8.30-18.00 Uhr".
func (p *scanner) pointClock(i int, ends bool) (next int, ok bool) {
	hour, minute, ok := SplitPoint(p.word(i))
	if !ok {
		return 0, false
	}
	at := i + 1
	if _, _, twice := SplitPoint(p.word(at)); twice && IsRangeGap(p.gap(i)) && !ends {
		at++
	}
	meridian, last := p.meridian(at)
	if p.hash(at) == hashUhr {
		last = at + 1
	}
	if last == at || at > i+1 && meridian != 0 {
		return 0, false
	}
	if at > i+1 {
		last = i + 1
	}
	hour = FullHour(hour, meridian)
	return p.emit(Figure{Kind: Clock, Value: float64(hour*60 + minute)}, i, last), true
}

// endsClockRange reports token i after a time without meridian and a dash.
func (p *scanner) endsClockRange(i int) bool {
	f := p.previous()
	return f != nil && f.Kind == Clock && int(f.Last) == i && IsRangeGap(p.gap(i-1))
}
