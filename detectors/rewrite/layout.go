package rewrite

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
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

// lineForms are the kinds of lines that are neither code nor prose; the first one that matches the content counts.
//
//nolint:gochecknoglobals // read-only table
var lineForms = []struct {
	kind  lineKind
	match *regexp.Regexp
}{
	{ruleLine, regexp.MustCompile(`^(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$`)},
	{headingLine, regexp.MustCompile(`^#{1,6}(?:[ \t]|$)`)},
	{itemLine, itemForm},
	{tableRule, regexp.MustCompile(`^[|: \t-]*(?:\|[|: \t]*-|-[-: \t]*\|)[|: \t-]*$`)},
	{tableLine, regexp.MustCompile(`^\||\|.*\|`)},
	{definitionLine, definitionForm},
	{boldLine, regexp.MustCompile(`^\*\*(?:[^*]|\*[^*])*[^*.!?,;:]:*\*\*:*\s*$`)},
	{headingLine, regexp.MustCompile(`(?i)^<h[1-6]`)},
}

// The mark of an item, which ideographs may follow without a space, is one of its groups.
var (
	itemForm       = regexp.MustCompile(`^(?:((?:\d+|[a-z])[、．）])|([-*+•‣◦▪–])(?:[ \t]|$)|((?:\d+|[a-z])[.)])(?:[ \t]|$|\p{Han}))`)
	definitionForm = regexp.MustCompile(`^\[[^\]]{1,38}\]:`)
	taskBox        = regexp.MustCompile(`^\[[ xX]\] +`)
	fenceForm      = regexp.MustCompile("^(?:`{3,}|~{3,}|\\$\\$$)")
	codeElement    = regexp.MustCompile(`(?i)<(/?)(?:pre|script|style)`)
)

const (
	boldLevel  = 7  // the level of a heading in bold, below those of Markdown
	maxBold    = 80 // bytes of such a heading
	codeIndent = 4  // columns before indented code
)

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
	pre   bool   // inside <pre>, <script> or <style>
	list  bool   // a list is open, so that indented lines are its text
}

