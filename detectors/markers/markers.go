package markers

import (
	"strconv"
	"strings"

	"confab/detectors"
	"confab/internal/text"
)

// Costs of reading markers, in units of [Work].
const (
	markerBytes   = 2  // bytes per unit
	lineCost      = 10 // per line that may be the heading of a list of references
	bracketCost   = 20 // per bracket that may be a citation marker
	labelsPerUnit = 8  // source ids compared
)

// The forms of a citation marker, as in the options.
const (
	FormBracket    = "bracket"    // [1] [1, 3] [2-4] [doc-7]
	FormFootnote   = "footnote"   // [^1]
	FormLenticular = "lenticular" // 【1†…】
	FormSource     = "source"     // (source: id)
)

// MaxCitations is the maximum of references read from an answer.
const MaxCitations = 1000

const (
	maxMarkerBytes = 160 // of one marker, brackets included
	maxInlineCode  = 500 // bytes between two backticks
	maxBrackets    = 10 * MaxCitations
)

// Indexes of references that name no measured source.
const (
	UnknownSource    = -1 // no source has this id or position
	UnmeasuredSource = -2 // the source is beyond a cap
)

// Marker is a citation marker in the answer. It is not part of the sentence's statement.
type Marker struct {
	Start, End  int // bytes of the answer
	Form        string
	First, Last int // its references, half open
}

// Reference is one source that a marker names.
type Reference struct {
	Label  string
	Source int // index, UnknownSource or UnmeasuredSource
}

// Markers are the markers of an answer, in order.
type Markers struct {
	List       []Marker
	References []Reference
	End        int // where a list of references starts, or the end of the answer
	brackets   int
	Truncated  bool
}

// Of returns the markers of the document's answer, found on first use.
func Of(d *detectors.Document) *Markers {
	c, fresh := detectors.Scratch[Markers](d)
	if fresh {
		c.read(d)
	}
	return c
}

// read finds the markers in the document's answer in linear time.
//
// It ignores: Markdown links [text](url), brackets in code, definitions ("[1]: …" at the start of a line), text after a
// heading such as "References", a bracketed word that is not the id of a source, and a number that names no source and
// looks like a year (four digits), an index or an interval (zero).
func (c *Markers) read(d *detectors.Document) {
	c.List, c.References, c.brackets, c.Truncated = c.List[:0], c.References[:0], 0, false
	s := d.Answer()
	c.End = len(s)
	lineStart := true
	work := d.Work()
	work.Spend(len(s) / markerBytes)
	for i := 0; i < len(s); {
		if lineStart && !isBlankAt(s, i) && work.Spend(lineCost) && startsReferences(s[i:]) {
			c.End = i
			return
		}
		if c.brackets > maxBrackets || len(c.References) > MaxCitations || work.Ended() != "" {
			c.Truncated = true
			return
		}
		next := c.readAt(d, i, lineStart)
		lineStart = s[i] == '\n' || lineStart && s[i] == ' '
		i = next
	}
}

// readAt reads a marker, code or a single byte at i, and returns the next position.
func (c *Markers) readAt(d *detectors.Document, i int, lineStart bool) int {
	switch s := d.Answer(); s[i] {
	case '`':
		d.Work().Spend(bracketCost)
		return skipCode(s, i)
	case '[':
		return c.readBracket(d, i, lineStart)
	case '(':
		return c.readSource(d, i, "(", ")")
	case "（"[0]:
		return c.readSource(d, i, "（", "）")
	case "【"[0]:
		return c.readLenticular(d, i)
	default:
		return i + 1
	}
}

// readBracket reads [1], [^1] and similar markers at i, and returns the next position.
func (c *Markers) readBracket(d *detectors.Document, i int, lineStart bool) int {
	s := d.Answer()
	c.brackets++
	d.Work().Spend(bracketCost)
	content, ok := enclosedText(s[i+1:], "[", "]")
	if !ok {
		return i + 1
	}
	end := i + 1 + len(content) + 1
	if lineStart && strings.HasPrefix(s[end:], ":") {
		return end
	}
	m := Marker{Start: i, End: end, Form: FormBracket, First: len(c.References)}
	if label, footnote := strings.CutPrefix(content, "^"); footnote {
		m.Form = FormFootnote
		c.addReference(d, strings.TrimSpace(label))
		return c.addMarker(m)
	}
	numeric := isNumberList(content)
	linked := strings.HasPrefix(s[end:], "(")
	if !numeric && (linked || SourceOf(d, content) == UnknownSource) {
		return i + 1
	}
	if !c.addList(d, content) {
		c.References = c.References[:m.First]
		return end
	}
	if linked { // [1](https://…): the URL is part of the marker
		if address, ok := enclosedText(s[end+1:], "(", ")"); ok {
			m.End += len(address) + 2
		}
	}
	return c.addMarker(m)
}

