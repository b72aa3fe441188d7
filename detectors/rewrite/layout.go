package rewrite

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text/units"
)

// unit is what is cut as a whole: a sentence, an item of a list, a row of a table, or a block of code.
type unit struct {
	Start, End int
	form       units.Form
	kind       units.Kind
	block      int  // units of one paragraph, item or table have the same
	first      bool // it begins its line
	indent     int  // of its line, in columns
	level      int  // of a heading
}

// isRow reports the row of a table, isHead its head.
func (u *unit) isRow() bool  { return u.form == units.Row }
func (u *unit) isHead() bool { return u.form == units.Row && u.kind == units.Heading }

func (u *unit) isHeading() bool { return u.kind == units.Heading && u.form != units.Row }

// isProse reports a sentence of a paragraph.
func (u *unit) isProse() bool {
	return u.form == units.Sentence && u.kind != units.Heading && u.kind != units.Code
}

// answerLayout is an answer divided into units.
type answerLayout struct {
	Text  string
	Units []unit

	line int // where the line of the last unit starts
}

const (
	boldLevel = 7  // the level of a heading in bold, below those of Markdown
	tabWidth  = 4  // columns
	maxJoined = 12 // sentences that share a quotation, a bracket or emphasis
)

// readLayout makes units of an answer whose units are known; plain is the answer without markup.
func readLayout(answer, plain string, list []units.Unit) *answerLayout {
	a := &answerLayout{Text: answer}
	for i := range list {
		u := &list[i]
		limit := len(answer)
		if i+1 < len(list) {
			limit = max(int(list[i+1].Start), int(u.End))
		}
		start := a.closeUnit(int(u.Start), int(u.End))
		if start < int(u.End) {
			a.add(plain, unit{Start: start, End: min(a.linkEnd(int(u.End)), limit), form: u.Form, kind: u.Kind})
			last := &a.Units[len(a.Units)-1]
			last.End = min(last.End, limit) // a fence may stand within the next unit
		}
	}
	a.joinUnits()
	return a
}

// closeUnit gives closing marks at the start of a sentence to the unit right before them, and returns the start of the rest.
func (a *answerLayout) closeUnit(start, end int) int {
	n := len(a.Units)
	if n == 0 || a.Units[n-1].End != start || a.Units[n-1].isRow() {
		return start
	}
	rest := strings.TrimLeft(a.Text[start:end], "*_\"”»)]』」")
	a.Units[n-1].End = end - len(rest)
	return end - len(strings.TrimLeft(rest, " \t\r\n"))
}

// linkEnd is the end of the address of a link behind a sentence, which is no part of it.
func (a *answerLayout) linkEnd(end int) int {
	if tail := strings.IndexFunc(a.Text[end:], func(r rune) bool { return r == '<' || unicode.IsSpace(r) }); tail >= 0 {
		return end + tail
	}
	return len(a.Text)
}

// add adds a unit, or joins it with an item whose text it continues, or with the code before it.
func (a *answerLayout) add(plain string, u unit) {
	n, before, line := len(a.Units), 0, 0
	if n > 0 {
		before, line = a.Units[n-1].End, a.line
	}
	if at := strings.LastIndexByte(a.Text[before:u.Start], '\n'); at >= 0 {
		line = before + at + 1
	}
	u.first, a.line = n == 0 || before <= line, line
	u.indent = columns(a.Text[line:])
	blank := n > 0 && blankLine.MatchString(a.Text[before:u.Start])
	switch {
	case u.kind == units.Code:
		from, to := a.fences(line, u.End)
		u.Start, u.End = max(from, before), to
	case u.first && !u.isRow():
		a.readMark(plain, line, &u)
	}
	if n > 0 && !a.follow(&a.Units[n-1], &u, blank) {
		return
	}
	a.Units = append(a.Units, u)
}

// follow joins a unit with the one before it and reports false, or sets its block. blank says that a blank line is between them.
func (a *answerLayout) follow(last, u *unit, blank bool) bool {
	if a.joins(last, u, blank) {
		last.End = max(last.End, u.End)
		return false
	}
	u.block = last.block
	if u.first && (blank || !u.isLike(last)) {
		u.block++
	}
	return true
}

// isLike reports two sentences of paragraphs or two rows.
func (u *unit) isLike(other *unit) bool {
	return u.isProse() && other.isProse() || u.isRow() && other.isRow()
}

