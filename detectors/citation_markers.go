package detectors

import (
	"strconv"
	"strings"

	"confab/internal/text"
)

// Costs of reading markers, in units of [Work].
const (
	markerBytes = 2  // bytes a unit
	lineCost    = 10 // of a line that may be a heading over references
	bracketCost = 20 // of a bracket that may be a citation marker
	labels      = 8  // ids of sources that are compared in a unit
)

// The forms of a citation marker, as options name them.
const (
	FormBracket    = "bracket"    // [1] [1, 3] [2-4] [doc-7]
	FormFootnote   = "footnote"   // [^1]
	FormLenticular = "lenticular" // 【1†…】
	FormSource     = "source"     // (source: id)
)

// MaxCitations is how many references of an answer are read.
const MaxCitations = 1000

const (
	maxMarkerBytes = 160 // of one marker, brackets included
	maxInlineCode  = 500 // bytes between two backticks
	maxBrackets    = 10 * MaxCitations
)

// Indexes of references that name no measured source.
const (
	unknownSource    = -1 // nothing has this id or position
	unmeasuredSource = -2 // it exists, beyond a cap
)

// marker is a place in the answer that cites sources. It is no part of what the sentence says.
type marker struct {
	start, end  int // bytes of the answer
	form        string
	first, last int // its references
}

// reference is one source that a marker names.
type reference struct {
	label  string
	source int // index, or one of the constants above
}

// citations are the markers of an answer, in order.
type citations struct {
	markers    []marker
	references []reference
	end        int // where the text ends and a list of references begins
	brackets   int
	truncated  bool
}

// citationsOf are the markers of the document's answer, found on first use.
func citationsOf(d *Document) *citations {
	c, fresh := Scratch[citations](d)
	if fresh {
		c.read(d)
	}
	return c
}

// read finds the markers in the document's answer. Each byte is looked at a bounded number of times.
//
// No markers are: Markdown links [text](url), brackets in code, definitions ("[1]: …" at the start of a line) and
// whatever follows a heading such as "References"; a bracketed word that is no source's id; and brackets with a number
// that no source answers to and that can only be a year (four digits), an index or the end of an interval (zero).
func (c *citations) read(d *Document) {
	c.markers, c.references, c.brackets, c.truncated = c.markers[:0], c.references[:0], 0, false
	s := d.Answer()
	c.end = len(s)
	lineStart := true
	work := d.Work()
	work.Spend(len(s) / markerBytes)
	for i := 0; i < len(s); {
		if lineStart && !blankAhead(s, i) && work.Spend(lineCost) && startsReferences(s[i:]) {
			c.end = i
			return
		}
		if c.brackets > maxBrackets || len(c.references) > MaxCitations || work.Ended() != "" {
			c.truncated = true
			return
		}
		next := c.step(d, i, lineStart)
		lineStart = s[i] == '\n' || lineStart && s[i] == ' '
		i = next
	}
}

// step reads what begins at i, a marker, code or a single byte, and returns where to go on.
func (c *citations) step(d *Document, i int, lineStart bool) int {
	switch s := d.Answer(); s[i] {
	case '`':
		d.Work().Spend(bracketCost)
		return skipCode(s, i)
	case '[':
		return c.bracket(d, i, lineStart)
	case '(':
		return c.source(d, i, "(", ")")
	case "（"[0]:
		return c.source(d, i, "（", "）")
	case "【"[0]:
		return c.lenticular(d, i)
	default:
		return i + 1
	}
}

// bracket reads [1], [^1] and their kin at i, and returns where to go on.
func (c *citations) bracket(d *Document, i int, lineStart bool) int {
	s := d.Answer()
	c.brackets++
	d.Work().Spend(bracketCost)
	content, ok := enclosed(s[i+1:], "[", "]")
	if !ok {
		return i + 1
	}
	end := i + 1 + len(content) + 1
	if lineStart && strings.HasPrefix(s[end:], ":") {
		return end
	}
	m := marker{start: i, end: end, form: FormBracket, first: len(c.references)}
	if label, footnote := strings.CutPrefix(content, "^"); footnote {
		m.form = FormFootnote
		c.add(d, strings.TrimSpace(label))
		return c.close(m)
	}
	numeric := isNumberList(content)
	linked := strings.HasPrefix(s[end:], "(")
	if !numeric && (linked || sourceOf(d, content) == unknownSource) {
		return i + 1
	}
	if !c.list(d, content) {
		c.references = c.references[:m.first]
		return end
	}
	if linked { // [1](https://…): the address is part of the marker
		if address, ok := enclosed(s[end+1:], "(", ")"); ok {
			m.end += len(address) + 2
		}
	}
	return c.close(m)
}

