package rewrite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// unit is what is cut as a whole: a sentence, or a row of a table.
type unit struct {
	Start, End int
	Code       bool // in a block of code, never cut
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
	for i := range a.blocks {
		b := &a.blocks[i]
		b.units, _ = slices.BinarySearchFunc(a.Units, i, func(u unit, i int) int { return u.block - i })
		b.end = b.units
		for b.end < len(a.Units) && a.Units[b.end].block == i {
			b.end++
		}
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
	before := &a.lines[b.last]
	if before.quote != l.quote && l.kind != proseLine {
		return false
	}
	switch b.kind {
	case tableLine:
		return l.kind == tableLine || l.kind == tableRule
	case codeLine:
		return l.kind == codeLine
	case itemLine, definitionLine, proseLine:
		return l.kind == proseLine && before.quote == l.quote && !a.startsElement(l)
	default:
		return false
	}
}

// startsElement reports a line that begins with a tag of HTML.
func (a *answerLayout) startsElement(l *textLine) bool { return a.Text[l.content] == '<' }

// readUnits makes units of sentences, rows and lines of code.
func (a *answerLayout) readUnits(sentences []text.Span) {
	at, inBlock := 0, 0
	for i, s := range sentences {
		start, end := int(s.Start), int(s.End)
		if len(a.lines) == 0 || end > len(a.Text) {
			return
		}
		start = a.closeUnit(start, end)
		for at < len(a.lines)-1 && a.lines[at].next <= start {
			at++
		}
		l := &a.lines[at]
		start = a.unitStart(l, start)
		if start >= end || l.kind == blankLine {
			continue // a mark without text
		}
		next := len(a.Text)
		if i+1 < len(sentences) {
			next = int(sentences[i+1].Start)
		}
		for inBlock < len(a.blocks)-1 && a.blocks[inBlock].last < at {
			inBlock++
		}
		a.addUnit(unit{Start: start, End: a.unitEnd(end, next), line: at, last: a.lineOf(at, end), block: inBlock}, l)
	}
}

// lineOf is the line, from the given one on, that holds the byte before end.
func (a *answerLayout) lineOf(line, end int) int {
	for line < len(a.lines)-1 && a.lines[line].next < end {
		line++
	}
	return line
}

// closeUnit gives closing marks at the start of a sentence to the unit that ends right before them, and returns the start of
// the rest.
func (a *answerLayout) closeUnit(start, end int) int {
	n := len(a.Units)
	if n == 0 || a.Units[n-1].End != start || a.Units[n-1].Row {
		return start
	}
	marks := len(a.Text[start:end]) - len(strings.TrimLeft(a.Text[start:end], "*_\"”»)]』」"))
	a.Units[n-1].End += marks
	rest := strings.TrimLeft(a.Text[start+marks:end], " \t\r\n")
	return end - len(rest)
}

// unitStart is the start of a sentence without the mark of its item, and with an image before it.
func (a *answerLayout) unitStart(l *textLine, start int) int {
	if start <= l.content {
		return l.content
	}
	if strings.HasPrefix(a.Text[l.content:], "![") && a.isBlankOrLink(l.content, start) {
		return l.content
	}
	return start
}

// isBlankOrLink reports that no other sentence can lie between the bytes.
func (a *answerLayout) isBlankOrLink(from, to int) bool {
	return strings.IndexByte(a.Text[from:to], '\n') < 0 && strings.Count(a.Text[from:to], "](") == 1
}

// unitEnd is the end of a sentence with the address of a link behind it, which is no part of the sentence.
func (a *answerLayout) unitEnd(end, next int) int {
	for end < next {
		r, size := utf8.DecodeRuneInString(a.Text[end:])
		if unicode.IsSpace(r) || r == '<' {
			break
		}
		end += size
	}
	return min(end, len(a.Text))
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
	if before.last >= u.line || a.lines[u.line].kind != proseLine || before.End != trimEnd(a.Text, a.lines[before.last].end) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(a.Text[before.Start:before.End])
	next, _ := utf8.DecodeRuneInString(a.Text[u.Start:])
	return !strings.ContainsRune(".!?:;|。！？：；؟।", end) && unicode.IsLower(next)
}

// trimEnd is the place after the last visible byte before end.
func trimEnd(s string, end int) int {
	for end > 0 && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == '\r') {
		end--
	}
	return end
}
