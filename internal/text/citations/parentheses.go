package citations

import (
	"strings"
	"unicode"

	"confab/internal/text"
)

// readParenthesis reads (source: a), (see Document 1), (1), (Smith, 2020) and (kb-17) at i, and returns the next position.
func (c *Markers) readParenthesis(i int, open, shut string) int {
	content, end, ok := c.enclosed(i, open, shut)
	if !ok {
		return i + len(open)
	}
	m := c.newMarker(i, end, FormSource)
	content = strings.TrimSpace(content)
	if c.addSourceList(content) {
		return c.addMarker(m)
	}
	c.withdraw(&m)
	m.Form = FormParenthesis
	if isNumberList(content) {
		return c.readWeak(&m, content)
	}
	if c.isDistinctLabel(content) {
		c.addReference(content)
		return c.addMarker(m)
	}
	if c.addAuthors(content) {
		m.Form = FormAuthor
		return c.addMarker(m)
	}
	if c.withdraw(&m); c.addID(content) {
		return c.addMarker(m)
	}
	return i + len(open)
}

// addSourceList adds the references of "source: a, b" in any language of [text.SourceLabel], or of "see document 1". A name
// of no source is prose ("source: Reuters") unless it has a digit.
func (c *Markers) addSourceList(content string) bool {
	if strings.ContainsAny(content, ":：") {
		if length := text.SourceLabel(content); length > 0 && c.addNames(content[length:]) {
			return true
		}
	}
	return c.addNamed(content)
}

func (c *Markers) addNames(list string) bool {
	first := len(c.References)
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		name = strings.Trim(name, " []")
		if c.SourceOf(name) != UnknownSource || strings.ContainsAny(name, "0123456789") && !strings.Contains(name, " ") {
			c.addReference(name)
		} else {
			c.addID(name)
		}
	}
	return len(c.References) > first
}

// isDistinctLabel reports the id or title of a source that is no word of ordinary prose.
func (c *Markers) isDistinctLabel(s string) bool {
	if len(s) < len("a-1") || !strings.ContainsAny(s, "0123456789 -_./:") {
		return false
	}
	return c.SourceOf(s) != UnknownSource
}

// readWeak reads a number in parentheses or braces. It is a citation only if every number names a source, and by its place:
// at the end of a clause, not glued to a word, not after a word such as "equation", and not at the start of a line.
func (c *Markers) readWeak(m *Marker, content string) int {
	if len(content) > maxWeak || strings.ContainsAny(content, "-–") && len(c.List) == 0 || !c.mayCite(m) || !c.addList(content) || !c.allKnown(m.First) {
		c.withdraw(m)
		return m.End
	}
	m.weak = true
	return c.addMarker(*m)
}

func (c *Markers) mayCite(m *Marker) bool {
	if n := len(c.List); n > 0 && c.List[n-1].End == m.Start && c.List[n-1].weak {
		return true
	}
	before, glued := c.before(m.Start)
	switch {
	case before == 0 || before == ':' || before == '：' || unicode.IsSymbol(before):
		return false
	case glued && (isASCIILetter(before) || strings.ContainsRune("0123456789_^\\$}]>=+-*/'", before)):
		return false
	}
	word := c.wordBefore(len(strings.TrimRight(c.in.Answer[max(0, m.Start-8):m.Start], " *_")) + max(0, m.Start-8))
	if notCited.Has(text.Hash(word)) {
		return false
	}
	return endsClause(c.after(m.End))
}

const maxWeak = 12 // bytes of numbers in parentheses

// readBrace reads {1}, {source 1} and \cite{key} at i, and returns the next position.
func (c *Markers) readBrace(i int) int {
	s := c.in.Answer
	content, end, ok := c.enclosed(i, "{", "}")
	if !ok {
		return i + 1
	}
	m := c.newMarker(i, end, FormParenthesis)
	content = strings.TrimSpace(content)
	if start := latexCite(s, i); start < i {
		m.Start, m.Form = start, FormTag
		if c.addList(content) && c.allKnown(m.First) {
			return c.addMarker(m)
		}
		c.withdraw(&m)
		return end
	}
	switch {
	case isNumberList(content) && !endsClause(c.after(end)):
		return end
	case isNumberList(content):
		return c.readWeak(&m, content)
	case c.addNamed(content):
		m.End += len(s[end:]) - len(strings.TrimPrefix(s[end:], "}")) // {{cite:1}}
		return c.addMarker(m)
	}
	c.withdraw(&m)
	return i + 1
}

// latexCite is where \cite, \citep or \citet before the brace at i starts, i if there is none.
func latexCite(s string, i int) int {
	head := s[max(0, i-8):i]
	at := strings.LastIndex(head, `\cite`)
	if at < 0 || len(head)-at > len(`\cite`)+1 {
		return i
	}
	return i - len(head) + at
}
