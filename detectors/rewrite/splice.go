package rewrite

import (
	"cmp"
	"slices"
	"strings"
)

// splices remove the units that are cut.
func (c *cutSet) splices() []splice {
	return c.answer.removeLines(c.answer.balanceTags(c.spans()))
}

// spans are the runs of cut units, with the space that separates them from what is kept on the same line.
func (c *cutSet) spans() (spans []splice) {
	a := c.answer
	for i := 0; i < len(a.Units); i++ {
		if c.Causes[i] == keptUnit {
			continue
		}
		last := i + 1
		for last < len(a.Units) && c.Causes[last] != keptUnit && a.Units[last].block == a.Units[i].block {
			last++
		}
		spans = append(spans, a.spanOf(i, last))
		i = last - 1
	}
	return spans
}

// spanOf is the span of the units first to last, half open.
func (a *answerLayout) spanOf(first, last int) splice {
	u, end := &a.Units[first], &a.Units[last-1]
	p := splice{Start: u.Start, End: end.End}
	p.Start, p.End = keepEmphasis(a.Text, p.Start, p.End)
	before := first > 0 && a.Units[first-1].block == u.block && a.Units[first-1].last == u.line
	after := last < len(a.Units) && a.Units[last].block == u.block && a.Units[last].line == end.last
	switch {
	case p.Start != u.Start || p.End != end.End:
		if after { // the mark of emphasis stays before the next word
			p.End = skipSpace(a.Text, p.End)
		} else if before && p.End != end.End {
			p.Start = trimSpace(a.Text, p.Start)
		}
	case after:
		p.End = skipSpace(a.Text, p.End)
	case before:
		p.Start = trimSpace(a.Text, p.Start)
	}
	return p
}

// keepEmphasis leaves a mark of emphasis out of the span that has its partner outside.
func keepEmphasis(s string, start, end int) (int, int) {
	for _, mark := range []string{"**", "__", "*", "_"} {
		in := s[start:end]
		if strings.Count(in, mark)%2 == 0 {
			continue
		}
		switch {
		case strings.HasPrefix(in, mark):
			return start + len(mark), end
		case strings.HasSuffix(in, mark):
			return start, end - len(mark)
		}
		break
	}
	return start, end
}

// skipSpace is the end of the white space of a line from i on, and of one line break within a wrapped sentence.
func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

func trimSpace(s string, i int) int {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i
}

// removeLines widens spans to whole lines where nothing visible is left on them, and joins the blank lines around them.
func (a *answerLayout) removeLines(spans []splice) (all []splice) {
	gone := make([]bool, len(a.lines))
	all = slices.Clone(spans)
	at := 0
	partial := false // the line before lost its break to a span that began on a kept part
	for i := range a.lines {
		l := &a.lines[i]
		for at < len(spans) && spans[at].End <= l.start {
			at++
		}
		covered, touched := a.isCovered(l, spans[at:])
		joined := partial && at < len(spans) && spans[at].Start < l.start && spans[at].End > l.start-1
		partial = false
		switch {
		case covered && touched && !joined:
			gone[i] = true
			all = append(all, splice{Start: l.start, End: l.next})
		case touched:
			partial = true
		}
	}
	a.removeRules(gone, &all)
	return a.keepFinalBreak(mergeSplices(append(all, a.surplusBlanks(gone)...)))
}

// keepFinalBreak leaves the line break at the end of the answer.
func (a *answerLayout) keepFinalBreak(all []splice) []splice {
	if n := len(all); n > 0 {
		last, final := &all[n-1], trimLineBreak(a.Text)
		if last.Start <= final {
			last.End = min(last.End, max(final, last.Start))
		}
	}
	return all
}

// removeRules removes the rule of a table whose head is gone, and the line under a heading that is gone.
func (a *answerLayout) removeRules(gone []bool, all *[]splice) {
	for i := range a.lines {
		l := &a.lines[i]
		if i == 0 || !gone[i-1] || gone[i] {
			continue
		}
		head := l.kind == tableRule && a.lines[i-1].kind == tableLine && (i == 1 || a.lines[i-2].kind != tableLine)
		if head || l.kind == ruleLine && a.Text[l.content] == '=' {
			gone[i] = true
			*all = append(*all, splice{Start: a.lines[i].start, End: a.lines[i].next})
		}
	}
}

// isCovered reports that spans cover all that is visible on the line, and that they cover anything of it.
func (a *answerLayout) isCovered(l *textLine, spans []splice) (covered, touched bool) {
	at := l.content
	if len(spans) > 0 && spans[0].Start < at && spans[0].End > l.start {
		at = max(at, min(spans[0].End, l.end))
		touched = true
	}
	for _, p := range spans {
		if p.Start >= l.end {
			break
		}
		if strings.TrimSpace(a.Text[min(at, max(at, p.Start)):max(at, p.Start)]) != "" {
			return false, true
		}
		at, touched = max(at, min(p.End, l.end)), touched || p.End > l.start
	}
	return strings.TrimSpace(a.Text[at:l.end]) == "", touched
}

// surplusBlanks are blank lines around removed ones that would stand next to another blank line, the start or the end.
func (a *answerLayout) surplusBlanks(gone []bool) (all []splice) {
	blank, removed := true, false
	end := 0 // of the last visible line that stays
	for i := range a.lines {
		l := &a.lines[i]
		switch {
		case gone[i]:
			removed = true
		case l.kind != blankLine:
			blank, removed, end = false, false, l.end
		case removed && blank:
			all = append(all, splice{Start: l.start, End: l.next})
		default:
			blank = true
		}
	}
	if removed {
		final := trimLineBreak(a.Text)
		all = append(all, splice{Start: min(end, final), End: final})
	}
	return all
}

// trimLineBreak is the length of s without a final line break.
func trimLineBreak(s string) int {
	return len(strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"))
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
