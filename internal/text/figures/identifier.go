package figures

import (
	"strings"

	"confab/internal/text"
)

// Limits of identifiers.
const (
	maxIdentifier   = 8 // groups of digits
	minIdentifier   = 7 // digits
	minLongPhone    = 9 // digits of a number that starts with 0 or +
	minIdentifierID = 3 // groups
)

// identifier reads versions, IPv4 addresses, telephone numbers, ISBNs and part numbers, which are no quantities.
func (p *scanner) identifier(i int) (next int, ok bool) {
	w := p.word(i)
	if p.tokens[i].Kind != text.Number {
		return 0, false
	}
	if at := strings.IndexByte(w, '.'); at >= 0 && strings.LastIndexByte(w, '.') > at && strings.IndexByte(w, ',') < 0 {
		if strings.Count(w, ".") == 3 || !IsGrouped(w, ".") {
			return p.emitCode(i, i+1), true
		}
		return 0, false
	}
	switch p.gap(i) {
	case " ":
		if b := p.before(i); b != '+' && b != '(' && (w[0] != '0' || len(w) < 3) {
			return 0, false
		}
	case "-", ")-", ".", ") ", " (", ")":
	default:
		return 0, false
	}
	if last := p.groupedDigits(i); last > i {
		return p.emitCode(i, last), true
	}
	return 0, false
}

// groupedDigits is the end of a telephone number, ISBN or part number that starts at token i, else i.
func (p *scanner) groupedDigits(i int) (last int) {
	plus, paren := p.before(i) == '+', p.before(i) == '(' && strings.HasPrefix(p.gap(i), ")")
	digits, groups, spaces := 0, 0, 0
	for last = i; last < len(p.tokens) && groups < maxIdentifier; last++ {
		w := p.word(last)
		if !IsNumeral(w) {
			break
		}
		if last > i {
			switch gap := p.gap(last - 1); {
			case gap == "-", gap == ")-", gap == ".":
			case gap == " ", gap == ") ", gap == ")", gap == " (" && strings.HasPrefix(p.gap(last), ")"): // no "(24/7)"
				spaces++
			default:
				w = ""
			}
		}
		if w == "" {
			break
		}
		digits += len(w)
		groups++
	}
	first := p.word(i)
	switch {
	case groups < 2 || p.gap(last-1) == "-" && last < len(p.tokens):
		return i
	case plus && digits >= minLongPhone, first[0] == '0' && len(first) > 2 && digits >= minLongPhone && groups < 5:
		return last
	case groups < minIdentifierID || IsYear(first):
		return i
	case paren && digits == 10 && len(first) == 3:
		return last
	case spaces == 0 && digits >= minIdentifier:
		return last
	}
	return i
}

// emitCode appends a Code over the tokens first..last.
func (p *scanner) emitCode(first, last int) int {
	const prime, space = 1099511628211, 1 << 50 // FNV-1a, to a number that a float64 holds
	h := uint64(14695981039346656037)
	for i := first; i < last; i++ {
		for _, c := range []byte(p.word(i)) {
			h = (h ^ uint64(c)) * prime
		}
	}
	return p.emit(Figure{Kind: Code, Value: float64(h % space)}, first, last)
}
