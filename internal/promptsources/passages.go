package promptsources

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"confab/schemas"
)

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
	if first, at, ok := c.firstMarker(s); ok && c.addNumbered(ownLines(s[at:], first), first, open && first.style != idMarker) {
		return
	}
	if !c.addBetweenRules(s) {
		c.addParagraphs(s)
	}
}

// betweenSentences are marks that separate passages in one line. In code they stand within a sentence.
var betweenSentences = regexp.MustCompile(`([.!?。！？])\s*(?:\|\||;;)\s*([\p{Lu}\p{Lo}\d])`)

// splitOnly replaces the only source, if it is a text that holds several passages with numbers or with rules between them, by these.
// Several sources keep the numbers that they begin with.
func splitOnly(in *schemas.Interaction) {
	if len(in.Sources) != 1 {
		takeLabels(in)
		return
	}
	s := in.Sources[0]
	text := strings.TrimSpace(strings.ReplaceAll(s.Text, "|||", "\n---\n"))
	if strings.Contains(text, "||") || strings.Contains(text, ";;") {
		text = betweenSentences.ReplaceAllString(text, "$1\n---\n$2")
	}
	found := collector{in: new(schemas.Interaction), topic: topic{answer: in.Answer}}
	first, at, ok := found.firstMarker(text)
	if ok = ok && first.style != plainMarker && (first.style != idMarker || s.ID == ""); !ok && !hasRule(text) {
		return
	}
	if ok {
		found.addNumbered(ownLines(text[at:], first), first, false)
	} else {
		found.addBetweenRules(text)
	}
	if len(found.in.Sources) < 2 {
		return
	}
	for i := range found.in.Sources {
		p := &found.in.Sources[i]
		p.URI, p.Title, p.Score = s.URI, s.Title, s.Score
	}
	in.Sources = found.in.Sources
}

// hasRule reports a line that begins like a rule.
func hasRule(s string) bool {
	return slices.ContainsFunc([]string{"\n---", "\n===", "\n___", "\n***", "\n~~~", "\n>>>", "\n###", "\n+++"}, func(rule string) bool { return strings.Contains(s, rule) })
}

// takeLabels gives sources without ids the labels "[3]" that all of them begin with.
func takeLabels(in *schemas.Interaction) {
	var ids []string
	for _, s := range in.Sources {
		m, ok := readMarker(s.Text, in.Answer)
		if !ok || m.style != bracketMarker && m.style != idMarker || s.ID != "" || slices.Contains(ids, m.id) {
			return
		}
		ids = append(ids, m.id)
	}
	for i, id := range ids {
		in.Sources[i].ID = id
	}
}

// ownLines gives each marker "[2]" or "(2)" behind the first one a line of its own: an export made one line of all.
func ownLines(s string, first marker) string {
	if first.style != bracketMarker || strings.Contains(s, "\n") {
		return s
	}
	form := "[%s%d] "
	if s[0] == '(' {
		form = "(%s%d) "
	}
	for n := first.number + 1; ; n++ {
		mark := fmt.Sprintf(form, first.prefix, n)
		if !strings.Contains(s, " "+mark) {
			return s
		}
		s = strings.Replace(s, " "+mark, "\n"+mark, 1)
	}
}

// firstMarker finds the marker of the first passage, at the start or after one line of introduction. Ids count if the answer has the beginning of one.
func (c *collector) firstMarker(s string) (m marker, at int, ok bool) {
	line, next := lineAt(s, 0)
	if m, ok = readMarker(line, c.topic.answer); ok || !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return m, 0, ok
	}
	at = len(s) - len(strings.TrimLeft(s[next:], " \t\r\n"))
	line, _ = lineAt(s, at)
	m, ok = readMarker(line, c.topic.answer)
	return m, at, ok
}

// addNumbered adds the passages after markers of the first one's kind in ascending order. It reports false if the list is
// not clearly one of passages.
func (c *collector) addNumbered(s string, first marker, open bool) bool {
	if !isList(s, c.topic.answer, first) {
		return false
	}
	start, present, several := first.rest, first, false
	blanks := false // a passage before the last has an empty line inside
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if m, ok := readMarker(line, c.topic.answer); ok && i > 0 && m.follows(present) {
			blanks = blanks || strings.Contains(strings.TrimSpace(s[start:i]), "\n\n")
			c.add(present.id, present.in(s[start:i]))
			present, start, several = m, i+m.rest, true
		}
		i = next
	}
	last := strings.TrimSpace(s[start:])
	if open {
		if several && !blanks {
			last, _, _ = strings.Cut(last, "\n\n")
		}
		last = cutRemarks(last)
	}
	c.add(present.id, present.in(last))
	return true
}

// isList is false for markers such as "1." and "kb-17:" that no list of passages has.
func isList(s, answer string, present marker) bool {
	if present.style != plainMarker && (present.style != idMarker || !strings.HasPrefix(present.id, present.prefix)) {
		return true
	}
	n := 0
	for line := range strings.Lines(s) {
		if m, ok := readMarker(strings.TrimRight(line, "\r\n"), answer); ok && (n == 0 || m.follows(present)) {
			present = m
			n++
		}
	}
	return n > 1 && len(s)/n >= minListed
}

// addBetweenRules adds the passages that lines such as "---" separate.
func (c *collector) addBetweenRules(s string) bool {
	start, found := 0, false
	add := func(s string) {
		s = strings.TrimSpace(s)
		if first, at, ok := c.firstMarker(s); ok && first.style != plainMarker {
			c.add(first.id, first.in(s[at+first.rest:]))
		} else {
			c.add("", s)
		}
	}
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if i > 0 && isRule(strings.TrimSpace(line)) {
			found = true
			add(s[start:i])
			start = next
		}
		i = next
	}
	if found {
		add(s[start:])
	}
	return found
}

// addParagraphs adds the paragraphs of a text; short ones go with the next.
func (c *collector) addParagraphs(s string) {
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
