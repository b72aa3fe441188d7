package citations

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// superscriptDigit is the value of a superscript digit, -1 for another character.
func superscriptDigit(r rune) int {
	switch {
	case r == '¹':
		return 1
	case r == '²', r == '³':
		return int(r-'²') + 2
	case r == '⁰' || r >= '⁴' && r <= '⁹':
		return int(r - '⁰')
	default:
		return -1
	}
}

// plainSuperscripts is the run of superscript digits at the start of s as a list of numbers, "1,3" or "1-3", and its length. It is
// "" for a formula: a sign or a letter goes on, or a number is too long.
func plainSuperscripts(s string) (list string, size int) {
	var plain [maxSuperscripts]byte
	n := 0
	for i := 0; ; n++ {
		r, width := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+width:])
		d := superscriptDigit(r)
		switch {
		case d < 0 && (n == 0 || !strings.ContainsRune("⁻–-,˒ʼ", r) || superscriptDigit(next) < 0):
			if strings.ContainsRune("⁺⁻ⁿ⁄", r) {
				return "", size
			}
			return string(plain[:n]), size
		case n == len(plain):
			return "", size
		case d >= 0:
			plain[n], size = '0'+byte(d), i+width
		case r == '⁻' || r == '–' || r == '-':
			plain[n] = '-'
		default:
			plain[n] = ','
		}
		i += width
	}
}

const maxSuperscripts = 16 // digits and separators

// readSuperscript reads superscript digits at i, and returns the next position.
func (c *Markers) readSuperscript(i int, lineStart bool) int {
	s := c.in.Answer
	r, size := utf8.DecodeRuneInString(s[i:])
	if superscriptDigit(r) < 0 {
		return i + size
	}
	c.in.Work.Spend(bracketCost)
	list, size := plainSuperscripts(s[i:])
	end := i + size
	if list == "" || lineStart || c.isExponent(i, end) {
		return end
	}
	m := c.newMarker(i, end, FormSuperscript)
	for part := range strings.SplitSeq(list, ",") {
		c.addSuperscript(part)
	}
	if !c.allKnown(m.First) && (list[0] == '0' || len(c.References) == m.First || c.inSources(s[i:end])) {
		c.withdraw(&m)
		return end
	}
	return c.addMarker(m)
}

// addSuperscript adds a number or a range. Digits that name no source are several numbers if those do: ¹².
func (c *Markers) addSuperscript(label string) {
	from := len(c.References)
	if c.addList(label); len(label) != 2 || c.allKnown(from) {
		return
	}
	c.References = c.References[:from]
	for k := range label {
		c.addReference(label[k : k+1])
	}
	if !c.allKnown(from) {
		c.References = c.References[:from]
		c.addReference(label)
	}
}

// isExponent reports whether the superscript at i belongs to a number, unit, symbol or formula.
func (c *Markers) isExponent(i, end int) bool {
	r, glued := c.before(i)
	next := c.after(end)
	switch {
	case next == '(' || next == '/' || next == '⁺' || next == '⁻' || next == '·':
		return true
	case isASCIILetter(next) && !glued:
		return true // an isotope
	case !glued:
		return false
	case '0' <= r && r <= '9':
		year, _ := yearAt(c.in.Answer[max(0, i-5):i])
		return year == ""
	case r == '⁻' || r == '⁺' || r == ')' && isASCIILetter(next) || r == '%' || r == '=' || r == '^':
		return true
	default:
		word := c.wordBefore(i)
		return exponentWords.Has(text.Hash(word)) || len(word) == 1
	}
}

// readCaret reads ^1 and ^1^ at i, and returns the next position.
func (c *Markers) readCaret(i int) int {
	s := c.in.Answer
	end := digitsEnd(s, i+1)
	if end == i+1 || end > i+4 || c.isExponent(i, end) {
		return max(end, i+1)
	}
	m := c.newMarker(i, end, FormSuperscript)
	m.End += len(s[end:]) - len(strings.TrimPrefix(s[end:], "^"))
	m.weak = true
	c.in.Work.Spend(bracketCost)
	if !c.addList(s[i+1:end]) || !c.allKnown(m.First) || !endsClause(c.after(m.End)) && c.after(m.End) != ' ' {
		c.withdraw(&m)
		return m.End
	}
	return c.addMarker(m)
}
