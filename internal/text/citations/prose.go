package citations

import (
	"slices"
	"strings"
	"unicode/utf8"

	"confab/internal/text"
	"confab/schemas"
)

// readNumber reads a source that running text names by a noun and the number at i: "according to document 2", "source 2
// says". It returns the end of the number.
func (c *Markers) readNumber(i int, lineStart bool) int {
	s := c.in.Answer
	end := digitsEnd(s, i)
	if i > 1 && (isASCIILetter(rune(s[i-1])) || s[i-1] == '-' || s[i-1] == '_') {
		return c.readID(i, end)
	}
	if lineStart || end-i > 3 || i == 0 || s[i] == '0' {
		return end
	}
	noun, start := c.nounBefore(i)
	if noun == "" || !c.endsLabel(end) {
		return end
	}
	c.in.Work.Spend(bracketCost)
	m := c.newMarker(start, end, FormProse)
	if n := len(c.List); n > 0 && c.List[n-1].End > start {
		return end
	}
	cueStart, cued := c.cueBefore(start)
	verbEnd := c.verbAfter(end)
	label := s[i:end]
	if c.addReference(label); !c.allKnown(m.First) {
		if !cued && verbEnd == end || c.inSources(s[start:end]) {
			c.withdraw(&m)
			return end
		}
	}
	if last := c.addSecond(end); last > end {
		verbEnd = c.verbAfter(last)
	}
	m.Start, m.End = cueStart, verbEnd
	return c.addMarker(m)
}

// readID reads an id with the digits from i to end that running text cites and no source has, where a source has one of its form and
// length: "see article KB-4711" next to KB-1012. It returns where the id ends.
func (c *Markers) readID(i, end int) int {
	const fewest = 3 // digits
	s := c.in.Answer
	start := i
	for start > 0 && i-start < maxSibling && (isASCIILetter(rune(s[start-1])) || s[start-1] == '-' || s[start-1] == '_') {
		start--
	}
	label := s[start:end]
	if _, cued := c.cueBefore(start); end-i < fewest || !c.endsLabel(end) || !cued && c.verbAfter(end) == end || !slices.ContainsFunc(c.in.Sources, func(src schemas.Source) bool {
		return len(src.ID) == len(label)
	}) {
		return end
	}
	m := c.newMarker(start, end, FormProse)
	if c.SourceOf(label) == UnknownSource && c.addSibling(label) {
		c.addMarker(m)
	}
	return end
}

// addSecond adds the second number of "documents 2 and 3", whose first one ends at i, and returns the end of the last one.
func (c *Markers) addSecond(i int) int {
	s := c.in.Answer
	for _, and := range [...]string{" and ", " & ", " und ", " y ", " et "} {
		end := digitsEnd(s, min(len(s), i+len(and)))
		if !hasPrefix(s[i:], and) || end == i+len(and) || !c.endsLabel(end) || c.SourceOf(s[i+len(and):end]) == UnknownSource {
			continue
		}
		c.addReference(s[i+len(and) : end])
		return end
	}
	return i
}

// nounBefore is the noun before the number at i and where it starts, "" if there is none.
func (c *Markers) nounBefore(i int) (noun string, start int) {
	s := c.in.Answer
	at := i
	if trimmed := strings.TrimRight(s[max(0, i-8):i], " #"); len(trimmed) < i-max(0, i-8) {
		at = max(0, i-8) + len(trimmed)
	}
	for _, join := range [...]string{"no.", "No.", "n°", "nº", "nr.", "Nr.", "núm.", "number", "№"} {
		if strings.HasSuffix(s[:at], join) {
			at = len(strings.TrimRight(s[:at-len(join)], " "))
			break
		}
	}
	if at == 0 {
		return "", 0
	}
	if b := s[at-1]; b < utf8.RuneSelf && !isASCIILetter(rune(b)) {
		return "", 0
	}
	if at == i && s[at-1] < utf8.RuneSelf {
		return "", 0 // "doc1" in running text
	}
	word := c.wordBefore(at)
	if !proseNouns.Has(text.Hash(word)) {
		if word = wideEnd(word, proseNouns); word == "" {
			return "", 0
		}
	}
	return word, at - len(word)
}

// wideEnd is the word of the set that ends a run of ideographs, of two characters or one; "" for none.
func wideEnd(run string, set text.WordSet) string {
	for _, size := range [...]int{len("来源"), len("据")} {
		if len(run) > size && run[0] >= utf8.RuneSelf && set.Has(text.Hash(run[len(run)-size:])) {
			return run[len(run)-size:]
		}
	}
	return ""
}

// endsLabel reports whether the number that ends at end is whole, and no amount such as "2.5" or "2 %".
func (c *Markers) endsLabel(end int) bool {
	s := c.in.Answer
	r := c.after(end)
	switch {
	case isASCIILetter(r) || r == '%' || r == '/' || r == '-' || r == ':' || r == '\'':
		return false
	case (r == '.' || r == ',') && end+1 < len(s) && '0' <= s[end+1] && s[end+1] <= '9':
		return false
	default:
		return true
	}
}

// cueBefore is where the words before start that introduce a source begin: "according to", "as stated in the".
func (c *Markers) cueBefore(start int) (at int, cued bool) {
	s := c.in.Answer
	at = start
	for range 4 {
		end := len(strings.TrimRight(s[max(0, at-4):at], " ")) + max(0, at-4)
		word := c.wordBefore(end)
		isCue := cues.Has(text.Hash(word))
		if !isCue && !cueStarts.Has(text.Hash(word)) {
			if wide := wideEnd(word, cues); wide != "" && end == at {
				return at - len(wide), true
			}
			break
		}
		cued = cued || isCue
		at = end - len(word)
	}
	if !cued {
		return start, false
	}
	return at, true
}

// verbAfter is the end of a verb such as "says" after end, with the word that introduces its clause, or end.
func (c *Markers) verbAfter(end int) int {
	s := c.in.Answer
	for _, verb := range [...]string{"指出", "显示", "提到", "表明", "说", "表示", "によると"} {
		if hasPrefix(s[end:], verb) {
			return end + len(verb)
		}
	}
	rest := strings.TrimPrefix(s[end:], " ")
	word := leadingWord(rest[:min(len(rest), maxTableWord)])
	if len(rest) == len(s)-end || !verbs.Has(text.Hash(word)) {
		return end
	}
	at := len(s) - len(rest) + len(word)
	for _, clause := range [...]string{" that ", ", dass ", " que ", ", что "} {
		if hasPrefix(s[at:], clause) {
			return at + len(clause) - 1
		}
	}
	return at
}