// readLines returns the lines of s.
func readLines(s string) []textLine {
	r := lineReader{s: s}
	at := 0
	for line := range strings.Lines(s) {
		l := textLine{start: at, end: at + len(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")), next: at + len(line)}
		r.classify(&l)
		r.lines = append(r.lines, l)
		at = l.next
	}
	return r.lines
}

// classify sets the kind of the line and where its content begins.
func (r *lineReader) classify(l *textLine) {
	r.skipQuote(l)
	rest := strings.TrimRight(r.s[l.content:l.end], " \t")
	switch {
	case rest == "" && r.fence == "":
		l.kind = blankLine
		return
	case r.isCode(l, rest):
		l.kind = codeLine
	default:
		r.readForm(l, rest)
	}
	r.list = l.kind == itemLine || r.list && (l.indent > 0 || l.kind == codeLine)
}

// skipQuote moves the content behind quote marks and white space.
func (r *lineReader) skipQuote(l *textLine) {
	for l.content = l.start; l.content < l.end; l.content++ {
		switch b := r.s[l.content]; {
		case b == '>' && r.fence == "":
			l.quote++
			l.indent = -1
		case b == ' ':
			l.indent++
		case b == '\t':
			l.indent += codeIndent
		default:
			return
		}
	}
}

// readForm sets the kind of a line that is no code.
func (r *lineReader) readForm(l *textLine, rest string) {
	for _, f := range lineForms {
		if !f.match.MatchString(rest) || f.kind == boldLine && len(rest) > maxBold {
			continue
		}
		l.kind = f.kind
		switch f.kind {
		case headingLine:
			l.level = len(rest) - len(strings.TrimLeft(rest, "#"))
			if l.level == 0 {
				l.level = int(rest[2] - '0')
				return
			}
			l.content = min(l.end, l.content+l.level+1)
		case boldLine:
			l.level = boldLevel
		case itemLine:
			m := itemForm.FindStringSubmatch(rest)
			mark := m[1] + m[2] + m[3]
			text := strings.TrimLeft(r.s[l.content+len(mark):l.end], " \t")
			text = text[len(taskBox.FindString(text)):]
			l.content, l.inner = l.end-len(text), l.indent+len(mark)+1
		default:
		}
		return
	}
}

// isCode reports a line of code or formulas: fenced, indented, or in an element of HTML for it.
func (r *lineReader) isCode(l *textLine, rest string) bool {
	if r.isFenced(rest) {
		return true
	}
	inside := r.pre
	for _, tag := range codeElement.FindAllStringSubmatch(rest, -1) {
		r.pre = tag[1] == ""
		inside = inside || r.pre
	}
	n := len(r.lines)
	return inside || l.indent >= codeIndent && !r.list && (n == 0 || r.lines[n-1].kind == blankLine || r.lines[n-1].kind == codeLine)
}

// isFenced reports a line of a block that fences enclose. A fence of code may be closed by a longer one.
func (r *lineReader) isFenced(rest string) bool {
	fence := fenceForm.FindString(rest)
	switch {
	case r.fence != "":
		if rest == r.fence || fence == rest && strings.HasPrefix(fence, r.fence) {
			r.fence = ""
		}
	case rest == `\[`:
		r.fence = `\]`
	case fence == "":
		return false
	case !strings.Contains(rest[len(fence):], "```"): // not code within a line
		r.fence = fence
	}
	return true
}

// unit is what is cut as a whole: a sentence, or a row of a table.
type unit struct {
	Start, End int
	Code       bool // in a block of code, cut only with its item
	Row        bool // of a table

	line, last int // its first and last lines
	block      int
}

// textBlock is a paragraph, a list item with its continuation, a heading, a table or a block of code.
type textBlock struct {
	kind        lineKind
	first, last int // its lines, inclusive
	units, end  int // its units, half open
	indent      int
	level       int
}

// answerLayout is an answer divided into lines, blocks and units.
type answerLayout struct {
	Text  string
	Units []unit

	language text.Language
	lines    []textLine
	blocks   []textBlock
}

// readLayout divides an answer whose sentences are known; its language is that of words that depend on the sentence before.
func readLayout(answer string, sentences []text.Span, language text.Language) *answerLayout {
	a := &answerLayout{Text: answer, language: language, lines: readLines(answer)}
	a.readBlocks()
	a.readUnits(sentences)
	for i, n := 0, 0; i < len(a.blocks); i++ {
		a.blocks[i].units = n
		for n < len(a.Units) && a.Units[n].block == i {
			n++
		}
		a.blocks[i].end = n
	}
	return a
}

// unitsAt is the range of units that overlap the bytes of the answer, half open.
func (a *answerLayout) unitsAt(start, end int) (first, last int) {
	first, _ = slices.BinarySearchFunc(a.Units, start, func(u unit, at int) int {
		if u.End <= at {
			return -1
		}
		return 1
	})
	last = first
	for last < len(a.Units) && a.Units[last].Start < end {
		last++
	}
	return first, last
}

// readBlocks groups the lines.
func (a *answerLayout) readBlocks() {
	open := false // the last block takes further lines
	for i := range a.lines {
		l := &a.lines[i]
		if l.kind == blankLine {
			open = open && a.blocks[len(a.blocks)-1].kind == codeLine
			continue
		}
		if open && a.continues(&a.blocks[len(a.blocks)-1], l) {
			a.blocks[len(a.blocks)-1].last = i
			continue
		}
		kind := l.kind
		if kind == tableRule {
			kind = tableLine
		}
		a.blocks = append(a.blocks, textBlock{kind: kind, first: i, last: i, indent: l.indent, level: l.level})
		open = kind != headingLine && kind != boldLine && kind != ruleLine
	}
}

// continues reports whether the line belongs to the block before it.
func (a *answerLayout) continues(b *textBlock, l *textLine) bool {
	same := a.lines[b.last].quote == l.quote
	switch b.kind {
	case tableLine:
		return same && (l.kind == tableLine || l.kind == tableRule)
	case codeLine:
		return same && l.kind == codeLine
	default: // a line that begins with a tag of HTML begins a block
		return same && l.kind == proseLine && a.Text[l.content] != '<'
	}
}

// readUnits makes units of sentences, rows and lines of code.
func (a *answerLayout) readUnits(sentences []text.Span) {
	at, inBlock := 0, 0
	for i, s := range sentences {
		end := int(s.End)
		start := a.closeUnit(int(s.Start), end)
		for at < len(a.lines)-1 && a.lines[at].next <= start {
			at++
		}
		l := &a.lines[at]
		if start <= l.content || strings.HasPrefix(a.Text[l.content:], "![") && strings.Count(a.Text[l.content:start], "](") == 1 { // an image
			start = l.content
		}
		if start >= end || l.kind == blankLine {
			continue // a mark without text
		}
		if end = a.linkEnd(end); i+1 < len(sentences) {
			end = min(end, int(sentences[i+1].Start))
		}
		for inBlock < len(a.blocks)-1 && a.blocks[inBlock].last < at {
			inBlock++
		}
		a.addUnit(unit{Start: start, End: end, line: at, last: a.lineAt(end - 1), block: inBlock}, l)
	}
}

// linkEnd is the end of the address of a link behind a sentence, which is no part of it.
func (a *answerLayout) linkEnd(end int) int {
	if tail := strings.IndexFunc(a.Text[end:], func(r rune) bool { return r == '<' || unicode.IsSpace(r) }); tail >= 0 {
		return end + tail
	}
	return len(a.Text)
}

// closeUnit gives closing marks at the start of a sentence to the unit right before them, and returns the start of the rest.
func (a *answerLayout) closeUnit(start, end int) int {
	n := len(a.Units)
	if n == 0 || a.Units[n-1].End != start || a.Units[n-1].Row {
		return start
	}
	rest := strings.TrimLeft(a.Text[start:end], "*_\"”»)]』」")
	a.Units[n-1].End = end - len(rest)
	return end - len(strings.TrimLeft(rest, " \t\r\n"))
}

// addUnit appends a unit, or joins it with the unit before: cells of a row, and lines that were wrapped.
func (a *answerLayout) addUnit(u unit, l *textLine) {
	u.Code = l.kind == codeLine
	u.Row = l.kind == tableLine || l.kind == tableRule
	if u.Row {
		u.Start, u.End = l.content, l.end
	}
	if n := len(a.Units); n > 0 {
		before := &a.Units[n-1]
		if before.block == u.block && (u.Row && before.line == u.line || !u.Row && !u.Code && a.isWrapped(before, &u)) {
			before.End, before.last = max(before.End, u.End), u.last
			return
		}
	}
	a.Units = append(a.Units, u)
}

// isWrapped reports that a line break stands within one sentence.
func (a *answerLayout) isWrapped(before, u *unit) bool {
	if before.last >= u.line || a.lines[u.line].kind != proseLine || strings.TrimSpace(a.Text[before.End:max(before.End, a.lines[before.last].end)]) != "" {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(a.Text[before.Start:before.End])
	next, _ := utf8.DecodeRuneInString(a.Text[u.Start:])
	return !strings.ContainsRune(".!?:;|。！？：；؟।", end) && unicode.IsLower(next)
}