var blankLine = regexp.MustCompile(`\n[ \t>]*\r?\n`)

// joins reports a unit that is a part of the one before it: of an item or a heading, of a sentence with a line break within, or of
// the same code. blank says that a blank line is between them.
func (a *answerLayout) joins(before, u *unit, blank bool) bool {
	switch {
	case u.kind == units.Code || before.kind == units.Code:
		return u.kind == before.kind && u.Start <= a.nextLine(before.End)
	case before.form == units.Item:
		return !u.first || u.isProse() && !blank
	case before.isHeading():
		return !u.first
	}
	return u.first && !blank && u.isProse() && before.isProse() && a.isWrapped(before, u)
}

// isWrapped reports that a line break stands within one sentence.
func (a *answerLayout) isWrapped(before, u *unit) bool {
	next, _ := utf8.DecodeRuneInString(a.Text[u.Start:])
	end, _ := utf8.DecodeLastRuneInString(a.Text[before.Start:before.End])
	return unicode.IsLower(next) && !strings.ContainsRune(".!?:;|。！？：；؟।", end)
}

// readMark moves the start of the first unit of a line behind the mark of an item, heading or quotation, and before emphasis.
func (a *answerLayout) readMark(plain string, line int, u *unit) {
	body, form, heading := units.LineMark(plain[u.Start:u.End])
	body += len(definition.FindString(a.Text[u.Start+body : u.End]))
	if body > 0 {
		u.Start = min(u.Start+body, u.End)
	} else if from := line + len(a.Text[line:]) - len(strings.TrimLeft(a.Text[line:], " \t")); from < u.Start && strings.Trim(a.Text[from:u.Start], "*_\"“[!") == "" {
		u.Start = from
	}
	if u.form = form; heading {
		u.level = strings.Count(a.Text[line:u.Start], "#")
	} else if u.kind == units.Heading {
		u.level = boldLevel
	}
}

// definition is the mark of a footnote or a reference.
var definition = regexp.MustCompile(`^\[[^\]]{1,38}\]:[ \t]*`)

// columns is the indent of the line at the start of s, behind quotation marks.
func columns(s string) (n int) {
	for _, b := range []byte(s) {
		switch b {
		case ' ':
			n++
		case '\t':
			n += tabWidth
		case '>':
			n = -1
		default:
			return n
		}
	}
	return n
}

// fences are the bounds of code with the lines of its fences.
func (a *answerLayout) fences(start, end int) (from, to int) {
	isFence := func(line string) bool {
		line = strings.TrimLeft(line, " \t>")
		return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
	}
	if from = a.lineStart(max(start-1, 0)); from == start || !isFence(a.Text[from:]) {
		from = start
	}
	if to = a.nextLine(end); to == len(a.Text) || !isFence(a.Text[to:]) {
		return from, end
	}
	return from, a.lineEnd(to)
}

// inFormula reports a place between the marks of a formula, "$$" or "\[".
func (a *answerLayout) inFormula(at int) bool {
	head := a.Text[:at]
	return strings.Count(head, "$$")%2 == 1 || strings.LastIndex(head, `\[`) > strings.LastIndex(head, `\]`) && strings.Contains(a.Text[at:], `\]`)
}

// joinUnits makes one unit of sentences that share a quotation, a bracket or emphasis.
func (a *answerLayout) joinUnits() {
	joined := a.Units[:0]
	for i := 0; i < len(a.Units); {
		u, end := a.Units[i], i+1
		for n := 1; n <= maxJoined && i+n <= len(a.Units) && !u.isRow() && a.Units[i+n-1].block == u.block; n++ {
			if isPaired(a.Text[u.Start:a.Units[i+n-1].End]) {
				end = i + n
				break
			}
		}
		u.End = a.Units[end-1].End
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

// lineStart, lineEnd and nextLine are where the line at the byte starts and ends, and where the next one starts.
func (a *answerLayout) lineStart(at int) int { return strings.LastIndexByte(a.Text[:at], '\n') + 1 }

func (a *answerLayout) lineEnd(at int) int {
	return at + len(strings.TrimRight(a.Text[at:a.nextLine(at)], "\r\n"))
}

func (a *answerLayout) nextLine(at int) int {
	if n := strings.IndexByte(a.Text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(a.Text)
}
