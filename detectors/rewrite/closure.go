package rewrite

import (
	"strings"
	"unicode"
)

// cause is why a unit is cut.
type cause uint8

// The causes. A kept unit has none.
const (
	keptUnit       cause = iota
	flaggedUnit          // a detector found a fault in it
	pairedUnit           // it opens or closes a quotation or bracket of a cut unit
	containedUnit        // it belongs to a list item or table whose head is cut
	dependentUnit        // it begins with a word that refers to a cut sentence
	introducedUnit       // it introduces or heads what is cut as a whole
	unreferredUnit       // a footnote that only cut units refer to
)

// Names of the causes in results.
func (c cause) String() string {
	return [...]string{"kept", "flagged", "paired", "contained", "dependent", "introduction", "unreferenced"}[c]
}

// cutSet is the choice of units to cut.
type cutSet struct {
	Causes []cause // one for each unit

	answer *answerLayout
}

// newCut returns a choice of no unit.
func (a *answerLayout) newCut() *cutSet {
	return &cutSet{answer: a, Causes: make([]cause, len(a.Units))}
}

// close adds what cannot stay without the units that are cut.
func (c *cutSet) close() {
	c.contain()
	c.pair()
	c.depend()
	c.introduce()
	c.dereference()
}

func (c *cutSet) cut(i int, why cause) {
	if c.Causes[i] == keptUnit && !c.answer.Units[i].Code {
		c.Causes[i] = why
	}
}

// isGone reports that every unit of the block is cut. A block without units stays.
func (c *cutSet) isGone(b *textBlock) bool {
	for i := b.units; i < b.end; i++ {
		if c.Causes[i] == keptUnit {
			return false
		}
	}
	return b.units < b.end
}

// contain cuts the rows of a table without its head, and what belongs to an item whose subject is gone.
func (c *cutSet) contain() {
	a := c.answer
	for k := range a.blocks {
		b := &a.blocks[k]
		if b.units == b.end || c.Causes[b.units] == keptUnit {
			continue
		}
		switch {
		case b.kind == tableLine && a.hasTableHead(b), b.kind == itemLine && a.isLabelled(b):
			for i := b.units; i < b.end; i++ {
				c.cut(i, containedUnit)
			}
		}
		if b.kind == itemLine && c.isGone(b) {
			c.cutChildren(k)
		}
	}
}

// cutChildren cuts the items and paragraphs below the k-th block, an item.
func (c *cutSet) cutChildren(k int) {
	a := c.answer
	inner := a.lines[a.blocks[k].first].inner
	for j := k + 1; j < len(a.blocks) && a.blocks[j].indent >= min(inner, a.blocks[k].indent+2) && a.blocks[j].indent > a.blocks[k].indent; j++ {
		b := &a.blocks[j]
		for i := b.units; i < b.end; i++ {
			if c.Causes[i] == keptUnit { // code, too: it belongs to the item
				c.Causes[i] = containedUnit
			}
		}
	}
}

func (a *answerLayout) hasTableHead(b *textBlock) bool {
	return b.first < b.last && a.lines[b.first+1].kind == tableRule
}

// maxItemLabel is the largest label of an item, in bytes.
const maxItemLabel = 100

// isLabelled reports an item that begins with a label of what all its sentences are about: "**Name:** …", "Name: …".
func (a *answerLayout) isLabelled(b *textBlock) bool {
	l := &a.lines[b.first]
	s := a.Text[l.content:min(l.end, l.content+maxItemLabel)]
	if strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__") {
		return true
	}
	colon := strings.Index(s, ": ")
	return colon > 0 && !strings.ContainsAny(s[:colon], ".!?")
}

// maxPaired is how many units a quotation or bracket may span beyond the cut one.
const maxPaired = 12

// pair cuts units until quotations and brackets are complete.
func (c *cutSet) pair() {
	for i := 0; i < len(c.Causes); i++ {
		if c.Causes[i] == keptUnit || c.answer.Units[i].Row {
			continue
		}
		i = c.pairRun(i) - 1
	}
}

