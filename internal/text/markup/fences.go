package markup

import "strings"

// OpenFences blanks the marks of fenced blocks ("```", "~~~", closed or not) and the code in them. Prose in a block stays: its
// lines are told by their words, whatever the language that the block announces.
func OpenFences(s string) string {
	if !strings.Contains(s, "```") && !strings.Contains(s, "~~~") {
		return s
	}
	var b blanker
	for at := 0; at < len(s); {
		end := lineEnd(s, at)
		mark := fenceMark(s[at:end])
		if mark == "" {
			at = end
			continue
		}
		at = b.openFence(s, at, mark)
	}
	return b.text(s)
}

// lineEnd is the end of the line at i, with its line break.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// lineIndent are characters before a fence: of a quotation, a list item or an indent.
const lineIndent = " \t>-*+0123456789."

// fenceMark is the row of backticks or tildes that opens or closes a fenced block on the line; "" for none.
func fenceMark(line string) string {
	rest := strings.TrimLeft(line, lineIndent)
	n := 0
	for n < len(rest) && (rest[n] == '`' || rest[n] == '~') && rest[n] == rest[0] {
		n++
	}
	if n < 3 {
		return ""
	}
	return rest[:n]
}

// openFence blanks the marks and the code of the block whose mark is on the line at from, and returns its end.
func (b *blanker) openFence(s string, from int, mark string) int {
	start := lineEnd(s, from)
	at := from + strings.Index(s[from:start], mark) + len(mark)
	if end := strings.Index(s[at:start], mark); end >= 0 { // code within a line
		if end += at; isProse(s[at:end]) {
			b.blank(s, from, at)
			from = end
		}
		b.blank(s, from, end+len(mark))
		return start
	}
	if isProse(s[at:start]) {
		b.blank(s, from, at)
	} else {
		b.blank(s, from, start)
	}
	end, next := len(s), len(s)
	for line := start; line < len(s); line = lineEnd(s, line) {
		stop := lineEnd(s, line)
		if strings.HasPrefix(strings.Trim(s[line:stop], lineIndent+"\r\n"), mark) && strings.Trim(s[line:stop], lineIndent+"\r\n"+mark[:1]) == "" {
			end, next = line, stop
			b.blank(s, line, stop)
			break
		}
	}
	b.blankCode(s, start, end, indentOf(s[from:]))
	return next
}

// indentOf is the number of characters before the text of the first line of s.
func indentOf(s string) int { return len(s) - len(strings.TrimLeft(s, " \t>")) }

// blankCode blanks the code of s[from:to]. A block without a line of code is read as a whole if any of its lines is prose;
// otherwise only paragraphs of prose are, but neither comments nor what is indented.
func (b *blanker) blankCode(s string, from, to, indent int) {
	code, prose := false, false
	for at := from; at < to; at = lineEnd(s, at) {
		kind := lineKindOf(s[at:min(to, lineEnd(s, at))])
		code, prose = code || kind == codeLine, prose || kind == proseLine
	}
	if prose && !code {
		return
	}
	first, kept := from, false // the paragraph so far, and whether it has prose
	for at := from; at < to; {
		end := min(to, lineEnd(s, at))
		line, kind := s[at:end], codeLine
		if prose && indentOf(line) <= indent && !isComment(line) {
			kind = lineKindOf(line)
		}
		kept = kept || kind == proseLine
		if kind == codeLine || kind == emptyLine {
			if !kept {
				b.blank(s, first, at)
			}
			b.blank(s, at, end)
			first, kept = end, false
		}
		at = end
	}
	if !kept {
		b.blank(s, first, to)
	}
}

// isComment reports a line of code that is marked as a comment.
func isComment(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	for _, mark := range [...]string{"#", "//", "--", "/*", "*/", "* ", ";", "%", `"""`, "'''", "<!--", "REM "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}
