package rewrite

import (
	"regexp"
	"strings"
	"unicode"
)

// Causes why a unit is cut, as edits name them. A kept unit has none.
const (
	keptUnit       = ""
	flaggedUnit    = "flagged"      // a detector found a fault in it
	pairedUnit     = "paired"       // it opens or closes a quotation or bracket of a cut unit
	containedUnit  = "contained"    // it belongs to a list item or table whose head is cut
	dependentUnit  = "dependent"    // it begins with a word that refers to a cut sentence
	introducedUnit = "introduction" // it introduces or heads what is cut as a whole
	unreferredUnit = "unreferenced" // a footnote that only cut units refer to
)

// Limits of what is read for one cut unit.
const (
	maxItemLabel   = 100 // bytes of the label of an item
	maxPaired      = 12  // units that a quotation or bracket may span beyond the cut one
	maxDefinitions = 64  // footnotes whose references are looked for
)

// cutSet is the choice of units to cut.
type cutSet struct {
	Causes []string // one for each unit

	*answerLayout
}

// close adds what cannot stay without the units that are cut.
func (c *cutSet) close() {
	c.contain()
	c.pair()
	c.depend()
	for k := len(c.blocks) - 1; k >= 0; k-- { // backwards: a heading goes with its only subheading
		if !c.isGone(&c.blocks[k]) {
			c.introduce(k)
		}
	}
	c.dereference()
}

