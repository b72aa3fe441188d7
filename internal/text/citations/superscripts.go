package citations

import (
	"strconv"
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

// superscripts are the numbers of a run of superscript digits: single ones, and ranges.
type superscripts struct {
	first, last [8]int
	n           int
	end         int
	digits      int // of the longest number
	odd         bool
}

// scanSuperscripts reads "¹", "¹²", "¹,³" and "¹⁻³" at i.
func scanSuperscripts(s string, i int) (run superscripts) {
	number, digits, isRange := 0, 0, false
	flush := func() {
		if run.n == len(run.first) || digits > 4 {
			run.odd = true
			return
		}
		if isRange && run.n > 0 {
			run.last[run.n-1] = number
		} else {
			run.first[run.n], run.last[run.n] = number, number
			run.n++
		}
		run.digits = max(run.digits, digits)
		number, digits = 0, 0
	}
	run.end = i
	for i < len(s) && !run.odd {
		r, size := utf8.DecodeRuneInString(s[i:])
		if d := superscriptDigit(r); d >= 0 {
			number, digits = 10*min(number, 1e6)+d, digits+1
			i += size
			run.end = i
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		if digits == 0 || superscriptDigit(next) < 0 || !strings.ContainsRune("⁻–-,˒ʼ", r) {
			run.odd = r == '⁺' || r == '⁻' || r == 'ⁿ' || r == '⁄'
			break
		}
		flush()
		isRange = r == '⁻' || r == '–' || r == '-'
		i += size
	}
	flush()
	return run
}

// readSuperscript reads superscript digits at i, and returns the next position.
func (c *Markers) readSuperscript(i int, lineStart bool) int {
	r, size := utf8.DecodeRuneInString(c.in.Answer[i:])
	if superscriptDigit(r) < 0 {
		return i + size
	}
	c.in.Work.Spend(bracketCost)
	run := scanSuperscripts(c.in.Answer, i)
	end := max(run.end, i+size)
	if run.odd || lineStart || c.isExponent(i, end) {
		return end
	}
	m := c.newMarker(i, end, FormSuperscript)
	for k := range run.n {
		c.addSuperscript(run.first[k], run.last[k], run.digits > 1)
	}
	if !c.allKnown(m.First) && (run.first[0] == 0 || len(c.References) == m.First || c.inSources(c.in.Answer[i:end])) {
		c.withdraw(&m)
		return end
	}
	return c.addMarker(m)
}

// addSuperscript adds a number or a range. A number of two digits that names no source is two numbers if those do: ¹².
func (c *Markers) addSuperscript(first, last int, wide bool) {
	if first < last {
		c.addPositions(strconv.Itoa(first)+"-"+strconv.Itoa(last), first, last)
		return
	}
	label := strconv.Itoa(first)
	if wide && c.SourceOf(label) == UnknownSource {
		from := len(c.References)
		for k := range len(label) {
			c.addReference(label[k : k+1])
		}
		if c.allKnown(from) {
			return
		}
		c.References = c.References[:from]
	}
	c.addReference(label)
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