// readSource reads (source: a, b) at i, in any language of [text.SourceLabel]. A name of no source is prose ("source:
// Reuters") unless it has a digit.
func (c *Markers) readSource(d *detectors.Document, i int, open, shut string) int {
	s := d.Answer()
	if !strings.HasPrefix(s[i:], open) {
		return i + 1
	}
	c.brackets++
	d.Work().Spend(bracketCost)
	content, ok := enclosedText(s[i+len(open):], open, shut)
	if !ok {
		return i + len(open)
	}
	label := text.SourceLabel(content)
	if label == 0 {
		return i + len(open)
	}
	m := Marker{Start: i, End: i + len(open) + len(content) + len(shut), Form: FormSource, First: len(c.References)}
	for name := range strings.FieldsFuncSeq(content[label:], func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		name = strings.TrimSpace(name)
		if SourceOf(d, name) != UnknownSource || strings.ContainsAny(name, "0123456789") && !strings.Contains(name, " ") {
			c.addReference(d, name)
		}
	}
	if len(c.References) == m.First {
		return i + len(open)
	}
	return c.addMarker(m)
}

// readLenticular reads 【1†…】 at i. The text before the dagger names the source, as a whole ("4:0") or up to a colon.
func (c *Markers) readLenticular(d *detectors.Document, i int) int {
	const open, shut = "【", "】"
	s := d.Answer()
	if !strings.HasPrefix(s[i:], open) {
		return i + 1
	}
	d.Work().Spend(bracketCost)
	content, ok := enclosedText(s[i+len(open):], open, shut)
	if !ok {
		return i + len(open)
	}
	m := Marker{Start: i, End: i + len(open) + len(content) + len(shut), Form: FormLenticular, First: len(c.References)}
	label, _, dagger := strings.Cut(content, "†")
	label = strings.TrimSpace(label)
	if before, _, colon := strings.Cut(label, ":"); colon && SourceOf(d, label) == UnknownSource {
		label = before
	}
	if label == "" || !dagger && SourceOf(d, label) == UnknownSource && !isNumberList(label) {
		return m.End
	}
	if !c.addList(d, label) {
		c.References = c.References[:m.First]
		return m.End
	}
	return c.addMarker(m)
}

// addList adds the references of "1", "1, 3", "2-4" or of an id. It returns false if one of them cannot be a citation.
func (c *Markers) addList(d *detectors.Document, content string) bool {
	if SourceOf(d, content) != UnknownSource {
		c.addReference(d, content)
		return true
	}
	for part := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		low, high, isRange := cutRange(part)
		if !isCitable(d, low) || isRange && !isCitable(d, high) {
			return false
		}
		if !isRange || SourceOf(d, part) != UnknownSource {
			c.addReference(d, part)
			continue
		}
		c.addRange(d, part, low, high)
	}
	return true
}

// addRange adds a range of positions. All positions beyond the sources become one unknown reference.
func (c *Markers) addRange(d *detectors.Document, whole, low, high string) {
	first, okFirst := parsePosition(low)
	last, okLast := parsePosition(high)
	if !okFirst || !okLast || first > last {
		c.addReference(d, whole)
		return
	}
	for n := first; n <= last && len(c.References) <= MaxCitations && d.Work().Ended() == ""; n++ {
		label := strconv.Itoa(n)
		if SourceOf(d, label) == UnknownSource {
			c.References = append(c.References, Reference{Label: whole, Source: UnknownSource})
			return
		}
		c.addReference(d, label)
	}
}

func (c *Markers) addReference(d *detectors.Document, label string) {
	c.References = append(c.References, Reference{Label: label, Source: SourceOf(d, label)})
}

// addMarker adds the marker and returns its end.
func (c *Markers) addMarker(m Marker) int {
	m.Last = len(c.References)
	c.List = append(c.List, m)
	return m.End
}
