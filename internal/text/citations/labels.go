package citations

import (
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// SourceOf finds the source that a label names: by id, else by its position counted from 1, or from 0 where the answer does, its
// address or its title.
func (c *Markers) SourceOf(label string) int {
	c.in.Work.Spend(1 + len(c.in.Sources)/labelsPerUnit)
	if label != c.last.Label { // most labels are asked for twice
		c.last = Reference{Label: label, Source: c.findSource(label)}
	}
	return c.last.Source
}

// findSource is SourceOf without its cost and memory.
func (c *Markers) findSource(label string) int {
	found := UnknownSource
	sources := c.in.Sources
	for i := range sources {
		if sources[i].ID == label && label != "" {
			found = i
			break
		}
	}
	switch n, ok := parsePosition(label); {
	case found >= 0:
	case ok:
		if !c.zeroBased {
			n--
		}
		if n >= 0 && n < len(sources) {
			found = n
		} else if len(sources) == 1 && sources[0].ID == "" && n < partsOf(sources[0].Text) {
			return UnmeasuredSource
		}
	default:
		found = c.sourceNamed(label)
	}
	if found >= c.in.Measured {
		return UnmeasuredSource
	}
	return found
}

// partsOf is how many passages a text without labels may hold at most: a log may join them by line breaks, bars or semicolons, as members
// or as elements.
func partsOf(text string) (n int) {
	for _, between := range [...]string{"\n", " | ", "; ", `","`, `", "`, "</"} {
		n = max(n, 1+strings.Count(text, between))
	}
	return n
}

// minTitle is the shortest title, in bytes, that a label may name.
const minTitle = 4

// sourceNamed finds the source with this title or address.
func (c *Markers) sourceNamed(label string) int {
	if len(label) < minTitle {
		return UnknownSource
	}
	address := c.hasURIs && strings.IndexByte(label, '/') >= 0
	for i := range c.in.Sources {
		src := &c.in.Sources[i]
		if len(src.Title) == len(label) && strings.EqualFold(src.Title, label) || address && src.URI != "" && sameAddress(src.URI, label) {
			return i
		}
	}
	return UnknownSource
}

// addReference adds the source that the label names, and others with its id: they are parts of it.
func (c *Markers) addReference(label string) {
	found, sources := c.SourceOf(label), c.in.Sources[:min(len(c.in.Sources), c.in.Measured)]
	c.References = append(c.References, Reference{Label: label, Source: found})
	c.in.Work.Spend(len(sources) / labelsPerUnit)
	for i := found + 1; found >= 0 && i < len(sources) && len(c.References) <= MaxCitations; i++ {
		if sources[i].ID == sources[found].ID && sources[i].ID != "" {
			c.References = append(c.References, Reference{Label: label, Source: i})
		}
	}
}

// addSibling adds a reference to an unknown source whose label has the form of a source's id: "kb-9" next to "kb-17", "leave.pdf"
// next to "benefits.pdf". It returns false for another label, and for one that a source or a message contains.
func (c *Markers) addSibling(label string) bool {
	if len(label) > maxSibling || strings.ContainsAny(label, " ,;") {
		return false
	}
	c.in.Work.Spend(1 + len(c.in.Sources)/labelsPerUnit)
	if !slices.ContainsFunc(c.in.Sources, func(s schemas.Source) bool { return isSibling(s.ID, label) }) || c.inSources(label) || slices.ContainsFunc(c.in.Messages, func(m schemas.Message) bool {
		return !c.in.Work.Spend(1+len(m.Content)/searchBytes) || strings.Contains(m.Content, label)
	}) {
		return false
	}
	c.addReference(label)
	return true
}

// isSibling reports two ids of one form: of files with the same extension, or of one beginning before a number.
func isSibling(id, label string) bool {
	stem, extension := idForm(id)
	otherStem, other := idForm(label)
	return stem != "" && stem == otherStem || extension != "" && extension == other
}

// idForm is what ids of one form share: the beginning before a part with a digit ("kb-" of kb-17), and the extension of a file.
func idForm(id string) (stem, extension string) {
	id, _, _ = strings.Cut(id, "#")
	if at := strings.LastIndexByte(id, '.'); at > 0 && len(id)-at > 2 && len(id)-at < 6 && isASCIILetter(rune(id[at+1])) {
		return "", id[at:]
	}
	end := strings.IndexAny(id, "-_:/")
	if end < 0 {
		end = len(strings.TrimRight(id, "0123456789")) - 1
	}
	if stem = id[:end+1]; stem != "" && isASCIILetter(rune(stem[0])) && strings.ContainsAny(id[end+1:], "0123456789") {
		return stem, ""
	}
	return "", ""
}

// maxSibling is the longest label of an unknown source, in bytes.
const maxSibling = 64

// addList adds the references of "1", "1, 3", "2-4" or of an id. It returns false if one of them cannot be a citation.
func (c *Markers) addList(content string) bool {
	if c.SourceOf(content) != UnknownSource {
		c.addReference(content)
		return true
	}
	for part := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		low, high, isRange := cutRange(part)
		if !c.isCitable(low) || isRange && !c.isCitable(high) {
			return false
		}
		if !isRange || c.SourceOf(part) != UnknownSource {
			c.addReference(part)
			continue
		}
		c.addRange(part, low, high)
	}
	return true
}

