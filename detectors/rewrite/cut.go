package rewrite

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Causes why a unit is cut, as edits name them. A kept unit has none.
const (
	keptUnit       = ""
	flaggedUnit    = "flagged"      // a detector found a fault in it
	containedUnit  = "contained"    // it belongs to a list item or table whose head is cut
	dependentUnit  = "dependent"    // it begins with a word that refers to a cut sentence
	introducedUnit = "introduction" // it introduces or heads what is cut as a whole
)

// cutSet is the choice of units to cut.
type cutSet struct {
	Causes []string // one for each unit

	*answerLayout
}

// close adds what cannot stay without the units that are cut.
func (c *cutSet) close() {
	c.contain()
	c.depend()
	for k := len(c.blocks) - 1; k >= 0; k-- { // backwards: a heading goes with its only subheading
		if b := &c.blocks[k]; !c.isGone(b) && b.units < b.end {
			c.introduce(k)
		}
	}
	c.cutLastIntroduction()
}

// cutLastIntroduction cuts the last unit that is kept if it introduces what stood behind it.
func (c *cutSet) cutLastIntroduction() {
	last := len(c.Causes) - 1
	for last >= 0 && c.Causes[last] != keptUnit {
		last--
	}
	if last >= 0 && last < len(c.Causes)-1 && c.introduces(last) {
		c.cutUnits(last, last+1, introducedUnit)
	}
}

// introduces reports a unit that ends with a colon.
func (c *cutSet) introduces(unit int) bool {
	u := c.Units[unit]
	return strings.HasSuffix(strings.ReplaceAll(strings.TrimRight(c.Text[u.Start:u.End], "*_ "), "：", ":"), ":")
}

// cutUnits cuts the units from first up to end.
func (c *cutSet) cutUnits(first, end int, why string) {
	for i := first; i < end; i++ {
		c.Causes[i] = cmp.Or(c.Causes[i], why)
	}
}

// isGone reports that every unit of the block is cut. A block without units stays.
func (c *cutSet) isGone(b *textBlock) bool {
	return b.units < b.end && !slices.Contains(c.Causes[b.units:b.end], keptUnit)
}

// contain cuts the rows of a table without its head, and what stands below an item that is cut.
func (c *cutSet) contain() {
	for k := range c.blocks {
		b := &c.blocks[k]
		if b.units == b.end || c.Causes[b.units] == keptUnit {
			continue
		}
		if c.hasTableHead(b) {
			c.cutUnits(b.units, b.end, containedUnit)
		}
		for j := k + 1; b.kind == itemLine && j < len(c.blocks) && c.blocks[j].indent > b.indent+1; j++ {
			c.cutUnits(c.blocks[j].units, c.blocks[j].end, containedUnit)
		}
	}
}

// hasTableHead reports a table whose second line is a rule.
func (a *answerLayout) hasTableHead(b *textBlock) bool {
	return b.kind == tableLine && b.first < b.last && strings.Trim(a.Text[a.lines[b.first+1].content:a.lines[b.first+1].end], "|-: \t") == ""
}

// depend cuts sentences that cannot be understood without the sentence before them: those that begin with a pronoun, and
// those that follow from it.
func (c *cutSet) depend() {
	words := openings[c.language]
	for i := 1; i < len(c.Units); i++ {
		if c.Causes[i] != keptUnit || c.Causes[i-1] == keptUnit || !c.follows(i) {
			continue
		}
		s := c.Text[c.Units[i].Start:c.Units[i].End]
		if beginsWith(s, words.causal) || words.refers(s) && !c.keepsAntecedent(words, i) {
			c.Causes[i] = dependentUnit
		}
	}
}

// follows reports that the i-th unit continues the text of the unit before it.
func (a *answerLayout) follows(i int) bool {
	block, before := a.Units[i].block, a.Units[i-1].block
	return a.blocks[block].kind == proseLine && a.blocks[before].kind == proseLine && block <= before+1
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
	from := b.end - 1
	switch {
	case b.kind == headingLine:
		from = b.units
		end := k + 1
		for end < len(c.blocks) && (c.blocks[end].kind != headingLine || c.blocks[end].level > b.level) {
			end++
		}
		if !c.areGone(k+1, end) {
			return
		}
	case c.hasTableHead(b):
		rows := textBlock{units: b.units + 1, end: b.end} // the head is one unit, the rule none or one
		if rows.units < b.end && c.Units[rows.units].line == b.first+1 {
			rows.units++
		}
		if from = b.units; !c.isGone(&rows) {
			return
		}
	case !c.introduces(from), !c.areGone(k+1, c.introducedEnd(k)):
		return
	}
	c.cutUnits(from, b.end, introducedUnit)
}

// areGone reports that something stands in the blocks and nothing of it is kept.
func (c *cutSet) areGone(first, end int) bool {
	gone := false
	for k := first; k < end; k++ {
		if b := &c.blocks[k]; b.kind != ruleLine {
			if gone = c.isGone(b); !gone {
				return false
			}
		}
	}
	return gone
}

// introducedEnd is the end of the list, table or paragraph behind the k-th block.
func (c *cutSet) introducedEnd(k int) int {
	intro, end := &c.blocks[k], k+1
	for ; end < len(c.blocks); end++ {
		b := &c.blocks[end]
		below := b.indent > intro.indent
		list := b.kind == itemLine && (below || intro.kind != itemLine)
		if !list && !below && (end > k+1 || b.kind != tableLine && (b.kind != proseLine || intro.kind != proseLine)) {
			break
		}
		if !list && !below {
			return end + 1
		}
	}
	return end
}

