package figures

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// measure adds sign, currency, percent, unit and sense to the number over the tokens first..last.
func (p *scanner) measure(f *Figure, first, last int) int {
	f.Sense = p.sense(first)
	last = p.readMeasure(f, first, last)
	if p.isNegative(f, first) {
		f.Value = -f.Value
	}
	p.shareMeasure(f, first)
	return p.andPart(f, last)
}

// andPart reads what follows a duration: "two hours and a half", "une heure et demie", "dos horas y media".
func (p *scanner) andPart(f *Figure, last int) int {
	if f.Unit.Dimension != Duration || last+1 >= len(p.tokens) {
		return last
	}
	at := last + 1
	switch h := p.hash(last); {
	case h == hashAnd && p.hash(at) == hashA:
		at++
	case h != hashEt && h != hashY:
		return last
	}
	if part := fractionMinutes[p.hash(at)]; part > 0 {
		f.Value, f.Decimals = f.Value+float64(part)/60, 2
		return at + 1
	}
	return last
}

// readMeasure reads the currency, percent sign or unit around the number.
func (p *scanner) readMeasure(f *Figure, first, last int) int {
	if u, ok := p.leadingCurrency(first); ok {
		f.Kind, f.Unit = Money, u
		if h := p.hash(last); (h == hashM || h == hashMM) && p.gap(last-1) == " " && !f.Scaled {
			f.Value, f.Scaled = f.Value*1e6, true
			return last + 1
		}
		return last
	}
	tail := strings.TrimLeft(p.after(last-1, 6), " ")
	if tail != "" && tail[0] >= utf8.RuneSelf {
		tail = strings.TrimLeft(tail, " \u00A0\u202F")
	}
	if tail == "" || 'a' <= tail[0] && tail[0] <= 'z' {
		return p.unit(f, last)
	}
	switch u, ok := currencySign(tail); {
	case strings.HasPrefix(tail, "%"), strings.HasPrefix(tail, "％"):
		f.Kind = Percent
		return last
	case strings.HasPrefix(tail, "+"):
		f.Sense = AtLeast
	case ok && !strings.HasPrefix(p.after(last-1, 1), "\n"):
		f.Kind, f.Unit = Money, u
		return last
	case strings.HasPrefix(tail, "°"):
		return p.degrees(f, last)
	case tail[0] >= 0x80 && p.ideographUnit(f, first, tail):
		return last
	}
	return p.unit(f, last)
}

// isNegative reports a minus sign before the number, which is neither a hyphen nor the dash of a range or list.
func (p *scanner) isNegative(f *Figure, first int) bool {
	if h := p.hash(first - 1); h == hashMinus && f.Value > 0 {
		return p.gap(first-1) == " "
	}
	if start := p.tokens[first].Start; start == 0 || p.s[start-1] == ' ' {
		return false
	}
	before := strings.TrimRight(p.s[max(0, int(p.tokens[first].Start)-8):p.tokens[first].Start], "$€£¥")
	rest, ok := strings.CutSuffix(before, "−")
	if !ok {
		if rest, ok = strings.CutSuffix(before, "-"); !ok {
			return false
		}
	}
	rest = strings.TrimRight(rest, "\"'`*")
	if rest == "" || rest[len(rest)-1] == '\n' { // or the dash of a list item
		return f.Kind != Count || f.Unit.Dimension != None
	}
	switch last := rest[len(rest)-1]; {
	case strings.IndexByte("(~:|=,[{<\t", last) >= 0 || strings.HasSuffix(rest, "–"):
		return true
	case last == '-':
		return len(rest) > 1 && (isDigit(rest[len(rest)-2]) || rest[len(rest)-2] == ' ')
	case last != ' ':
		return false
	}
	rest = strings.TrimRight(rest, " ")
	return rest == "" || !isDigit(rest[len(rest)-1])
}

