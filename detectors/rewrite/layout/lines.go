package layout

import (
	"strings"
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

	numberAt, numberEnd int // bytes of the number of an ordered item or heading, equal for none
	number              int
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
	switch {
	case r.readCode(l, rest):
	case strings.TrimSpace(rest) == "":
		l.kind = blankLine
		return
	case isRule(rest):
		l.kind = ruleLine
	case strings.HasPrefix(rest, "#") && r.readHeading(l, rest):
	case r.readItem(l, rest):
	case strings.HasPrefix(rest, "|") || strings.Count(rest, "|") > 1 || isTableRule(rest):
		r.readRow(l, rest)
	case isDefinition(rest):
		l.kind = definitionLine
	case isBoldHeading(rest):
		l.kind, l.level = boldLine, boldLevel
		r.readNumber(l, l.content+len("**"))
	case len(rest) > 3 && (rest[:2] == "<h" || rest[:2] == "<H") && '1' <= rest[2] && rest[2] <= '6':
		l.kind, l.level = headingLine, int(rest[2]-'0')
	}
	r.list = l.kind == itemLine || r.list && (l.indent > 0 || l.kind == codeLine)
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
	lower := ""
	if strings.IndexByte(rest, '<') >= 0 {
		lower = strings.ToLower(rest)
	}
	switch {
	case r.fence != "":
		l.kind = codeLine
		if strings.HasPrefix(rest, r.fence) && strings.Trim(rest, r.fence[:1]+" \t") == "" {
			r.fence = ""
		}
	case strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~"):
		l.kind = codeLine
		n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
		if !strings.Contains(rest[n:], "```") { // not code within a line
			r.fence = rest[:n]
		}
	case r.pre || strings.Contains(lower, "<pre") || strings.Contains(lower, "<script") || strings.Contains(lower, "<style"):
		l.kind = codeLine
		r.pre = !strings.Contains(lower, "</pre") && !strings.Contains(lower, "</script") && !strings.Contains(lower, "</style")
	case l.indent >= codeIndent && !r.list && strings.TrimSpace(rest) != "" && r.afterBlank():
		l.kind = codeLine
	default:
		return false
	}
	return true
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
	r.readNumber(l, l.content)
	return true
}

// readItem reports a list item and moves the content behind its mark and task box.
func (r *lineReader) readItem(l *textLine, rest string) bool {
	size := 0
	switch mark, n := utf8.DecodeRuneInString(rest); {
	case strings.ContainsRune("-*+•‣◦▪–", mark):
		size = n
	default:
		r.readNumber(l, l.content)
		size = l.numberEnd - l.numberAt
		if size == 0 && len(rest) > 1 && ('a' <= rest[0] && rest[0] <= 'z') && (rest[1] == ')' || rest[1] == '.') {
			size = 1
		}
		if size > 0 {
			size++
		}
	}
	if size == 0 || size < len(rest) && rest[size] != ' ' && rest[size] != '\t' {
		l.numberEnd = l.numberAt
		return false
	}
	l.kind = itemLine
	text := strings.TrimLeft(rest[min(size, len(rest)):], " \t")
	if len(text) > 4 && text[0] == '[' && strings.ContainsRune(" xX", rune(text[1])) && text[2:4] == "] " {
		text = strings.TrimLeft(text[4:], " ")
	}
	l.content = l.end - len(text)
	l.inner = l.indent + size + 1
	return true
}

// readNumber reads the number of an ordered item at the byte at: digits before a full stop or a closing parenthesis.
func (r *lineReader) readNumber(l *textLine, at int) {
	end := at
	number := 0
	for end < l.end && end-at < 6 && '0' <= r.s[end] && r.s[end] <= '9' {
		number = 10*number + int(r.s[end]-'0')
		end++
	}
	l.numberAt, l.numberEnd = at, at
	if end > at && end < l.end && (r.s[end] == '.' || r.s[end] == ')') && (end+1 == l.end || r.s[end+1] == ' ') {
		l.numberEnd, l.number = end, number
	}
}

// readRow reads a row of a table. The line before a rule is its head.
func (r *lineReader) readRow(l *textLine, rest string) {
	l.kind = tableLine
	if isTableRule(rest) {
		l.kind = tableRule
	}
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
