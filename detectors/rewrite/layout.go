package rewrite

import (
	"cmp"
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
	headingLine // "# …", or a line in bold
	itemLine
	tableLine      // head, rule or row
	codeLine       // in a block of code, fences included
	definitionLine // of a footnote or a reference: "[^1]: …"
	ruleLine       // "---"
)

// lineForms are the kinds of lines that are neither code nor prose; the first one that matches the content counts. The first group
// is the mark in front of the text; ideographs may follow that of an item without a space.
//
//nolint:gochecknoglobals // read-only table
var lineForms = []struct {
	kind  lineKind
	match *regexp.Regexp
}{
	{ruleLine, regexp.MustCompile(`^()(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$`)},
	{headingLine, regexp.MustCompile(`^(#{1,6})(?:[ \t]|$)`)},
	{itemLine, regexp.MustCompile(`^((?:(?:\d+|[a-z])[、．）]|(?:[-*+•‣◦▪–]|(?:\d+|[a-z])[.)])(?:[ \t]+|$)|\d+[.)])(?:\[[ xX]\] +)?)(?:\P{Nd}|$)`)},
	{tableLine, regexp.MustCompile(`^()(?:\||.*\|.*\||-[-: \t]*\|)`)},
	{definitionLine, regexp.MustCompile(`^(\[[^\]]{1,38}\]:[ \t]*)`)},
	{headingLine, regexp.MustCompile(`^()\*\*(?:[^*]|\*[^*]){1,80}\*\*:*$`)},
}

var fenceForm = regexp.MustCompile("^(?:`{3,}|~{3,}|\\$\\$$|\\\\\\[$)")

const (
	boldLevel  = 7 // the level of a heading in bold, below those of Markdown
	codeIndent = 4 // columns before indented code
	maxJoined  = 12
)

// textLine is one line of an answer.
type textLine struct {
	start, end, next int // end excludes the line break, next is the start of the next line
	content          int // after quote marks, white space and the mark of an item or heading
	indent           int // columns before the mark
	kind             lineKind
	level            int // of a heading
	quote            int // depth of a quotation
}

// unit is what is cut as a whole: a sentence, an item of a list, or a row of a table.
type unit struct {
	Start, End int
	Code       bool // a line in a block of code
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
	a := &answerLayout{Text: answer, language: language}
	a.readLines()
	a.readBlocks()
	a.readUnits(sentences)
	a.joinUnits()
	for i, n := 0, 0; i < len(a.blocks); i++ {
		a.blocks[i].units = n
		for n < len(a.Units) && a.Units[n].block == i {
			n++
		}
		a.blocks[i].end = n
	}
	return a
}

// readLines classifies the lines.
func (a *answerLayout) readLines() {
	at, fence, list := 0, "", false
	for line := range strings.Lines(a.Text) {
		l := textLine{start: at, end: at + len(strings.TrimRight(line, "\r\n")), next: at + len(line)}
		at = l.next
		l.skipQuote(a.Text, fence == "")
		rest := strings.TrimRight(a.Text[l.content:l.end], " \t")
		outside := fence == ""
		fence = fenceAfter(fence, rest)
		switch {
		case !outside || fence != "":
			l.kind = codeLine
		case rest == "":
			l.kind = blankLine
		case l.indent >= codeIndent && a.mayIndent(list):
			l.kind = codeLine
		default:
			l.readForm(a.Text, rest)
		}
		if l.kind != blankLine {
			list = l.kind == itemLine || list && (l.indent > 0 || l.kind == codeLine)
		}
		a.lines = append(a.lines, l)
	}
}

// fenceAfter is the fence of the block of code that is open behind a line, "" outside. A longer fence closes one, too; one with
// another in its line is code within a line.
func fenceAfter(open, line string) string {
	mark := fenceForm.FindString(line)
	switch {
	case open != "" && (line == `\]` || mark != "" && mark == line && strings.HasPrefix(mark, open)):
		return ""
	case open == "" && mark != "" && !strings.Contains(line[len(mark):], "```"):
		return mark
	}
	return open
}

// mayIndent reports that indented code may follow the last line. In a list, such lines are its text.
func (a *answerLayout) mayIndent(list bool) bool {
	n := len(a.lines)
	return !list && (n == 0 || a.lines[n-1].kind == blankLine || a.lines[n-1].kind == codeLine)
}