// shareMeasure gives both ends of a range the same measure: "$10-15", "3 to 10 %".
func (p *scanner) shareMeasure(f *Figure, first int) {
	before := p.previous()
	if before == nil || int(before.Last) != first && int(before.Last) != first-1 {
		return
	}
	between := text.Between(p.s, before.End, p.tokens[first].Start)
	if f.Value < 0 {
		between = strings.TrimSuffix(strings.TrimSuffix(between, "-"), "−")
	}
	switch between {
	case "-", "–", " - ", " – ", " to ":
	default:
		return
	}
	switch {
	case isBareNumber(before) && before.Kind == Count && !isBareNumber(f):
		before.Kind, before.Unit, before.Counts = f.Kind, f.Unit, false
	case isBareNumber(f) && f.Kind == Count && before.Kind == Money:
		f.Kind, f.Unit = Money, before.Unit
	}
}

// leadingCurrency is the currency before token i: "$5", "USD 5", "EUR5".
func (p *scanner) leadingCurrency(i int) (Unit, bool) {
	start := int(p.tokens[i].Start)
	if start == 0 || i > 0 && p.gap(i-1) == " " && !isUpper(p.word(i-1)) {
		return Unit{}, false
	}
	lead := p.s[max(0, start-5):start]
	if u, ok := currencyBefore(lead); ok {
		return u, true
	}
	if g := p.gap(i - 1); i == 0 || g != " " && g != "" && g != "\u00A0" || !isUpper(p.word(i-1)) || len(p.word(i-1)) != 3 {
		return Unit{}, false
	}
	u := units[p.hash(i-1)]
	return u, isCurrency(u.Dimension)
}

// currencyBefore is the currency sign at the end of lead, before spaces and signs of a negative number.
func currencyBefore(lead string) (Unit, bool) {
	lead = strings.TrimRight(lead, " -")
	if lead == "" || lead[len(lead)-1] < utf8.RuneSelf && lead[len(lead)-1] != '$' {
		return Unit{}, false
	}
	lead = strings.TrimRight(lead, " -−")
	for _, c := range currencySigns {
		if strings.HasSuffix(lead, c.sign) {
			return Unit{c.dimension, 1}, true
		}
	}
	return Unit{}, false
}

func currencySign(tail string) (Unit, bool) {
	if tail == "" || tail[0] < utf8.RuneSelf && tail[0] != '$' {
		return Unit{}, false
	}
	for _, c := range currencySigns {
		if rest, ok := strings.CutPrefix(tail, c.sign); ok && (rest == "" || !isDigit(rest[0])) {
			return Unit{c.dimension, 1}, true
		}
	}
	return Unit{}, false
}

//nolint:gochecknoglobals // read-only
var currencySigns = [...]struct {
	sign      string
	dimension Dimension
}{{"$", Dollar}, {"€", Euro}, {"£", Pound}, {"¥", Yen}, {"₹", Rupee}, {"₽", Ruble}}

// sense reads "about", "more than", "no more than", "up to" and the like before token i.
func (p *scanner) sense(i int) Sense {
	if i == 0 || p.before(i) >= 0x80 {
		return ideographSense(p.s[:p.tokens[i].Start])
	}
	h, before := p.hash(i-1), p.hash(i-2)
	denied := func(at int) bool { return p.hash(at) == hashNo || p.hash(at) == hashNot }
	switch {
	case h == hashThan && (before == hashMore || before == hashGreater || before == hashHigher || before == hashLonger):
		if denied(i - 3) {
			return AtMost
		}
		return AtLeast
	case h == hashThan && (before == hashLess || before == hashFewer):
		if denied(i - 3) {
			return AtLeast
		}
		return AtMost
	case h == hashTo && before == hashUp:
		return AtMost
	case h == hashA || h == hashOf || h == hashDe || h == hashAls:
		return senses[before]
	case before == hashJust && (senses[h] == AtLeast || senses[h] == AtMost):
		return About // just under
	}
	sense := senses[h]
	if denied(i - 2) {
		switch sense {
		case AtLeast:
			return AtMost
		case AtMost:
			return AtLeast
		default:
		}
	}
	return sense
}

func isBareNumber(f *Figure) bool {
	return (f.Kind == Count || f.Kind == Ordinal) && f.Unit.Dimension == None
}
