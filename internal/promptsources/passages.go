package promptsources

import "strings"

// Sizes of passages that are made of a text without marks.
const (
	maxParagraphs = 32    // of one block; shorter ones are joined
	minParagraph  = 120   // bytes
	maxParagraph  = 8_000 // bytes
	minListed     = 40    // bytes of a passage of a plain numbered list, on average
)

// split adds the passages of a block: numbered ones, ones between rules, else its paragraphs. open says that
// instructions may follow the last passage.
func (c *collector) split(s string, open bool) {
	s = strings.TrimSpace(s)
	if first, at, ok := firstMarker(s); ok && c.addNumbered(s[at:], first, open) {
		return
	}
	if c.addPairs(s) || c.addBetweenRules(s) {
		return
	}
	c.addParagraphs(s)
}

// firstMarker finds the marker of the first passage, at the start or after one line of introduction.
func firstMarker(s string) (m marker, at int, ok bool) {
	line, next := lineAt(s, 0)
	if m, ok = parseMarker(line); ok {
		return m, 0, true
	}
	if !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return m, 0, false
	}
	for next < len(s) {
		at = next
		if line, next = lineAt(s, at); strings.TrimSpace(line) != "" {
			m, ok = parseMarker(line)
			return m, at, ok
		}
	}
	return m, 0, false
}

// addNumbered adds the passages after markers of the first one's kind in ascending order. It reports false if the list is
// not clearly one of passages.
func (c *collector) addNumbered(s string, first marker, open bool) bool {
	if first.style == plainMarker && !listsPassages(s, first) {
		return false
	}
	start, present, several := first.rest, first, false
	blanks := false // a passage before the last has an empty line inside
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if m, ok := parseMarker(line); ok && i > 0 && m.follows(present) {
			blanks = blanks || strings.Contains(strings.TrimSpace(s[start:i]), "\n\n")
			c.add(present.id, s[start:i])
			present, start, several = m, i+m.rest, true
		}
		i = next
	}
	last := strings.TrimSpace(s[start:])
	if open && several && !blanks {
		last, _, _ = strings.Cut(last, "\n\n")
	}
	if open {
		last = cutInstructions(last)
	}
	c.add(present.id, last)
	return true
}

// listsPassages reports a plain numbered list whose items are as long as passages.
func listsPassages(s string, first marker) bool {
	n := countMarked(s, first)
	return n >= 2 && len(s)/n >= minListed
}

func countMarked(s string, first marker) (n int) {
	present := first
	n = 1
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if m, ok := parseMarker(line); ok && i > 0 && m.follows(present) {
			present = m
			n++
		}
		i = next
	}
	return n
}

// addPairs adds passages of the form "Content: …", each with an optional line "Source: …" that names it.
func (c *collector) addPairs(s string) bool {
	const content, source = "Content:", "Source:"
	if !strings.HasPrefix(s, content) {
		return false
	}
	for s != "" {
		next := strings.Index(s[len(content):], "\n"+content)
		item := s
		if next >= 0 {
			item, s = s[:len(content)+next], s[len(content)+next+1:]
		} else {
			s = ""
		}
		item, id := item[len(content):], ""
		if at := strings.LastIndex(item, "\n"+source); at >= 0 {
			id = strings.TrimSpace(item[at+1+len(source):])
			item = item[:at]
		}
		c.add(id, item)
	}
	return true
}

// addBetweenRules adds the passages that lines such as "---" separate.
func (c *collector) addBetweenRules(s string) bool {
	start, found := 0, false
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if isRule(strings.TrimSpace(line)) {
			if i > 0 {
				found = true
			}
			c.addParagraphsIf(found, s[start:i])
			start = next
		}
		i = next
	}
	c.addParagraphsIf(found, s[start:])
	return found
}

func (c *collector) addParagraphsIf(found bool, s string) {
	if !found {
		return
	}
	if first, at, ok := firstMarker(strings.TrimSpace(s)); ok && first.style != plainMarker {
		s = strings.TrimSpace(s)
		c.add(first.id, s[at+first.rest:])
		return
	}
	c.add("", s)
}

// addParagraphs adds the paragraphs of a text; short ones go with the next.
func (c *collector) addParagraphs(s string) {
	s = strings.TrimSpace(s)
	least := max(minParagraph, len(s)/maxParagraphs)
	start := 0
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if i-start >= least && strings.TrimSpace(line) == "" && len(s)-next >= minParagraph/2 {
			c.addLong(s[start:i])
			start = next
		}
		i = next
	}
	c.addLong(s[start:])
}

// addLong adds a text in pieces that detectors read whole.
func (c *collector) addLong(s string) {
	for len(s) > maxParagraph {
		cut := strings.LastIndexByte(s[:maxParagraph], '\n')
		if cut < maxParagraph/2 {
			cut = strings.LastIndex(s[:maxParagraph], ". ")
		}
		if cut < maxParagraph/2 {
			break
		}
		c.add("", s[:cut+1])
		s = s[cut+1:]
	}
	c.add("", s)
}

// lineAt is the line at i without its end, and where the next one starts.
func lineAt(s string, i int) (line string, next int) {
	end := strings.IndexByte(s[i:], '\n')
	if end < 0 {
		return s[i:], len(s)
	}
	return strings.TrimSuffix(s[i:i+end], "\r"), i + end + 1
}
