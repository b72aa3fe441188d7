package rewrite

import "strings"

// introduce cuts introductions and headings of what is gone, from the last to the first, so that a heading goes with its only
// subheading.
func (c *cutSet) introduce() {
	a := c.answer
	for k := len(a.blocks) - 1; k >= 0; k-- {
		b := &a.blocks[k]
		if c.isGone(b) {
			continue
		}
		switch b.kind {
		case headingLine, boldLine:
			if c.isSectionGone(k) {
				c.cutAll(b)
			}
		case tableLine:
			c.cutTableHead(b)
		case proseLine, itemLine:
			if last := c.lastKept(b); last >= 0 && a.endsInColon(last) && c.isListGone(k) {
				c.cut(last, introducedUnit)
			}
		default: // nothing stands below it
		}
	}
}

func (c *cutSet) cutAll(b *textBlock) {
	for i := b.units; i < b.end; i++ {
		c.cut(i, introducedUnit)
	}
}

// cutTableHead cuts the head of a table without rows.
func (c *cutSet) cutTableHead(b *textBlock) {
	a := c.answer
	if !a.hasTableHead(b) {
		return
	}
	gone := 0
	for i := b.units; i < b.end; i++ {
		switch {
		case a.Units[i].line <= b.first+1:
		case c.Causes[i] == keptUnit:
			return
		default:
			gone++
		}
	}
	if gone > 0 {
		c.cutAll(b)
	}
}

// lastKept is the last unit of the block if it is kept, else -1: an introduction stands right before its list.
func (c *cutSet) lastKept(b *textBlock) int {
	if b.end > b.units && c.Causes[b.end-1] == keptUnit {
		return b.end - 1
	}
	return -1
}

func (a *answerLayout) endsInColon(i int) bool {
	s := strings.TrimRight(a.Text[a.Units[i].Start:a.Units[i].End], "*_ ")
	return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：")
}

// isListGone reports that the k-th block stands before a list, table or paragraph of which nothing is left.
func (c *cutSet) isListGone(k int) bool {
	a := c.answer
	b := &a.blocks[k]
	n := 0
	for j := k + 1; j < len(a.blocks); j++ {
		next := &a.blocks[j]
		if !next.isIntroducedBy(b, n) {
			break
		}
		if !c.isGone(next) {
			return false
		}
		if n++; next.kind == proseLine && next.indent <= b.indent {
			break
		}
	}
	return n > 0
}

// isIntroducedBy reports that the block is part of the list, table or paragraph behind the introduction; n parts stand between.
func (b *textBlock) isIntroducedBy(intro *textBlock, n int) bool {
	switch {
	case b.kind == itemLine:
		return intro.kind != itemLine || b.indent > intro.indent
	case n > 0:
		return b.indent > intro.indent
	default:
		return b.kind == tableLine || b.kind == proseLine && intro.kind == proseLine
	}
}

// isSectionGone reports that nothing is left of what stood below the heading, up to the next one of its level.
func (c *cutSet) isSectionGone(k int) bool {
	a := c.answer
	n := 0
	for j := k + 1; j < len(a.blocks); j++ {
		b := &a.blocks[j]
		if (b.kind == headingLine || b.kind == boldLine) && b.level <= a.blocks[k].level {
			break
		}
		if b.kind == ruleLine {
			continue
		}
		if !c.isGone(b) {
			return false
		}
		n++
	}
	return n > 0
}

// maxDefinitions bounds the footnotes whose references are looked for.
const maxDefinitions = 64

// dereference cuts footnotes that only cut units refer to.
func (c *cutSet) dereference() {
	a := c.answer
	for k, n := 0, 0; k < len(a.blocks) && n < maxDefinitions; k++ {
		b := &a.blocks[k]
		if b.kind != definitionLine || b.units == b.end || c.Causes[b.units] != keptUnit {
			continue
		}
		n++
		l := &a.lines[b.first]
		if c.isUnreferred(k, definedLabel(a.Text[l.content:l.end])) {
			for i := b.units; i < b.end; i++ {
				c.cut(i, unreferredUnit)
			}
		}
	}
}

// isUnreferred reports that cut units use the label of the k-th block, a definition, and no kept one does.
func (c *cutSet) isUnreferred(k int, label string) bool {
	a := c.answer
	used := false
	for i := range a.Units {
		if a.Units[i].block != k && strings.Contains(a.Text[a.Units[i].Start:a.Units[i].End], label) {
			if c.Causes[i] == keptUnit {
				return false
			}
			used = true
		}
	}
	return used
}