// source reads (source: a, b) at i, in any language that text knows the label of. Names of no source are prose ("source:
// Reuters") unless they hold a digit, as ids do.
func (c *citations) source(d *Document, i int, open, shut string) int {
	s := d.Answer()
	if !strings.HasPrefix(s[i:], open) {
		return i + 1
	}
	c.brackets++
	d.Work().Spend(bracketCost)
	content, ok := enclosed(s[i+len(open):], open, shut)
	if !ok {
		return i + len(open)
	}
	label := text.SourceLabel(content)
	if label == 0 {
		return i + len(open)
	}
	m := marker{start: i, end: i + len(open) + len(content) + len(shut), form: FormSource, first: len(c.references)}
	for name := range strings.FieldsFuncSeq(content[label:], func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		name = strings.TrimSpace(name)
		if sourceOf(d, name) != unknownSource || strings.ContainsAny(name, "0123456789") && !strings.Contains(name, " ") {
			c.add(d, name)
		}
	}
	if len(c.references) == m.first {
		return i + len(open)
	}
	return c.close(m)
}

// lenticular reads 【1†…】 at i. What stands before the dagger names the source, as "4:0" or as the figure before a colon.
func (c *citations) lenticular(d *Document, i int) int {
	const open, shut = "【", "】"
	s := d.Answer()
	if !strings.HasPrefix(s[i:], open) {
		return i + 1
	}
	d.Work().Spend(bracketCost)
	content, ok := enclosed(s[i+len(open):], open, shut)
	if !ok {
		return i + len(open)
	}
	m := marker{start: i, end: i + len(open) + len(content) + len(shut), form: FormLenticular, first: len(c.references)}
	label, _, dagger := strings.Cut(content, "†")
	label = strings.TrimSpace(label)
	if before, _, colon := strings.Cut(label, ":"); colon && sourceOf(d, label) == unknownSource {
		label = before
	}
	if label == "" || !dagger && sourceOf(d, label) == unknownSource && !isNumberList(label) {
		return m.end
	}
	if !c.list(d, label) {
		c.references = c.references[:m.first]
		return m.end
	}
	return c.close(m)
}

// list adds the references of "1", "1, 3", "2-4" or of an id. It is false when one of them can be no citation.
func (c *citations) list(d *Document, content string) bool {
	if sourceOf(d, content) != unknownSource {
		c.add(d, content)
		return true
	}
	for part := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		low, high, isRange := cutRange(part)
		if !citable(d, low) || isRange && !citable(d, high) {
			return false
		}
		if !isRange || sourceOf(d, part) != unknownSource {
			c.add(d, part)
			continue
		}
		c.span(d, part, low, high)
	}
	return true
}

// span adds a range of positions, and one unknown reference for whatever of it lies beyond the sources.
func (c *citations) span(d *Document, whole, low, high string) {
	first, okFirst := position(low)
	last, okLast := position(high)
	if !okFirst || !okLast || first > last {
		c.add(d, whole)
		return
	}
	for n := first; n <= last && len(c.references) <= MaxCitations && d.Work().Ended() == ""; n++ {
		label := strconv.Itoa(n)
		if sourceOf(d, label) == unknownSource {
			c.references = append(c.references, reference{label: whole, source: unknownSource})
			return
		}
		c.add(d, label)
	}
}

func (c *citations) add(d *Document, label string) {
	c.references = append(c.references, reference{label: label, source: sourceOf(d, label)})
}

// close keeps the marker and returns its end.
func (c *citations) close(m marker) int {
	m.last = len(c.references)
	c.markers = append(c.markers, m)
	return m.end
}
