package layout

import (
	"strings"
	"unicode"
)

// Cause is why a unit is cut.
type Cause uint8

// The causes. Kept units have none.
const (
	Kept       Cause = iota
	Flagged          // a detector found a fault in it
	Paired           // it opens or closes a quotation or bracket of a cut unit
	Contained        // it belongs to a list item or table whose head is cut
	Dependent        // it begins with a word that refers to a cut sentence
	Introduced       // it introduces or heads what is cut as a whole
	Unreferred       // a footnote that only cut units refer to
)

// Names of the causes in results.
func (c Cause) String() string {
	return [...]string{"kept", "flagged", "paired", "contained", "dependent", "introduction", "unreferenced"}[c]
}

// Cut is the choice of units to cut.
type Cut struct {
	Causes []Cause // one for each unit

	answer *Answer
	change map[int]openingEdit // kept units whose first words depend on a cut unit, by index
}

// NewCut returns a choice of no unit.
func (a *Answer) NewCut() *Cut { return &Cut{answer: a, Causes: make([]Cause, len(a.Units))} }

// Close adds what cannot stay without the units that are cut, and decides about words that refer to them.
func (c *Cut) Close() {
	c.contain()
	c.pair()
	c.depend()
	c.introduce()
	c.dereference()
}

func (c *Cut) cut(i int, why Cause) {
	if c.Causes[i] == Kept && !c.answer.Units[i].Code {
		c.Causes[i] = why
	}
}

// isGone reports that every unit of the block is cut. A block without units stays.
func (c *Cut) isGone(b *textBlock) bool {
	for i := b.units; i < b.end; i++ {
		if c.Causes[i] == Kept {
			return false
		}
	}
	return b.units < b.end
}

// contain cuts the rows of a table without its head, and what belongs to an item whose subject is gone.
func (c *Cut) contain() {
	a := c.answer
	for k := range a.blocks {
		b := &a.blocks[k]
		if b.units == b.end || c.Causes[b.units] == Kept {
			continue
		}
		switch {
		case b.kind == tableLine && a.hasTableHead(b), b.kind == itemLine && a.isLabelled(b):
			for i := b.units; i < b.end; i++ {
				c.cut(i, Contained)
			}
		}
		if b.kind == itemLine && c.isGone(b) {
			c.cutChildren(k)
		}
	}
}

// cutChildren cuts the items and paragraphs below the k-th block, an item.
func (c *Cut) cutChildren(k int) {
	a := c.answer
	inner := a.lines[a.blocks[k].first].inner
	for j := k + 1; j < len(a.blocks) && a.blocks[j].indent >= min(inner, a.blocks[k].indent+2) && a.blocks[j].indent > a.blocks[k].indent; j++ {
		b := &a.blocks[j]
		for i := b.units; i < b.end; i++ {
			c.cut(i, Contained)
		}
	}
}

func (a *Answer) hasTableHead(b *textBlock) bool {
	return b.first < b.last && a.lines[b.first+1].kind == tableRule
}

// maxItemLabel is the largest label of an item, in bytes.
const maxItemLabel = 100

// isLabelled reports an item that begins with a label of what all its sentences are about: "**Name:** …", "Name: …".
func (a *Answer) isLabelled(b *textBlock) bool {
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
func (c *Cut) pair() {
	a := c.answer
	for i := 0; i < len(a.Units); i++ {
		if c.Causes[i] == Kept || a.Units[i].Row {
			continue
		}
		first, last := i, i+1
		for last < len(a.Units) && c.Causes[last] != Kept && a.Units[last].block == a.Units[i].block {
			last++
		}
		opened, closed := unpairedMarks(a.span(first, last), first > 0 && a.Units[first-1].block == a.Units[first].block)
		end := last
		if opened && c.extend(end, 1, func(to int) string { return a.span(first, to+1) }) {
			for end < len(c.Causes) && c.Causes[end] != Kept && a.Units[end].block == a.Units[i].block {
				end++
			}
		}
		if closed {
			c.extend(first-1, -1, func(to int) string { return a.span(to, last) })
		}
		i = end - 1
	}
}

// span is the text of units first to last, half open, of one block.
func (a *Answer) span(first, last int) string {
	return a.Text[a.Units[first].Start:a.Units[last-1].End]
}

// extend cuts units of the block from the i-th on in the direction until the text is complete; none if it never is.
func (c *Cut) extend(i, direction int, upTo func(i int) string) bool {
	a := c.answer
	block := i - direction
	for n, to := 0, i; n < maxPaired && to >= 0 && to < len(a.Units) && a.Units[to].block == a.Units[block].block; n, to = n+1, to+direction {
		opened, closed := unpairedMarks(upTo(to), false)
		if direction > 0 && !opened || direction < 0 && !closed {
			for k := i; k != to+direction; k += direction {
				c.cut(k, Paired)
			}
			return true
		}
	}
	return false
}

// unpairedMarks reports marks that s opens and does not close, and the reverse. follows: other text stands before s on its line.
func unpairedMarks(s string, follows bool) (opened, closed bool) {
	depth := map[rune]int{}
	before := rune(' ')
	quotes, bold, lastQuoteOpens := 0, strings.Count(withoutEmphasis(s), "**"), false
	for i, r := range s {
		switch r {
		case '(', '[', '{', '“', '«', '„', '「', '『', '（', '【':
			depth[closingMark(r)]++
		case ')', ']', '}', '”', '»', '」', '』', '）', '】':
			if r == '”' && depth['“'] > 0 {
				depth['“']--
			} else if !(r == ')' && isEnumerator(s[:i])) {
				depth[r]--
			}
		case '"':
			if !unicode.IsDigit(before) || quotes%2 == 1 {
				quotes++
				lastQuoteOpens = unicode.IsSpace(before) || strings.ContainsRune("([*_", before)
			}
		}
		before = r
	}
	for _, n := range depth {
		opened, closed = opened || n > 0, closed || n < 0
	}
	if quotes%2 == 1 {
		opened, closed = opened || lastQuoteOpens, closed || !lastQuoteOpens
	}
	if bold%2 == 1 {
		opened, closed = opened || !follows, closed || follows
	}
	return opened, closed
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