// cutUnits cuts the units from first up to end that are no code.
func (c *cutSet) cutUnits(first, end int, why string) {
	for i := first; i < end; i++ {
		if c.Causes[i] == keptUnit && !c.Units[i].Code {
			c.Causes[i] = why
		}
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
	for k := range c.blocks {
		b := &c.blocks[k]
		if b.units == b.end || c.Causes[b.units] == keptUnit {
			continue
		}
		if b.kind == tableLine && c.hasTableHead(b) || b.kind == itemLine && c.isLabelled(b) {
			c.cutUnits(b.units, b.end, containedUnit)
		}
		if b.kind == itemLine && c.isGone(b) {
			c.cutChildren(k)
		}
	}
}

// cutChildren cuts the items, paragraphs and code below the k-th block, an item.
func (c *cutSet) cutChildren(k int) {
	b := &c.blocks[k]
	least := max(b.indent+1, min(c.lines[b.first].inner, b.indent+2))
	for j := k + 1; j < len(c.blocks) && c.blocks[j].indent >= least; j++ {
		for i := c.blocks[j].units; i < c.blocks[j].end; i++ {
			if c.Causes[i] == keptUnit {
				c.Causes[i] = containedUnit
			}
		}
	}
}

func (a *answerLayout) hasTableHead(b *textBlock) bool {
	return b.first < b.last && a.lines[b.first+1].kind == tableRule
}

// isLabelled reports an item that begins with a label of what all its sentences are about: "**Name:** …", "Name: …".
func (a *answerLayout) isLabelled(b *textBlock) bool {
	l := &a.lines[b.first]
	s := a.Text[l.content:min(l.end, l.content+maxItemLabel)]
	label, _, found := strings.Cut(s, ": ")
	return strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__") || found && label != "" && !strings.ContainsAny(label, ".!?")
}

// runEnd is the end of the run of cut units of one block that begins with the i-th.
func (c *cutSet) runEnd(i int) int {
	end := i + 1
	for end < len(c.Units) && c.Causes[end] != keptUnit && c.Units[end].block == c.Units[i].block {
		end++
	}
	return end
}

// pair cuts units around runs of cut ones until quotations and brackets are complete; none if they never are.
func (c *cutSet) pair() {
	for i := 0; i < len(c.Causes); i++ {
		if c.Causes[i] == keptUnit || c.Units[i].Row {
			continue
		}
		b := &c.blocks[c.Units[i].block]
		end := c.runEnd(i)
		opened, closed := c.unpaired(i, end, i > b.units)
		for to := end + 1; opened && to <= min(b.end, end+maxPaired); to++ {
			if opened, _ = c.unpaired(i, to, false); !opened {
				c.cutUnits(end, to, pairedUnit)
			}
		}
		for from := i - 1; closed && from >= max(b.units, i-maxPaired); from-- {
			if _, closed = c.unpaired(from, end, false); !closed {
				c.cutUnits(from, i, pairedUnit)
			}
		}
		i = c.runEnd(i) - 1
	}
}

// Marks that come in pairs. A closing one is at the place of its opening one.
const openMarks, closeMarks = `([{“«「『（【`, `)]}”»」』）】`

// "a)" and "1)", whose parenthesis closes nothing, and quotations in German.
var (
	enumerators  = regexp.MustCompile(`(^|[ \n])(?:[a-z]|\d{1,3}|[ivx]{2,3})\)`)
	germanQuotes = regexp.MustCompile(`„[^„“”]*[“”]`)
)

// unpaired reports marks that the units first to last open and do not close, and the reverse. follows: other text stands before
// them in their block.
func (a *answerLayout) unpaired(first, last int, follows bool) (opened, closed bool) {
	s := enumerators.ReplaceAllString(a.Text[a.Units[first].Start:a.Units[last-1].End], "$1")
	opened, closed = unpairedMarks(s)
	if strings.Count(strings.Trim(s, "*_ "), "**")%2 == 1 { // marks at the ends can stay when s is cut
		opened, closed = opened || !follows, closed || follows
	}
	return opened, closed
}

// unpairedMarks does so for quotation marks and brackets.
func unpairedMarks(s string) (opened, closed bool) {
	s = germanQuotes.ReplaceAllString(s, "")
	opened, closed = straightQuotes(s)
	opened = opened || strings.Contains(s, "„")
	shut := []rune(closeMarks)
	for i, open := range []rune(openMarks) {
		n := strings.Count(s, string(open)) - strings.Count(s, string(shut[i]))
		opened, closed = opened || n > 0, closed || n < 0
	}
	return opened, closed
}

// straightQuotes reports an odd number of straight quotes, by what the last one does. Those behind a digit are inches.
func straightQuotes(s string) (opened, closed bool) {
	n, before := 0, ' '
	for _, r := range s {
		if r == '"' && (n%2 == 1 || !unicode.IsDigit(before)) {
			n++
			opened = unicode.IsSpace(before) || strings.ContainsRune("([*_", before)
		}
		before = r
	}
	return n%2 == 1 && opened, n%2 == 1 && !opened
}

// depend cuts sentences that cannot be understood without the sentence before them: those that begin with a pronoun, and
// those that follow from it.
func (c *cutSet) depend() {
	words := openings[c.language]
	for i := 1; i < len(c.Units); i++ {
		if c.Causes[i] != keptUnit || c.Causes[i-1] == keptUnit || !c.follows(i) && !c.followsGoneList(i) {
			continue
		}
		s := c.Text[c.Units[i].Start:c.Units[i].End]
		if beginsWith(s, words.causal) || words.refers(s) && !c.keepsAntecedent(words, i) {
			c.cutUnits(i, i+1, dependentUnit)
		}
	}
}

// follows reports that the i-th unit continues the text of the unit before it.
func (a *answerLayout) follows(i int) bool {
	u, before := &a.Units[i], &a.Units[i-1]
	if u.Row || u.Code || before.Row || before.Code {
		return false
	}
	return u.block == before.block ||
		u.block == before.block+1 && a.blocks[u.block].kind == proseLine && a.blocks[before.block].kind == proseLine
}

// followsGoneList reports that the i-th unit is the first one behind a list or table of which nothing is left.
func (c *cutSet) followsGoneList(i int) bool {
	k := c.Units[i].block
	if c.blocks[k].kind != proseLine || c.blocks[k].units != i {
		return false
	}
	n := k - 1
	for n >= 0 && c.isList(n) && c.isGone(&c.blocks[n]) {
		n--
	}
	return n < k-1 && (n < 0 || !c.isList(n))
}

func (a *answerLayout) isList(k int) bool {
	return a.blocks[k].kind == itemLine || a.blocks[k].kind == tableLine
}

// keepsAntecedent reports that what the i-th unit refers to stands before the cut units, which refer to it, too.
func (c *cutSet) keepsAntecedent(words openingWords, i int) bool {
	k := i - 1
	for k > 0 && c.Causes[k] != keptUnit && c.follows(k) {
		if !words.refers(c.Text[c.Units[k].Start:c.Units[k].End]) {
			return false
		}
		k--
	}
	return k < i-1 && c.Causes[k] == keptUnit
}

// introduce cuts the k-th block, or its last sentence, if it heads or introduces what is gone.
func (c *cutSet) introduce(k int) {
	b := &c.blocks[k]
	switch b.kind {
	case headingLine, boldLine:
		if c.isSectionGone(k) {
			c.cutUnits(b.units, b.end, introducedUnit)
		}
	case tableLine:
		if c.isHeadAlone(b) {
			c.cutUnits(b.units, b.end, introducedUnit)
		}
	case proseLine, itemLine: // an introduction stands right before its list
		if last := b.end - 1; last >= b.units && c.Causes[last] == keptUnit && c.endsInColon(last) && c.isListGone(k) {
			c.cutUnits(last, b.end, introducedUnit)
		}
	default: // nothing stands below it
	}
}

// isHeadAlone reports a table of whose rows nothing is left.
func (c *cutSet) isHeadAlone(b *textBlock) bool {
	rows := textBlock{units: b.units, end: b.end}
	for rows.units < b.end && c.Units[rows.units].line <= b.first+1 {
		rows.units++
	}
	return c.hasTableHead(b) && c.isGone(&rows)
}

func (a *answerLayout) endsInColon(i int) bool {
	s := strings.TrimRight(a.Text[a.Units[i].Start:a.Units[i].End], "*_ ")
	return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：")
}

// isListGone reports that the k-th block stands before a list, table or paragraph of which nothing is left.
func (c *cutSet) isListGone(k int) bool {
	intro := &c.blocks[k]
	n := 0
	for _, b := range c.blocks[k+1:] {
		if !b.isIntroducedBy(intro, n) {
			break
		}
		if !c.isGone(&b) {
			return false
		}
		if n++; b.kind == proseLine && b.indent <= intro.indent {
			break
		}
	}
	return n > 0
}

// isIntroducedBy reports that the block is part of the list, table or paragraph behind the introduction; n parts stand between.
func (b *textBlock) isIntroducedBy(intro *textBlock, n int) bool {
	below := b.indent > intro.indent
	switch {
	case b.kind == itemLine:
		return intro.kind != itemLine || below
	case n > 0:
		return below
	}
	return b.kind == tableLine || b.kind == proseLine && intro.kind == proseLine
}

// isSectionGone reports that nothing is left of what stood below the heading, up to the next one of its level.
func (c *cutSet) isSectionGone(k int) bool {
	n := 0
	for _, b := range c.blocks[k+1:] {
		if (b.kind == headingLine || b.kind == boldLine) && b.level <= c.blocks[k].level {
			break
		}
		if b.kind == ruleLine {
			continue
		}
		if !c.isGone(&b) {
			return false
		}
		n++
	}
	return n > 0
}

// dereference cuts footnotes that only cut units refer to.
func (c *cutSet) dereference() {
	n := 0
	for k := range c.blocks {
		b := &c.blocks[k]
		if b.kind != definitionLine || c.isGone(b) || n == maxDefinitions {
			continue
		}
		n++
		used, needed := false, false
		label := strings.TrimSuffix(definitionForm.FindString(c.Text[c.lines[b.first].content:]), ":")
		for i := range c.Units {
			if c.Units[i].block != k && strings.Contains(c.Text[c.Units[i].Start:c.Units[i].End], label) {
				used, needed = true, needed || c.Causes[i] == keptUnit
			}
		}
		if used && !needed {
			c.cutUnits(b.units, b.end, unreferredUnit)
		}
	}
}
