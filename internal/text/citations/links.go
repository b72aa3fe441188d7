package citations

import "strings"

// linkAt is the address in the parentheses at i, as in [text](address) and [[1]](address), and where they end; 0 for none.
func linkAt(s string, i int) (address string, end int) {
	open := i
	if hasPrefix(s[open:], "](") {
		open++
	}
	if !hasPrefix(s[open:], "(") {
		return "", 0
	}
	content, ok := linkText(s[open+1:])
	if !ok {
		return "", 0
	}
	end = open + len(content) + 2
	content, _, _ = strings.Cut(strings.TrimSpace(content), " ")
	return strings.Trim(content, "<>"), end
}

// maxAddress is the longest address of a link, in bytes.
const maxAddress = 500

// linkText is the text before the closing parenthesis; pairs of parentheses belong to the address.
func linkText(s string) (string, bool) {
	depth := 0
	for i := range min(len(s), maxAddress) {
		switch s[i] {
		case '\n':
			return "", false
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return s[:i], i > 0
			}
		}
	}
	return "", false
}

// readLink reads a link to the address of a source. Text of a link that is more than a label belongs to the sentence.
func (c *Markers) readLink(m *Marker, content, address string, linkEnd int) (next int, ok bool) {
	if linkEnd == 0 || !c.hasURIs || !c.addAddress(content, address) {
		return 0, false
	}
	m.Form = FormLink
	if c.isLinkLabel(content, c.References[m.First].Source) {
		m.End = linkEnd
		return c.addMarker(*m), true
	}
	m.Start += len("[") + len(content)
	m.End = linkEnd
	for i := m.First; i < len(c.References); i++ {
		c.References[i].Label = address
	}
	return c.addMarker(*m), true
}

// addAddress adds every source with this address.
func (c *Markers) addAddress(label, address string) bool {
	first := len(c.References)
	c.in.Work.Spend(len(c.in.Sources))
	for i := range c.in.Sources {
		if uri := c.in.Sources[i].URI; uri != "" && sameAddress(uri, address) {
			if i >= c.in.Measured {
				i = UnmeasuredSource
			}
			c.References = append(c.References, Reference{Label: label, Source: i})
		}
	}
	return len(c.References) > first
}

// isLinkLabel reports text of a link that names the source and says nothing else.
func (c *Markers) isLinkLabel(s string, source int) bool {
	if isNumberList(strings.Trim(s, "^")) || !strings.Contains(s, " ") && strings.Contains(s, ".") {
		return true
	}
	if _, noun := cutNoun(s); noun {
		return true
	}
	if source < 0 {
		return false
	}
	src := &c.in.Sources[source]
	return strings.EqualFold(s, src.ID) || len(s) >= minTitle && len(s) <= len(src.Title) &&
		(strings.EqualFold(s, src.Title) || strings.Contains(src.Title, s))
}

// readAddress reads the address of a source in running text, whose colon is at i, and returns the next position.
func (c *Markers) readAddress(i int) int {
	s := c.in.Answer
	if !c.hasURIs || !hasPrefix(s[i:], "://") {
		return i + 1
	}
	c.brackets++
	c.in.Work.Spend(bracketCost)
	start := i
	for start > 0 && i-start < 10 && isASCIILetter(rune(s[start-1])) {
		start--
	}
	length := strings.IndexAny(s[i:min(len(s), i+maxAddress)], " \n\t)>]\"'`，。）")
	if length < 0 {
		length = min(len(s), i+maxAddress) - i
	}
	address := strings.TrimRight(s[start:i+length], ".,;:!?*_")
	m := c.newMarker(start, start+len(address), FormLink)
	if n := len(c.List); start == i || n > 0 && c.List[n-1].End > start || !c.addAddress(address, address) {
		c.withdraw(&m)
		return i + len("://")
	}
	return c.addMarker(m)
}
