package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineKind is what a line is in Markdown.
type lineKind uint8

const (
	proseLine lineKind = iota
	blankLine
	headingLine
	boldLine // a heading written in bold
	itemLine
	tableLine // head or row
	tableRule
	codeLine       // in a block of code, fences included
	definitionLine // of a footnote or a reference: "[^1]: …"
	ruleLine       // "---"
)

// boldLevel is the level of a heading in bold, below those of Markdown.
const boldLevel = 7

// maxBold is the largest heading in bold, in bytes.
const maxBold = 80

// codeIndent is the white space before indented code, in columns.
const codeIndent = 4

// textLine is one line of an answer.
type textLine struct {
	start, end, next int // end excludes the line break, next is the start of the next line
	content          int // after quote marks, white space and the mark of a list item or heading
	indent           int // columns before the mark
	inner            int // columns before the content, of an item
	kind             lineKind
	level            int // of a heading
	quote            int // depth of a quotation
}

// lineReader reads the lines of an answer.
type lineReader struct {
	s     string
	lines []textLine
	fence string // that ends the block of code, "" outside
	pre   bool   // inside <pre>, <code>, <script> or <style>
	list  bool   // a list is open, so that indented lines are its text
}

// readLines returns the lines of s.
func readLines(s string) []textLine {
	r := lineReader{s: s}
	for at := 0; at < len(s); {
		l := textLine{start: at, end: len(s), next: len(s)}
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			l.end, l.next = at+n, at+n+1
			if l.end > at && s[l.end-1] == '\r' {
				l.end--
			}
		}
		r.classify(&l)
		r.lines = append(r.lines, l)
		at = l.next
	}
	return r.lines
}

// classify sets the kind of the line and where its content begins.
func (r *lineReader) classify(l *textLine) {
	r.skipQuote(l)
	rest := r.s[l.content:l.end]
	if strings.TrimSpace(rest) == "" && r.fence == "" {
		l.kind = blankLine
		return
	}
	if !r.readCode(l, rest) {
		r.readMarkdown(l, rest)
	}
	r.list = l.kind == itemLine || r.list && (l.indent > 0 || l.kind == codeLine)
}

// readMarkdown sets the kind of a line that is no code.
func (r *lineReader) readMarkdown(l *textLine, rest string) {
	switch {
	case isRule(rest):
		l.kind = ruleLine
	case r.readHeading(l, rest), r.readItem(l, rest):
	case isTableRule(rest):
		l.kind = tableRule
	case strings.HasPrefix(rest, "|"), strings.Count(rest, "|") > 1:
		l.kind = tableLine
	case isDefinition(rest):
		l.kind = definitionLine
	case isBoldHeading(rest):
		l.kind, l.level = boldLine, boldLevel
	case isHTMLHeading(rest):
		l.kind, l.level = headingLine, int(rest[2]-'0')
	}
}

// isHTMLHeading reports a line that begins with <h1> to <h6>.
func isHTMLHeading(s string) bool {
	return len(s) > 3 && strings.EqualFold(s[:2], "<h") && '1' <= s[2] && s[2] <= '6'
}

// skipQuote moves the content behind quote marks and white space.
func (r *lineReader) skipQuote(l *textLine) {
	at := l.start
	for at < l.end {
		switch r.s[at] {
		case ' ':
			l.indent++
		case '\t':
			l.indent += codeIndent
		case '>':
			if r.fence != "" {
				l.content = at
				return
			}
			l.quote++
			l.indent = -1
		default:
			l.content = at
			return
		}
		at++
	}
	l.content = at
}

// readCode reports a line of code: fenced, indented, or in an element of HTML for it.
func (r *lineReader) readCode(l *textLine, rest string) bool {
	switch {
	case r.fence != "":
		if closesFence(rest, r.fence) {
			r.fence = ""
		}
	case formulaEnds[strings.TrimSpace(rest)] != "":
		r.fence = formulaEnds[strings.TrimSpace(rest)]
	case strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~"):
		n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
		if !strings.Contains(rest[n:], "```") { // not code within a line
			r.fence = rest[:n]
		}
	case r.readElement(rest):
	case l.indent >= codeIndent && !r.list && r.afterBlank():
	default:
		return false
	}
	l.kind = codeLine
	return true
}

// formulaEnds are the lines that end a block of formulas, by the lines that begin one.
//
//nolint:gochecknoglobals // a read-only table
var formulaEnds = map[string]string{"$$": "$$", `\[`: `\]`}

