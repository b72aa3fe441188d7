package figureindex

import (
	"math"
	"strings"
)

// Limits of counted items.
const (
	maxItems     = 50
	minItems     = 3 // of an enumeration in one sentence
	maxItemWords = 6
	maxListBytes = 4000 // of the answer after the number
	itemBytes    = 8    // bytes searched per unit of work
)

// countsItems reports a number that counts the items that follow it in the answer, the items of a list in a source, or those
// of an enumeration in a source sentence with a word of the answer's.
func (c *calculation) countsItems() bool {
	f := c.f
	if !isBare(f) || f.Value < 2 || f.Value > maxItems || f.Value != math.Trunc(f.Value) {
		return false
	}
	n := int(f.Value)
	after := c.d.Answer()[f.End:]
	after = after[:min(len(after), maxListBytes)]
	if !c.spend(len(after) / itemBytes) {
		return false
	}
	if _, items, ok := strings.Cut(firstSentence(after), ":"); ok && enumerated(items) == n || hasList(after, n) {
		return true
	}
	return c.countsList(n) || n >= minItems && c.countsEnumeration(n)
}

// countsList reports a source with a list of n items.
func (c *calculation) countsList(n int) bool {
	for s := range c.d.Sources() {
		source := c.d.Source(s)
		if !c.spend(1 + len(source)/itemBytes) {
			return false
		}
		if hasList(source, n) {
			return true
		}
	}
	return false
}

// countsEnumeration reports a source sentence that enumerates n items.
func (c *calculation) countsEnumeration(n int) bool {
	sentences := c.d.AllSourceSentences()
	for i := range sentences {
		s := &sentences[i]
		if !c.spend(1 + int(s.End-s.Start)/itemBytes) {
			return false
		}
		if enumerated(c.d.Source(int(s.Source))[s.Start:s.End]) == n && c.sharesWords(int32(i)) {
			c.sentence = int32(i)
			return true
		}
	}
	return false
}

func firstSentence(s string) string {
	if i := strings.IndexAny(s, "\n.?!"); i >= 0 {
		return s[:i]
	}
	return s
}

// enumerated counts the items of "a, b and c"; 0 if there are no two commas or "and".
func enumerated(s string) int {
	items, long := 1, false
	for rest := s; rest != ""; {
		item, after, more := strings.Cut(rest, ",")
		before, last, joined := strings.Cut(item, " and ")
		if !joined {
			before, last, joined = strings.Cut(item, " or ")
		}
		if more {
			items++
		}
		switch {
		case joined && strings.TrimSpace(before) != "" && strings.TrimSpace(last) != "":
			items++
		case strings.Count(item, " ") > maxItemWords:
			long = len(after) > 0 && items > 2
		}
		if long {
			return 0
		}
		rest = after
	}
	return items
}

// hasList reports a run of n lines that begin as list items.
func hasList(s string, n int) bool {
	run := 0
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimLeft(line, " \t")
		switch {
		case isItem(line):
			run++
			continue
		case line == "":
			continue
		case run == n:
			return true
		}
		run = 0
	}
	return run == n
}

func isItem(line string) bool {
	for _, bullet := range [...]string{"- ", "* ", "• ", "– "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	return digits > 0 && digits < 3 && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' '
}
