package rewrite

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// splice replaces bytes of the answer.
type splice struct {
	Start, End int
	Text       string
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

// splices remove the units that are cut; broken means that a tag of HTML would lose its partner.
func (c *cutSet) splices() (all []splice, broken bool) {
	for i := 0; i < len(c.Units); i++ {
		if c.Causes[i] != keptUnit {
			end := c.runEnd(i)
			all = append(all, c.spanOf(i, end))
			i = end - 1
		}
	}
	all, broken = c.balanceTags(all)
	return c.removeLines(all), broken
}

// spanOf is the span of the units first to last, half open, with the space between them and what is kept on the same line. A
// mark of emphasis stays if its partner does.
func (a *answerLayout) spanOf(first, last int) splice {
	u, end := &a.Units[first], &a.Units[last-1]
	b := &a.blocks[u.block]
	if u.Code { // with its fences
		return splice{Start: a.lines[b.first].start, End: a.lines[b.last].end}
	}
	p := splice{Start: u.Start, End: end.End}
	for _, mark := range []string{"**", "__", "*", "_"} {
		if in := a.Text[p.Start:p.End]; strings.Count(in, mark)%2 == 1 {
			if strings.HasPrefix(in, mark) {
				p.Start += len(mark)
			} else if strings.HasSuffix(in, mark) {
				p.End -= len(mark)
			}
			break
		}
	}
	before := first > b.units && a.Units[first-1].last == u.line
	after := last < b.end && a.Units[last].line == end.last
	switch {
	case after:
		p.End += len(a.Text[p.End:]) - len(strings.TrimLeft(a.Text[p.End:], " \t\r\n"))
	case before && (p.Start == u.Start || p.End != end.End):
		p.Start = len(strings.TrimRight(a.Text[:p.Start], " \t"))
	}
	return p
}

// removeLines widens spans to whole lines where nothing visible is left on them, and joins the blank lines around them.
func (a *answerLayout) removeLines(spans []splice) []splice {
	for i := range spans {
		p := &spans[i]
		first, last := a.lineAt(p.Start), a.lineAt(max(p.Start, p.End-1))
		if a.isBlank(min(a.lines[first].content, p.Start), p.Start) && a.isBlank(p.End, a.lines[last].end) {
			*p = splice{Start: a.lines[first].start, End: a.lines[last].next}
			if last+1 < len(a.lines) && a.lines[last+1].kind == ruleLine && a.Text[a.lines[last+1].content] == '=' { // under a heading
				p.End = a.lines[last+1].next
			}
		}
	}
	spans = mergeSplices(spans)
	all := spans[:0]
	for _, p := range spans { // what is removed before decides
		if n := len(all); n > 0 && p.Start <= all[n-1].End {
			all[n-1].End = max(all[n-1].End, p.End)
		} else {
			all = append(all, p)
		}
		a.removeBlanks(&all[len(all)-1])
	}
	return a.trimEnd(all)
}

// removeBlanks widens a span of whole lines behind a blank line or the start of the answer by the blank lines behind it.
func (a *answerLayout) removeBlanks(p *splice) {
	first, last := a.lineAt(p.Start), a.lineAt(p.End)
	if p.Start != a.lines[first].start || first > 0 && a.lines[first-1].kind != blankLine {
		return
	}
	for ; p.End == a.lines[last].start && a.lines[last].kind == blankLine; last = a.lineAt(p.End) {
		p.End = a.lines[last].next
	}
}

// trimEnd widens a span at the end of the answer to its last visible line; a line break at the end stays.
func (a *answerLayout) trimEnd(spans []splice) []splice {
	n := len(spans) - 1
	if n < 0 || !a.isBlank(spans[n].End, len(a.Text)) {
		return spans
	}
	p := spans[n]
	var first int
	for ; ; n-- {
		for first = a.lineAt(p.Start); p.Start == a.lines[first].start && first > 0 && a.lines[first-1].kind == blankLine; first-- {
			p.Start = a.lines[first-1].start
		}
		if n == 0 || spans[n-1].End < p.Start {
			break
		}
		p.Start = min(p.Start, spans[n-1].Start)
	}
	if p.Start == a.lines[first].start && first > 0 {
		p.Start = a.lines[first-1].end
	}
	p.End = max(p.Start, len(strings.TrimSuffix(strings.TrimSuffix(a.Text, "\n"), "\r")))
	return append(spans[:n], p)
}

// lineAt is the line that holds the byte.
func (a *answerLayout) lineAt(at int) int {
	i, _ := slices.BinarySearchFunc(a.lines, at, func(l textLine, at int) int { return cmp.Compare(l.next, at+1) })
	return min(i, len(a.lines)-1)
}

func (a *answerLayout) isBlank(from, to int) bool {
	return from >= to || strings.TrimSpace(a.Text[from:to]) == ""
}

// mergeSplices orders removals and joins those that overlap.
func mergeSplices(all []splice) []splice {
	slices.SortFunc(all, func(a, b splice) int { return cmp.Compare(a.Start, b.Start) })
	merged := all[:0]
	for _, p := range all {
		if n := len(merged); n > 0 && p.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, p.End)
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// Limits of the reading of tags.
const (
	maxOpenTags  = 32 // elements that are open at the same time
	maxSwallowed = 16 // elements that are removed with their only content
)

// tagForm is a tag of HTML; its groups are the slash and the name.
var tagForm = regexp.MustCompile(`<(/?)([a-zA-Z][^\s<>/]*)(?:\s[^<>]{0,300})?/?>`)

// voidTags are elements without an end.
const voidTags = ` br hr img input wbr meta link col `

// tag is a tag of HTML with the index of its partner, -1 for none.
type tag struct{ start, end, partner int }

// readTags returns the tags of the answer that are not void.
func readTags(s string) (tags []tag) {
	if !strings.Contains(s, "</") {
		return nil
	}
	var open []int
	var names []string
	for _, m := range tagForm.FindAllStringSubmatchIndex(s, -1) {
		name := strings.ToLower(s[m[4]:m[5]])
		if strings.Contains(voidTags, " "+name+" ") {
			continue
		}
		k, n := len(tags), len(open)
		tags = append(tags, tag{m[0], m[1], -1})
		switch {
		case m[2] == m[3] && n < maxOpenTags:
			open, names = append(open, k), append(names, name)
		case m[2] < m[3] && n > 0 && names[n-1] == name:
			tags[k].partner, tags[open[n-1]].partner = open[n-1], k
			open, names = open[:n-1], names[:n-1]
		}
	}
	return tags
}

// balanceTags widens spans by the tags around them, so that each removed tag has its partner, and removes elements that are left
// empty. broken means that a tag is left whose partner is removed.
func (a *answerLayout) balanceTags(spans []splice) (_ []splice, broken bool) {
	tags := readTags(a.Text)
	if len(tags) == 0 {
		return spans, false
	}
	for range maxSwallowed {
		grown := false
		for i := range spans {
			grown = a.widen(&spans[i], tags) || grown
		}
		spans = mergeSplices(spans)
		if !grown {
			break
		}
	}
	for i := range spans {
		broken = broken || breaksTag(spans[i], tags, spans)
		if p := &spans[i]; p.Start > 0 && p.End < len(a.Text) && a.Text[p.Start-1] == ' ' && a.Text[p.End] == ' ' {
			p.End++
		}
	}
	return mergeSplices(spans), broken
}

// breaksTag reports that a tag in the span has its partner outside of all.
func breaksTag(p splice, tags []tag, spans []splice) bool {
	for k := firstTag(tags, p.Start); k < len(tags) && tags[k].start < p.End; k++ {
		if tags[k].partner >= 0 && !isWithin(tags[tags[k].partner], spans) {
			return true
		}
	}
	return false
}

// widen adds to the span the tags right around it whose partner is in it, or each other's partner.
func (a *answerLayout) widen(p *splice, tags []tag) (grown bool) {
	for {
		first := firstTag(tags, p.Start)
		next := firstTag(tags, p.End)
		before, after := -1, -1 // the partners of the tags right around the span
		if first > 0 && tags[first-1].end <= p.Start && a.isBlank(tags[first-1].end, p.Start) {
			before = tags[first-1].partner
		}
		if next < len(tags) && a.isBlank(p.End, tags[next].start) {
			after = tags[next].partner
		}
		switch {
		case before == next && after == first-1:
			p.Start, p.End = tags[first-1].start, tags[next].end
		case isBetween(before, first, next):
			p.Start = tags[first-1].start
		case isBetween(after, first, next):
			p.End = tags[next].end
		default:
			return grown
		}
		grown = true
	}
}

func isBetween(i, low, high int) bool { return low <= i && i < high }

// firstTag is the first tag that begins at or after the place.
func firstTag(tags []tag, at int) int {
	i, _ := slices.BinarySearchFunc(tags, at, func(t tag, at int) int { return cmp.Compare(t.start, at) })
	return i
}

func isWithin(t tag, spans []splice) bool {
	i, found := slices.BinarySearchFunc(spans, t.start, func(p splice, at int) int { return cmp.Compare(p.Start, at) })
	return found || i > 0 && t.start < spans[i-1].End
}