// closesFence reports the last line of a block of code or formulas. A fence of code may be longer than the first one.
func closesFence(line, fence string) bool {
	line = strings.TrimSpace(line)
	return line == fence || strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// codeElements are elements of HTML whose text is no prose.
const codeElements = "pre|script|style"

// readElement reports a line of an element of HTML for code.
func (r *lineReader) readElement(rest string) bool {
	if !r.pre && strings.IndexByte(rest, '<') < 0 {
		return false
	}
	lower := strings.ToLower(rest)
	inside := r.pre
	for name := range strings.SplitSeq(codeElements, "|") {
		if strings.Contains(lower, "<"+name) {
			inside, r.pre = true, true
		}
		if strings.Contains(lower, "</"+name) {
			r.pre = false
		}
	}
	return inside
}

// afterBlank reports that the line before is blank, indented code, or missing.
func (r *lineReader) afterBlank() bool {
	n := len(r.lines)
	return n == 0 || r.lines[n-1].kind == blankLine || r.lines[n-1].kind == codeLine
}

// readHeading reports a heading of Markdown.
func (r *lineReader) readHeading(l *textLine, rest string) bool {
	level := len(rest) - len(strings.TrimLeft(rest, "#"))
	if level > 6 || len(rest) > level && rest[level] != ' ' && rest[level] != '\t' {
		return false
	}
	l.kind, l.level = headingLine, level
	l.content = min(l.end, l.content+level+1)
	return true
}

// readItem reports a list item and moves the content behind its mark and task box.
func (r *lineReader) readItem(l *textLine, rest string) bool {
	size := itemMark(rest)
	if size == 0 {
		return false
	}
	l.kind = itemLine
	text := strings.TrimLeft(rest[size:], " \t")
	if len(text) > 4 && text[0] == '[' && strings.ContainsRune(" xX", rune(text[1])) && text[2:4] == "] " {
		text = strings.TrimLeft(text[4:], " ")
	}
	l.content = l.end - len(text)
	l.inner = l.indent + size + 1
	return true
}

// itemMark is the length of the mark of a list item, 0 for none: a bullet, or a number or letter with a full stop or
// parenthesis. A space follows, except where ideographs need none.
func itemMark(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 && len(s) > 1 && 'a' <= s[0] && s[0] <= 'z' {
		digits = 1
	}
	mark, size := utf8.DecodeRuneInString(s[digits:])
	end, marks := digits+size, "-*+•‣◦▪–"
	if digits > 0 {
		if strings.ContainsRune("、．）", mark) {
			return end
		}
		marks = ".)"
	}
	if !strings.ContainsRune(marks, mark) || !endsMark(s[end:], digits > 0) {
		return 0
	}
	return end
}

// endsMark reports that the mark of an item may stand before s.
func endsMark(s string, numbered bool) bool {
	next, _ := utf8.DecodeRuneInString(s)
	return s == "" || next == ' ' || next == '\t' || numbered && unicode.Is(unicode.Han, next)
}

func isTableRule(s string) bool {
	return strings.Contains(s, "-") && strings.Contains(s, "|") && strings.Trim(s, "|-: \t") == ""
}

// isRule reports a line between sections: "---", "***".
func isRule(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= 3 && strings.Trim(s, s[:1]) == "" && strings.Contains("-*_=", s[:1])
}

// isDefinition reports the definition of a footnote or reference: "[^1]: …".
func isDefinition(s string) bool { return definedLabel(s) != "" }

// maxLabel is the largest label of a definition, in bytes.
const maxLabel = 40

// definedLabel is the label that a line defines, with its brackets, "" for none.
func definedLabel(s string) string {
	if !strings.HasPrefix(s, "[") {
		return ""
	}
	end := strings.IndexByte(s[:min(len(s), maxLabel)], ']')
	if end < 2 || end+1 >= len(s) || s[end+1] != ':' {
		return ""
	}
	return s[:end+1]
}

// isBoldHeading reports a line that is bold as a whole and short, without the end of a sentence.
func isBoldHeading(s string) bool {
	s = strings.TrimRight(strings.TrimSpace(s), ":")
	if len(s) > maxBold || len(s) < len("**x**") || !strings.HasPrefix(s, "**") || !strings.HasSuffix(s, "**") {
		return false
	}
	inner := strings.TrimRight(s[2:len(s)-2], ":")
	return !strings.Contains(inner, "**") && !strings.ContainsAny(inner[len(inner)-1:], ".!?,;")
}