// skipQuote moves the content behind quote marks and white space.
func (l *textLine) skipQuote(s string, quotes bool) {
	for l.content = l.start; l.content < l.end; l.content++ {
		switch b := s[l.content]; {
		case b == '>' && quotes:
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
func (l *textLine) readForm(s, rest string) {
	for _, f := range lineForms {
		m := f.match.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		l.kind = f.kind
		if l.kind == headingLine {
			l.level = cmp.Or(len(m[1]), boldLevel)
		}
		l.content += len(m[1])
		l.content = l.end - len(strings.TrimLeft(s[l.content:l.end], " \t"))
		return
	}
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
		a.blocks = append(a.blocks, textBlock{kind: l.kind, first: i, last: i, indent: l.indent, level: l.level})
		open = l.kind != headingLine && l.kind != ruleLine
	}
}

// continues reports whether the line belongs to the block before it.
func (a *answerLayout) continues(b *textBlock, l *textLine) bool {
	if a.lines[b.last].quote != l.quote {
		return false
	}
	if l.kind == proseLine {
		return b.kind == proseLine || b.kind == itemLine || b.kind == definitionLine
	}
	return l.kind == b.kind && (b.kind == tableLine || b.kind == codeLine)
}

// readUnits makes units of sentences, items and rows.
func (a *answerLayout) readUnits(sentences []text.Span) {
	at, inBlock := 0, 0
	for i, s := range sentences {
		end := int(s.End)
		start := a.closeUnit(int(s.Start), end)
		for at < len(a.lines)-1 && a.lines[at].next <= start {
			at++
		}
		l := &a.lines[at]
		start = max(start, min(l.content, l.end))
		if strings.Trim(a.Text[l.content:max(start, l.content)], "*_\"“[!") == "" {
			start = l.content
		}
		if start >= end || l.kind == blankLine {
			continue // a mark without text
		}
		if i+1 < len(sentences) {
			end = min(a.linkEnd(end), int(sentences[i+1].Start))
		} else {
			end = a.linkEnd(end)
		}
		for inBlock < len(a.blocks)-1 && a.blocks[inBlock].last < at {
			inBlock++
		}
		a.addUnit(unit{Start: start, End: end, line: at, last: a.lineAt(end - 1), block: inBlock})
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

// addUnit appends a unit, or joins it with the unit before: sentences of an item, cells of a row, and lines that were wrapped.
func (a *answerLayout) addUnit(u unit) {
	l := &a.lines[u.line]
	kind := a.blocks[u.block].kind
	u.Code, u.Row = kind == codeLine, kind == tableLine
	if u.Row {
		u.Start, u.End = l.content, l.end
	}
	if n := len(a.Units); n > 0 {
		before := &a.Units[n-1]
		joined := kind == itemLine || u.Row && before.line == u.line || kind == proseLine && a.isWrapped(before, &u)
		if before.block == u.block && joined {
			before.End, before.last = max(before.End, u.End), u.last
			return
		}
	}
	a.Units = append(a.Units, u)
}

// isWrapped reports that a line break stands within one sentence.
func (a *answerLayout) isWrapped(before, u *unit) bool {
	if before.last >= u.line {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(a.Text[before.Start:before.End])
	next, _ := utf8.DecodeRuneInString(a.Text[u.Start:])
	return !strings.ContainsRune(".!?:;|。！？：；؟।", end) && unicode.IsLower(next)
}

// joinUnits makes one unit of sentences that share a quotation, a bracket or emphasis.
func (a *answerLayout) joinUnits() {
	joined := a.Units[:0]
	for i := 0; i < len(a.Units); {
		u, end := a.Units[i], i+1
		for n := 1; n <= maxJoined && i+n <= len(a.Units) && !u.Row && a.Units[i+n-1].block == u.block; n++ {
			if isPaired(a.Text[u.Start:a.Units[i+n-1].End]) {
				end = i + n
				break
			}
		}
		u.End, u.last = a.Units[end-1].End, a.Units[end-1].last
		joined, i = append(joined, u), end
	}
	a.Units = joined
}

// enumerators are "a)" and "1)", whose parenthesis closes nothing; inches are no quotations.
var enumerators = regexp.MustCompile(`(^|[ \n])(?:[a-z]|\d{1,3}|[ivx]{2,3})\)|\d"`)

// isPaired reports that the text closes what it opens: quotations, brackets, and emphasis.
func isPaired(s string) bool {
	s = enumerators.ReplaceAllString(s, "$1")
	const opening, closing = `([“«「『（【`, `)]”»」』）】`
	shut := []rune(closing)
	if strings.ContainsRune(s, '„') {
		s = strings.NewReplacer("“", "”", "„", "“").Replace(s)
	}
	for i, open := range []rune(opening) {
		if strings.Count(s, string(open)) != strings.Count(s, string(shut[i])) {
			return false
		}
	}
	return strings.Count(s, `"`)%2 == 0 && strings.Count(s, "**")%2 == 0
}

// unitsAt is the range of units that overlap the bytes of the answer, half open.
func (a *answerLayout) unitsAt(start, end int) (first, last int) {
	first, _ = slices.BinarySearchFunc(a.Units, start, func(u unit, at int) int { return cmp.Compare(u.End, at+1) })
	last = first
	for last < len(a.Units) && a.Units[last].Start < end {
		last++
	}
	return first, last
}

// lineAt is the line that holds the byte.
func (a *answerLayout) lineAt(at int) int {
	i, _ := slices.BinarySearchFunc(a.lines, at, func(l textLine, at int) int { return cmp.Compare(l.next, at+1) })
	return min(i, len(a.lines)-1)
}
