package figures

import (
	"strings"

	"confab/internal/text"
)

// spelledClock reads a time of day around the spelled hour in the tokens first..last: "half past six", "six in the evening",
// "halb neun", "las cinco y cuarto de la tarde", "six heures moins vingt".
func (p *scanner) spelledClock(hour float64, first, last int) (next int, ok bool) {
	if hour > 24 || hour != float64(int(hour)) || hour < 1 {
		return 0, false
	}
	from, minutes := p.minutesBefore(first)
	intro := from < first || clockIntros.Has(p.hash(from-1))
	at := p.hourWord(last)
	after, end := p.minutesAfter(at)
	minutes += after
	meridian, end := p.dayPart(end)
	switch {
	case meridian != 0 && (intro || at > last), from < first && hour <= 12:
	case at > last && p.hash(last) == hashUhr, p.hash(last) == hashOClock:
	case after != 0 && intro:
	default:
		return 0, false
	}
	f := Figure{Kind: Clock, Spelled: true, HalfDay: meridian == 0 && hour <= 12}
	f.Value = float64(FullHour(int(hour), meridian)*60 + minutes)
	if f.Value < 0 {
		return 0, false
	}
	return p.emit(f, from, max(end, last)), true
}

// minutesBefore reads "half past", "quarter to", "halb" and "viertel nach" before token i, and returns where they start.
func (p *scanner) minutesBefore(i int) (from, minutes int) {
	switch h := p.hash(i - 1); h {
	case hashHalb:
		return i - 1, -30
	case hashPast, hashTo, hashNach, hashVor:
		part := fractionMinutes[p.hash(i-2)]
		if part == 0 || part == 30 && (h == hashTo || h == hashVor) {
			break
		}
		from = i - 2
		if p.hash(i-3) == hashA {
			from--
		}
		if h == hashTo || h == hashVor {
			part = -part
		}
		return from, part
	}
	return i, 0
}

// hourWord is the token behind "o'clock", "Uhr" or "heures" at token i, else i.
func (p *scanner) hourWord(i int) int {
	if i < len(p.tokens) && p.gap(i-1) == " " && hourWords.Has(p.hash(i)) {
		return i + 1
	}
	return i
}

// minutesAfter reads "y cuarto", "y media", "menos cuarto", "et demie", "moins vingt" at token i.
func (p *scanner) minutesAfter(i int) (minutes, last int) {
	h, next := p.hash(i), p.hash(i+1)
	if h != hashY && h != hashEt && h != hashMenos && h != hashMoins || i+1 >= len(p.tokens) || p.gap(i-1) != " " || p.gap(i) != " " {
		return 0, i
	}
	last = i + 2
	if next == hashLe {
		next, last = p.hash(i+2), i+3
	}
	part := fractionMinutes[next]
	if part == 0 {
		if w := numberWords.Find(next); w.Foreign && w.Value < 60 {
			part = int(w.Value)
		}
	}
	switch {
	case part == 0:
	case h == hashY, h == hashEt && part%15 == 0:
		return part, last
	case h == hashMenos || h == hashMoins:
		return -part, last
	}
	return 0, i
}

// dayPart reads "in the morning", "at night", "abends", "de la tarde", "du matin" at token i: 'a' or 'p', 0 for none.
func (p *scanner) dayPart(i int) (meridian byte, last int) {
	for at := i; at < min(i+3, len(p.tokens)) && p.gap(at-1) == " "; at++ {
		h := p.hash(at)
		if m := dayWords[h]; m != 0 && (at > i || adverbs.Has(h)) {
			return m, at + 1
		}
		if !dayLinks.Has(h) {
			break
		}
	}
	return 0, i
}

//nolint:gochecknoglobals // read-only
var (
	hashHalb, hashPast   = text.Hash("halb"), text.Hash("past")
	hashNach, hashVor    = text.Hash("nach"), text.Hash("vor")
	hashLe               = text.Hash("le")
	hashMenos, hashMoins = text.Hash("menos"), text.Hash("moins")
	hourWords            = text.HashSet("o'clock uhr heures heure")
	dayLinks             = text.HashSet("in the at de la du del")
	adverbs              = text.HashSet("morgens vormittags nachmittags abends nachts mittags")
	clockIntros          = text.HashSet("at from to until till by before after around um ab bis von gegen vor nach las la")
	fractionMinutes      = map[uint64]int{
		text.Hash("half"): 30, text.Hash("quarter"): 15, text.Hash("viertel"): 15, text.Hash("cuarto"): 15,
		text.Hash("media"): 30, text.Hash("demie"): 30, text.Hash("quart"): 15,
	}
	clockSenses = map[uint64]Sense{
		text.Hash("before"): AtMost, text.Hash("vor"): AtMost, text.Hash("avant"): AtMost, text.Hash("by"): AtMost,
		text.Hash("after"): AtLeast, text.Hash("nach"): AtLeast,
	}
	dayWords         = dayTable()
	hashBis, hashUnd = text.Hash("bis"), text.Hash("und")
)

func dayTable() map[uint64]byte {
	table := map[uint64]byte{}
	for w := range strings.FieldsSeq("morning morgens vormittags manana madrugada matin") {
		table[text.Hash(w)] = 'a'
	}
	for w := range strings.FieldsSeq("afternoon evening night nachmittags abends nachts mittags tarde noche soir") {
		table[text.Hash(w)] = 'p'
	}
	return table
}
