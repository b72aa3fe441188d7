package redact

// Range is a half-open range of bytes of a text.
type Range struct{ Start, End int }

// Ranges returns the redacted s and moves each range to the same place in the result. A range that begins or ends within
// a replaced pattern is widened to the whole label.
func Ranges(s string, ranges []Range) string {
	from := 0
	for range maxPasses + 1 {
		next, again, found := replaceOnce(s, from, ranges)
		if !found {
			return s
		}
		s, from = next, again
	}
	for i := range ranges {
		ranges[i] = Range{End: len(secretLabel)}
	}
	return secretLabel
}

// replaceOnce replaces the matches that start at or after from. No match of the result starts before again.
func replaceOnce(s string, from int, ranges []Range) (_ string, again int, found bool) {
	sc := scanner{view: viewOf(s)}
	if !sc.first(sc.place(from)) {
		return s, 0, false
	}
	again = sc.source(sc.unaffected())
	moved := append([]Range(nil), ranges...)
	out := make([]byte, 0, len(s)+len(s)/8)
	at := 0
	for ok := true; ok; ok = sc.next(sc.match.end) {
		m := sc.sourceOf(sc.match)
		out = append(out, s[at:m.start]...)
		label := Range{Start: len(out), End: len(out) + len(m.label)}
		for i, r := range ranges {
			moved[i].Start = movePosition(moved[i].Start, r.Start, &m, label, label.Start)
			moved[i].End = movePosition(moved[i].End, r.End, &m, label, label.End)
		}
		out = append(out, m.label...)
		at = m.end
	}
	copy(ranges, moved)
	if sc.ahead.long {
		again = 0
	}
	return string(append(out, s[at:]...)), again, true
}

// unaffected returns the start of a word before which nothing has read the match, unless a long run was read.
func (sc *scanner) unaffected() int {
	p := max(0, sc.match.start-2*longRun)
	for p > 0 && isWordByte(sc.text[p-1]) {
		p--
	}
	return p
}

// movePosition returns the new place of the position at of the old text: behind the match it shifts, within it it becomes
// the given edge of the label, before it it stays as moved by earlier matches.
func movePosition(moved, at int, m *match, label Range, edge int) int {
	switch {
	case at >= m.end:
		return label.End + at - m.end
	case at > m.start:
		return edge
	}
	return moved
}