// pairRun completes the run of cut units of a block that begins with the i-th, and returns its end.
func (c *cutSet) pairRun(first int) (end int) {
	a := c.answer
	last := c.runEnd(first)
	opened, closed := unpairedMarks(a.span(first, last), first > 0 && a.Units[first-1].block == a.Units[first].block)
	end = last
	if opened && c.extend(last, 1, func(to int) string { return a.span(first, to+1) }) {
		end = c.runEnd(first)
	}
	if closed {
		c.extend(first-1, -1, func(to int) string { return a.span(to, last) })
	}
	return end
}

// runEnd is the end of the run of cut units of one block that begins with the i-th.
func (c *cutSet) runEnd(i int) int {
	units := c.answer.Units
	end := i + 1
	for end < len(units) && c.Causes[end] != keptUnit && units[end].block == units[i].block {
		end++
	}
	return end
}

// span is the text of units first to last, half open, of one block.
func (a *answerLayout) span(first, last int) string {
	return a.Text[a.Units[first].Start:a.Units[last-1].End]
}

// extend cuts units of the block from the i-th on in the direction until the text is complete; none if it never is.
func (c *cutSet) extend(i, direction int, upTo func(i int) string) bool {
	a := c.answer
	block := i - direction
	for n, to := 0, i; n < maxPaired && to >= 0 && to < len(a.Units) && a.Units[to].block == a.Units[block].block; n, to = n+1, to+direction {
		opened, closed := unpairedMarks(upTo(to), false)
		if direction > 0 && !opened || direction < 0 && !closed {
			for k := i; k != to+direction; k += direction {
				c.cut(k, pairedUnit)
			}
			return true
		}
	}
	return false
}

// markCounts counts marks that come in pairs.
type markCounts struct {
	depth     map[rune]int // by closing mark: how many are open
	quotes    int          // straight ones
	lastOpens bool         // the last straight quote opens a quotation
}

// unpairedMarks reports marks that s opens and does not close, and the reverse. follows: other text stands before s on its line.
func unpairedMarks(s string, follows bool) (opened, closed bool) {
	m := markCounts{depth: map[rune]int{}}
	before := rune(' ')
	for i, r := range s {
		m.add(s[:i], before, r)
		before = r
	}
	for _, n := range m.depth {
		opened, closed = opened || n > 0, closed || n < 0
	}
	if m.quotes%2 == 1 {
		opened, closed = opened || m.lastOpens, closed || !m.lastOpens
	}
	if strings.Count(withoutEmphasis(s), "**")%2 == 1 {
		opened, closed = opened || !follows, closed || follows
	}
	return opened, closed
}

// add counts r, which stands behind the text.
func (m *markCounts) add(text string, before, r rune) {
	switch r {
	case '(', '[', '{', '“', '«', '„', '「', '『', '（', '【':
		if m.closesGerman(r) {
			return
		}
		m.depth[closingMark(r)]++
	case ')':
		if !isEnumerator(text) {
			m.depth[r]--
		}
	case ']', '}', '”', '»', '」', '』', '）', '】':
		if !m.closesGerman(r) {
			m.depth[r]--
		}
	case '"':
		if !unicode.IsDigit(before) || m.quotes%2 == 1 { // else inches
			m.quotes++
			m.lastOpens = unicode.IsSpace(before) || strings.ContainsRune("([*_", before)
		}
	}
}

// closesGerman counts a mark that closes a quotation which „ opened.
func (m *markCounts) closesGerman(r rune) bool {
	if r != '“' && r != '”' || m.depth['“'] == 0 {
		return false
	}
	m.depth['“']--
	return true
}

// withoutEmphasis is s without marks of emphasis at its ends, which can stay when s is cut.
func withoutEmphasis(s string) string { return strings.Trim(s, "*_ ") }

// isEnumerator reports the text before the parenthesis of "a)" or "1)".
func isEnumerator(s string) bool {
	word := s[strings.LastIndexAny(s, " \n(")+1:]
	if word == "" || len(word) > 3 || strings.HasSuffix(s[:len(s)-len(word)], "(") {
		return false
	}
	return len(word) == 1 || strings.Trim(word, "0123456789") == "" || strings.Trim(word, "ivx") == ""
}

func closingMark(r rune) rune {
	switch r {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '「':
		return '」'
	case '『':
		return '』'
	case '（':
		return '）'
	default:
		return '】'
	}
}