// splice replaces bytes of the answer.
type splice struct {
	Start, End int
	Text       string
}

// tagForm is a tag of HTML that is not empty; its groups are the slash and the name.
var tagForm = regexp.MustCompile(`<(/?)([a-zA-Z]+)(?:\s[^<>]{0,300})?>`)

// splices remove the units that are cut, in order; broken means that a tag of HTML would lose its partner.
func (c *cutSet) splices() (all []splice, broken bool) {
	for i := 0; i < len(c.Units); i++ {
		if c.Causes[i] == keptUnit {
			continue
		}
		end := i + 1
		for end < len(c.Units) && c.Causes[end] != keptUnit && c.Units[end].block == c.Units[i].block {
			end++
		}
		p := c.spanOf(i, end)
		broken = broken || breaksTag(c.Text[p.Start:p.End])
		if n := len(all); n > 0 && p.Start <= all[n-1].End {
			all[n-1].End = max(all[n-1].End, p.End)
		} else {
			all = append(all, p)
		}
		c.removeBlanks(&all[len(all)-1])
		i = end - 1
	}
	return c.trimEnd(all), broken
}

// breaksTag reports that the text opens more elements of HTML than it closes, or fewer.
func breaksTag(s string) bool {
	open := 0
	for _, tag := range tagForm.FindAllStringSubmatch(s, -1) {
		switch name := strings.ToLower(tag[2]); {
		case name == "br" || name == "hr" || name == "img":
		case tag[1] == "":
			open++
		default:
			open--
		}
	}
	return open != 0
}

// spanOf is the span of the units first to last, half open, with the space between them and what is kept on the same line, or the
// whole lines where nothing is kept on them.
func (a *answerLayout) spanOf(first, last int) splice {
	u, end := &a.Units[first], &a.Units[last-1]
	b := &a.blocks[u.block]
	if u.Code { // with its fences
		return splice{Start: a.lines[b.first].start, End: a.lines[b.last].next}
	}
	p := splice{Start: u.Start, End: end.End}
	before, after := a.lines[u.line], a.lines[end.last]
	ends := isBlank(a.Text[p.End:max(p.End, after.end)])
	switch {
	case p.Start <= before.content && ends:
		return splice{Start: before.start, End: after.next}
	case !ends || last < b.end:
		p.End += len(a.Text[p.End:]) - len(strings.TrimLeft(a.Text[p.End:], " \t\r\n"))
	default:
		p.Start = len(strings.TrimRight(a.Text[:p.Start], " \t\r\n"))
	}
	return p
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// removeBlanks widens a span of whole lines behind a blank line, or the start of the answer, by the blank lines behind it.
func (a *answerLayout) removeBlanks(p *splice) {
	first := a.lineAt(p.Start)
	if p.Start != a.lines[first].start || first > 0 && a.lines[first-1].kind != blankLine {
		return
	}
	for i := a.lineAt(p.End); a.lines[i].start == p.End && a.lines[i].kind == blankLine && p.End < len(a.Text); i++ {
		p.End = a.lines[i].next
		if i+1 == len(a.lines) {
			return
		}
	}
}

// trimEnd widens a last span at the end of the answer by the white space before it.
func (a *answerLayout) trimEnd(all []splice) []splice {
	for n := len(all) - 1; n >= 0 && isBlank(a.Text[all[n].End:]); n-- {
		p := &all[n]
		p.Start, p.End = len(strings.TrimRight(a.Text[:p.Start], " \t\r\n")), len(strings.TrimRight(a.Text, "\r\n"))
		p.End = max(p.End, p.Start)
		if n == 0 || all[n-1].End < p.Start {
			return all
		}
		all[n-1].End, all = p.End, all[:n]
	}
	return all
}

// rewrittenText is an answer after splices, with the way back to the original.
type rewrittenText struct {
	Text   string
	pieces []keptPiece
}

// keptPiece is a run of the original.
type keptPiece struct{ at, origin, size int }

// applySplices applies the splices, ordered and without overlap.
func applySplices(s string, splices []splice) (r rewrittenText) {
	var b strings.Builder
	from := 0
	for _, p := range append(splices, splice{Start: len(s), End: len(s)}) {
		if p.Start > from {
			r.pieces = append(r.pieces, keptPiece{b.Len(), from, p.Start - from})
			b.WriteString(s[from:p.Start])
		}
		b.WriteString(p.Text)
		from = p.End
	}
	r.Text = b.String()
	return r
}

// originOf returns the range of the original that the range of the new text comes from; ok is false if none does.
func (r *rewrittenText) originOf(start, end int) (from, to int, ok bool) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].at+r.pieces[i].size > start })
	for ; i < len(r.pieces) && r.pieces[i].at < end; i++ {
		p := r.pieces[i]
		if !ok {
			from = p.origin + max(0, start-p.at)
		}
		to, ok = p.origin+min(p.size, end-p.at), true
	}
	return from, to, ok
}

// keptAt reports whether the byte of the original is in the new text, and where.
func (r *rewrittenText) keptAt(origin int) (at int, ok bool) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].origin+r.pieces[i].size > origin })
	if i == len(r.pieces) || r.pieces[i].origin > origin {
		return 0, false
	}
	return r.pieces[i].at + origin - r.pieces[i].origin, true
}
