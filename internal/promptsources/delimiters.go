package promptsources

import "strings"

// delimiter reads a line of dashes, quotes or the like that opens a section, and returns where to go on behind it; 0 for none.
func (r *reader) delimiter(line string, at, next int) int {
	opener, closer, inner := parseDelimiter(line)
	begun := strings.TrimSpace(r.text[r.present.start:at]) != ""
	switch {
	case opener == "":
		return 0
	case r.keepsDelimiter(line, begun):
		if opener != "```" {
			return 0
		}
		_, after := findCloser(r.text, next, opener) // code belongs to the section
		return max(after, next)
	}
	s := r.delimited(begun)
	switch s.start = next; {
	case begun && isRule(line) && sameLabel(r.text[r.present.start:at], r.text[next:]): // it separates records
		at = r.present.start
		s.start = at
	case inner >= 0:
		s.start = at + inner
	}
	end, after := findCloser(r.text, s.start, closer)
	if end < 0 {
		if r.failures++; s.kind == source {
			r.begin(at, s)
		}
		return next
	}
	if isRule(line) {
		end, after = r.lastRule(end, after, closer)
	}
	s.delimited, s.json = true, strings.IndexByte("{[", (strings.TrimSpace(r.text[s.start:end]) + " ")[0]) >= 0
	r.begin(at, s)
	r.begin(end, section{start: max(after, next)})
	return max(after, next)
}

// sameLabel reports two texts that begin with the same label.
func sameLabel(a, b string) bool {
	label, _, ok := strings.Cut(strings.TrimSpace(a), ": ")
	return ok && len(label) <= maxLabel && strings.HasPrefix(strings.TrimSpace(b), label+": ")
}

// keepsDelimiter reports a delimiter that is text of the present section: code, one inside a passage, or one that no sentence of
// instructions leads to. begun says that the section has text before it.
func (r *reader) keepsDelimiter(line string, begun bool) bool {
	k := r.present.kind
	return begun && !r.loose() || r.last == "" && (k == plain || k == rules && begun)
}

// delimited is the section that a delimiter opens: that of the header right above it, else one that the last sentence of
// instructions describes.
func (r *reader) delimited(begun bool) section {
	p := &r.present
	if !r.loose() || p.kind == rules && !begun {
		return *p
	}
	mentions, _, _, _ := points(r.last)
	if p.kind == question || r.led || mentions && kindOf(lastSentence(r.last)) == source {
		return section{kind: source, header: r.last, weak: true, leads: true}
	}
	return section{kind: other, header: r.last, weak: true}
}

// lastRule goes on from a closing rule to the last one of the same kind, as long as no question, answer or instruction is
// between: rules separate passages, too.
func (r *reader) lastRule(end, after int, rule string) (int, int) {
	for {
		nextEnd, nextAfter := findCloser(r.text, after, rule)
		if nextEnd < 0 {
			return end, after
		}
		text := strings.TrimSpace(r.text[after:nextEnd])
		if text == "" || endsAsQuestion(text) || isInstruction(text) {
			return end, after
		}
		for line := range strings.Lines(text) {
			if parseHeader(strings.TrimSpace(line) + " ").kind.isTurn() {
				return end, after
			}
		}
		end, after = nextEnd, nextAfter
	}
}

// parseDelimiter reads a line that opens a delimited block. inner is where the block starts in the line, -1 for the next
// line.
func parseDelimiter(line string) (opener, closer string, inner int) {
	if strings.IndexByte("-=_*>+\"'`<#~", line[0]) < 0 {
		return "", "", -1
	}
	if isRule(line) && line[0] != '#' && line[0] != '~' {
		return line, line, -1
	}
	for _, pair := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {"```", "```"}, {"<<<", ">>>"}, {"###", "###"}, {"~~~", "~~~"}} {
		if !strings.HasPrefix(line, pair[0]) {
			continue
		}
		rest := strings.TrimLeft(line[3:], pair[0][:1])
		switch {
		case rest == "", pair[0] == "```":
			return pair[0], pair[1], -1
		case pair[0] != "###" && pair[0] != "~~~": // these are headings
			return pair[0], pair[1], len(line) - len(rest)
		}
	}
	return "", "", -1
}

// isRule reports a line of at least three equal marks.
func isRule(line string) bool {
	return len(line) >= 3 && strings.IndexByte("-=_*~>#+", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// findCloser finds the closing delimiter: a line that is one, or for quotes one at the end of a line.
func findCloser(s string, from int, closer string) (end, after int) {
	quotes := len(closer) == 3 && strings.IndexByte("-=_*+", closer[0]) < 0
	for at := from; at < len(s); {
		hit := strings.Index(s[at:], closer)
		if hit < 0 {
			break
		}
		hit += at
		line, next := lineAt(s, hit)
		alone := strings.TrimSpace(line) == closer
		if start := startOfLine(s, hit); s[start-1] == '\n' && (quotes || alone) {
			return start, next
		}
		if quotes && alone {
			return hit, next
		}
		at = hit + len(closer)
	}
	return -1, -1
}

// startOfLine looks back over blanks only.
func startOfLine(s string, i int) int { return len(strings.TrimRight(s[:i], " \t")) }
