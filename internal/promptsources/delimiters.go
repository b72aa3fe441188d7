package promptsources

import "strings"

// delimiter reads a line of dashes, quotes or the like that opens a section, and returns where to go on behind it; 0 for none.
func (r *reader) delimiter(line string, at, next int) int {
	opener, closer, inner := parseDelimiter(line)
	if opener == "" {
		return 0
	}
	p := &r.present
	begun := strings.TrimSpace(r.text[p.start:at]) != ""
	if !r.loose() && begun || p.kind == plain && r.last == "" || p.kind == rules && r.last == "" && begun || isCode(line) {
		return r.skipCode(opener, next)
	}
	start := next
	if inner >= 0 {
		start = at + inner
	}
	s := r.announced(at)
	end, after := findCloser(r.text, start, closer)
	if end < 0 {
		r.failures++
		if s.kind == source {
			r.closeHeader(at)
			s.start = start
			r.begin(s)
		}
		return next
	}
	if inner < 0 && opener == closer && isRule(line) {
		end, after = r.lastRule(end, after, closer)
	}
	r.closeHeader(at)
	s.start, s.delimited, s.json = start, true, jsonStarts(r.text[start:end])
	r.begin(s)
	r.close(end)
	r.begin(section{at: max(after, next), start: max(after, next)})
	return max(after, next)
}

// isCode reports a fence of a programming language.
func isCode(line string) bool {
	language := strings.TrimLeft(line, "`")
	return len(line)-len(language) == 3 && !equalsAny(language, "", "json", "jsonl", "text", "txt", "md", "markdown", "csv", "html", "xml", "yaml")
}

// skipCode returns the end of code in fences that belongs to a section; 0 for other delimiters.
func (r *reader) skipCode(opener string, next int) int {
	if opener != "```" {
		return 0
	}
	if _, after := findCloser(r.text, next, opener); after > 0 {
		return after
	}
	r.failures++
	return next
}

// announced is the section that a delimiter begins: that of the header above it, or what the line above says.
func (r *reader) announced(at int) section {
	p := r.present
	if !r.loose() || p.kind == rules && strings.TrimSpace(r.text[p.start:at]) == "" {
		return p
	}
	s := section{at: at, kind: other, header: r.last, weak: true}
	if mentions, leads, _ := points(r.last); p.kind == question || leads || r.led || mentions && kindOf(lastSentence(r.last)) == source {
		s.kind, s.leads = source, true
	}
	return s
}

// closeHeader ends what stands before a delimiter: text without a header, or a header that is the delimited section's own.
func (r *reader) closeHeader(at int) {
	if r.loose() {
		r.close(at)
	}
}

// lastRule goes on from a closing rule to the last one of the same kind, as long as no question, answer or instruction is
// between: rules separate passages, too.
func (r *reader) lastRule(end, after int, rule string) (int, int) {
	for {
		nextEnd, nextAfter := findCloser(r.text, after, rule)
		if nextEnd < 0 || !isPassagePart(r.text[after:nextEnd]) {
			return end, after
		}
		end, after = nextEnd, nextAfter
	}
}

// isPassagePart reports a text between rules that is neither a question nor instructions.
func isPassagePart(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || endsAsQuestion(s) || isInstruction(s) {
		return false
	}
	for line := range strings.Lines(s) {
		if h := parseHeader(strings.TrimSpace(line)); h.kind == question || h.kind == answer {
			return false
		}
	}
	return true
}

// parseDelimiter reads a line that opens a delimited block. inner is where the block starts in the line, -1 for the next
// line.
func parseDelimiter(line string) (opener, closer string, inner int) {
	for _, pair := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {"```", "```"}, {"<<<", ">>>"}, {"###", "###"}, {"~~~", "~~~"}} {
		if !strings.HasPrefix(line, pair[0]) {
			continue
		}
		rest := strings.TrimLeft(line[len(pair[0]):], pair[0][:1])
		switch {
		case rest == "" || pair[0] == "```" && !strings.Contains(rest, " ") && len(rest) < 12:
			return pair[0], pair[1], -1
		case pair[0] == "###" || strings.HasPrefix(rest, " ") && pair[0] == "~~~":
			return "", "", -1 // a heading
		default:
			return pair[0], pair[1], len(line) - len(rest)
		}
	}
	if isRule(line) {
		return line, line, -1
	}
	return "", "", -1
}

// isRule reports a line of at least three equal marks.
func isRule(line string) bool {
	const shortest = 3
	return len(line) >= shortest && strings.IndexByte("-=_*~>#+", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// findCloser finds the closing delimiter: a line that is one, or for quotes one at the end of a line.
func findCloser(s string, from int, closer string) (end, after int) {
	quotes := len(closer) == 3 && strings.IndexByte("-=_*+", closer[0]) < 0
	for at := from; at < len(s); {
		hit := strings.Index(s[at:], closer)
		if hit < 0 {
			return -1, -1
		}
		hit += at
		line, next := lineAt(s, hit)
		if lineStart := startOfLine(s, hit); (lineStart == 0 || s[lineStart-1] == '\n') && (quotes || strings.TrimSpace(line) == closer) {
			return lineStart, next
		}
		if quotes && strings.TrimSpace(line) == closer {
			return hit, next
		}
		at = hit + len(closer)
	}
	return -1, -1
}

// startOfLine looks back over blanks only.
func startOfLine(s string, i int) int {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i
}

func jsonStarts(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[')
}
