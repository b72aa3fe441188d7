package rewrite

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"

	"confab/internal/text/units"
)

// Causes why a unit is cut, as edits name them. A kept unit has none.
const (
	keptUnit       = ""
	flaggedUnit    = "flagged"      // a detector found a fault in it
	containedUnit  = "contained"    // it belongs to a list item or table whose head is cut
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
	for i := len(c.Units) - 1; i >= 0; i-- { // backwards: a heading goes with its only subheading
		if end := c.introduced(i); c.Causes[i] == keptUnit && end > i+1 && !slices.Contains(c.Causes[i+1:end], keptUnit) {
			c.Causes[i] = introducedUnit
		}
	}
}

// contain cuts the rows of a table without its head, and what stands below an item that is cut.
func (c *cutSet) contain() {
	for i := range c.Units {
		u := &c.Units[i]
		if c.Causes[i] == keptUnit {
			continue
		}
		for k := i + 1; k < len(c.Units); k++ {
			v := &c.Units[k]
			if row, below := u.isHead() && v.block == u.block, u.form == units.Item && v.indent > u.indent+1; !row && !below {
				break
			}
			c.Causes[k] = cmp.Or(c.Causes[k], containedUnit)
		}
	}
}

// introduced is the end of the units that the i-th one heads or introduces: what is below a heading or the head of a table, or the
// list, table or paragraph behind a colon.
func (c *cutSet) introduced(i int) int {
	u, end := &c.Units[i], i+1
	more := func(v *unit) bool { return v.block == c.Units[i+1].block } // of a table or paragraph
	switch next := i + 1; {
	case next == len(c.Units):
	case u.isHeading():
		more = func(v *unit) bool { return !v.isHeading() || v.level > u.level }
	case u.isHead():
		more = func(v *unit) bool { return v.block == u.block }
	case !strings.HasSuffix(strings.ReplaceAll(strings.TrimRight(c.Text[u.Start:u.End], "*_ "), "：", ":"), ":"):
		return end
	case u.form == units.Item:
		more = func(v *unit) bool { return v.indent > u.indent }
	case c.Units[next].form == units.Item:
		more = func(v *unit) bool { return v.form == units.Item || v.indent > u.indent }
	}
	for end < len(c.Units) && more(&c.Units[end]) {
		end++
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
	u, p := &a.Units[first], splice{Start: a.Units[first].Start, End: a.Units[last-1].End}
	ends := isBlank(a.Text[p.End:a.lineEnd(p.End)])
	switch {
	case u.first && ends:
		return splice{Start: a.lineStart(u.Start), End: a.nextLine(p.End)}
	case !ends || last < len(a.Units) && a.Units[last].block == u.block:
		p.End += len(a.Text[p.End:]) - len(strings.TrimLeft(a.Text[p.End:], " \t\r\n"))
	default:
		p.Start = len(strings.TrimRight(a.Text[:p.Start], " \t\r\n"))
	}
	return p
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// removeBlanks widens a span of whole lines behind a blank line, or the start of the answer, by the blank lines behind it.
func (a *answerLayout) removeBlanks(p *splice) {
	if p.Start > 0 && (a.Text[p.Start-1] != '\n' || !isBlank(a.Text[a.lineStart(p.Start-1):p.Start])) {
		return
	}
	for p.End < len(a.Text) && a.Text[p.End-1] == '\n' && isBlank(a.Text[p.End:a.nextLine(p.End)]) {
		p.End = a.nextLine(p.End)
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
