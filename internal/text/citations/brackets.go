package citations

import (
	"strings"

	"confab/internal/text"
)

// readBracket reads [1], [^1], [Source 1], [title](uri) and similar markers at i, and returns the next position.
func (c *Markers) readBracket(i int, lineStart bool, open, shut string) int {
	s := c.in.Answer
	content, end, ok := c.enclosed(i, open, shut)
	if !ok {
		return i + len(open)
	}
	if lineStart && hasPrefix(s[end:], ":") {
		return end
	}
	m := c.newMarker(i, end, FormBracket)
	content = strings.TrimSuffix(content, `\`) // \[1\]
	address, linkEnd := linkAt(s, end)
	if next, ok := c.readLink(&m, content, address, linkEnd); ok {
		return next
	}
	if label, footnote := strings.CutPrefix(content, "^"); footnote {
		m.Form = FormFootnote
		c.addReference(strings.TrimSpace(strings.TrimSuffix(label, "^")))
		return c.addMarker(m)
	}
	numeric := isNumberList(content)
	if linkEnd > 0 && !numeric {
		return i + len(open)
	}
	if numeric && !c.addList(content) {
		c.withdraw(&m)
		return end
	}
	if !numeric && !c.addLabel(content) {
		c.withdraw(&m)
		if c.addAuthors(content) {
			m.Form = FormAuthor
			return c.addMarker(m)
		}
		return i + len(open)
	}
	m.End = max(m.End, linkEnd) // [1](https://…): the address is part of the marker
	return c.addMarker(m)
}

// addLabel adds the references of the id or title of a source, of "Source 1, 3", "1†L3" or "1, p. 3". It returns false if
// the label is none of these; some references may then be left.
func (c *Markers) addLabel(content string) bool {
	if c.SourceOf(content) != UnknownSource {
		c.addReference(content)
		return true
	}
	if before, _, dagger := strings.Cut(content, "†"); dagger {
		return isNumberList(before) && c.addList(before)
	}
	if before, _, page := strings.Cut(content, ", p"); page && isNumberList(before) {
		return c.addList(before)
	}
	if number, ok := strings.CutPrefix(content, "#"); ok && isNumberList(number) {
		return c.addList(number)
	}
	first := len(c.References)
	if c.addNamed(content) {
		return true
	}
	c.References = c.References[:first]
	return c.addID(content)
}

// addID adds the reference of an id, alone or before a place in the source ("kb-17, 7.3", "kb-17 §7", "caps.pdf#page=3") or further ids,
// also of one that no source has.
func (c *Markers) addID(content string) bool {
	id, rest := content, ""
	if at := strings.IndexAny(content, ",;#§"); at > 0 {
		id, rest = strings.TrimSpace(content[:at]), content[at:]
	}
	switch {
	case rest != "" && !isNumberList(id) && c.SourceOf(id) != UnknownSource:
		c.addReference(id)
	case c.addSibling(content):
		return true
	case rest == "" || !c.addSibling(id):
		return false
	}
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.TrimSpace(part); c.SourceOf(part) != UnknownSource && !isNumberList(part) {
			c.addReference(part)
		} else {
			c.addSibling(part)
		}
	}
	return true
}

// addNamed adds the references of labels with a noun: "Source 1", "see documents 1 and 2", "doc1, doc3", "cite: 1, 2". What
// follows the first label and is none, such as a page, is ignored.
func (c *Markers) addNamed(content string) bool {
	first, named := len(c.References), false
	for rest := content; rest != ""; {
		var part string
		part, rest = cutPart(rest)
		label, noun := cutNoun(cutLeadIns(part))
		named = named || noun
		switch {
		case !named:
			return false
		case isNumberList(label):
			if c.isBeyond(label) || !c.addList(label) {
				return false
			}
		case noun && label != "" && c.SourceOf(label) != UnknownSource:
			c.addReference(label)
		case c.SourceOf(part) != UnknownSource:
			c.addReference(part)
		case len(c.References) == first:
			return false
		}
		if len(c.References) > MaxCitations {
			return true
		}
	}
	return len(c.References) > first
}

// isBeyond reports a range that begins after the last source, such as that of a measured value ("reference 60–110").
func (c *Markers) isBeyond(label string) bool {
	low, _, isRange := cutRange(label)
	n, ok := parsePosition(strings.TrimSpace(low))
	return isRange && ok && n > len(c.in.Sources)
}

// cutLeadIns cuts words such as "see" off the front.
func cutLeadIns(s string) string {
	for range 3 {
		word := leadingWord(s)
		if !leadIns.Has(text.Hash(word)) {
			break
		}
		s = strings.TrimLeft(s[len(word):], " .:,")
	}
	return s
}

// readLenticular reads 【…】 at i, and returns the next position. The text before the dagger names the source. 【4:0†name】 is
// the form of OpenAI's file search: index of the search's message, and index of the result, counted from 0.
func (c *Markers) readLenticular(i int) int {
	const open, shut = "【", "】"
	content, end, ok := c.enclosed(i, open, shut)
	if !ok {
		return i + len(open)
	}
	m := c.newMarker(i, end, FormLenticular)
	label, name, dagger := strings.Cut(content, "†")
	name, _, _ = strings.Cut(name, "†")
	label = strings.TrimSpace(label)
	message, result, pair := strings.Cut(label, ":")
	n, isResult := parsePosition(result)
	_, isMessage := parsePosition(message)
	switch {
	case pair && c.SourceOf(label) != UnknownSource:
	case pair && isResult && isMessage:
		c.addResult(label, message, name, n)
		return c.addMarker(m)
	case pair && !isMessage && c.addNamed(label): // 【source: 1】
		return c.addMarker(m)
	case pair:
		label = message
	case dagger && isNumberList(label) && c.zeroBased:
		n, _ = parsePosition(label)
		c.addResult(label, "", name, n)
		return c.addMarker(m)
	}
	c.withdraw(&m)
	if (dagger && label != "" || isNumberList(label)) && c.addList(label) || !dagger && c.addLabel(label) {
		return c.addMarker(m)
	}
	c.withdraw(&m)
	return end
}

// addResult adds the n-th result of a search, counted from 0. The name after the dagger takes precedence if it is a
// source's. Which results a second search had is unknown.
func (c *Markers) addResult(label, message, name string, n int) {
	if len(c.List) == 0 && c.message == "" {
		c.message = message
	}
	found := UnknownSource
	switch named := c.SourceOf(name); {
	case named != UnknownSource && c.sourceNamed(name) >= 0:
		found = named
	case message != c.message:
		found = UnmeasuredSource
	case n < len(c.in.Sources):
		found = n
	}
	if found >= c.in.Measured {
		found = UnmeasuredSource
	}
	c.References = append(c.References, Reference{Label: label, Source: found})
}