// addRange adds a range of positions. All positions beyond the sources become one unknown reference.
func (c *Markers) addRange(whole, low, high string) {
	first, okFirst := parsePosition(low)
	last, okLast := parsePosition(high)
	if !okFirst || !okLast || first > last {
		c.addReference(whole)
		return
	}
	c.addPositions(whole, first, last)
}

func (c *Markers) addPositions(whole string, first, last int) {
	for n := first; n <= last && len(c.References) <= MaxCitations && c.in.Work.Ended() == ""; n++ {
		label := strconv.Itoa(n)
		if c.SourceOf(label) == UnknownSource {
			c.References = append(c.References, Reference{Label: whole, Source: UnknownSource})
			return
		}
		c.addReference(label)
	}
}

// isCitable is false for a number that names no source and cannot be a citation: a year, or with a leading zero.
func (c *Markers) isCitable(s string) bool {
	year := len(s) == 4 && (s[0] == '1' || s[0] == '2')
	zero := s != "" && s[0] == '0'
	if (year || zero) && isNumberList(s) {
		return c.SourceOf(s) != UnknownSource
	}
	return true
}

// allKnown reports whether every reference from first on names a source.
func (c *Markers) allKnown(first int) bool {
	return len(c.References) > first && !slices.ContainsFunc(c.References[first:], func(r Reference) bool {
		return r.Source == UnknownSource
	})
}

// inSources reports whether the text of a source contains s. It searches a bounded number of times and then returns true.
func (c *Markers) inSources(s string) bool {
	if c.searches++; c.searches > maxSearches {
		return true
	}
	for i := range min(len(c.in.Sources), c.in.Measured) {
		text := c.in.Sources[i].Text
		if !c.in.Work.Spend(1+len(text)/searchBytes) || strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// parsePosition parses a decimal number of at most nine digits.
func parsePosition(s string) (n int, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// isNumberList reports numbers separated by commas, semicolons, dashes and spaces.
func isNumberList(s string) bool {
	digits := false
	for i, r := range s {
		switch {
		case '0' <= r && r <= '9':
			digits = true
		case r == ',' || r == ';' || r == ' ' || r == '-' || r == '–':
			if i == 0 {
				return false
			}
		default:
			return false
		}
	}
	return digits
}

// cutRange splits "2-4" and "2–4".
func cutRange(s string) (low, high string, isRange bool) {
	for _, dash := range [...]string{"-", "–"} {
		if low, high, isRange = strings.Cut(s, dash); isRange {
			return low, high, true
		}
	}
	return s, "", false
}

// sameAddress compares two addresses without scheme, www., fragment, tracking parameters and the last slash.
func sameAddress(a, b string) bool {
	a, b = trimAddress(a), trimAddress(b)
	hostA, pathA, _ := strings.Cut(a, "/")
	hostB, pathB, _ := strings.Cut(b, "/")
	return a != "" && pathA == pathB && strings.EqualFold(hostA, hostB)
}

func trimAddress(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "#")
	for _, tracking := range [...]string{"?utm_", "&utm_"} {
		s, _, _ = strings.Cut(s, tracking)
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
}
