package citations

import (
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// The forms of a citation marker, as in the options of the detector.
const (
	FormBracket     = "bracket"     // [1] [1, 3] [2-4] [doc-7] [Source 1] [cite:1]
	FormFootnote    = "footnote"    // [^1]
	FormLenticular  = "lenticular"  // 【1†…】 【4:0†…】
	FormSource      = "source"      // (source: id) (see Document 1)
	FormParenthesis = "parenthesis" // (1) {1}
	FormSuperscript = "superscript" // ¹ ^1 <sup>1</sup>
	FormTag         = "tag"         // <cite>1</cite>
	FormLink        = "link"        // [title](uri) of a source
	FormProse       = "prose"       // according to document 2
	FormAuthor      = "author"      // (Smith, 2020)
)

// Forms are the forms of citation markers.
func Forms() []string {
	return []string{
		FormBracket, FormFootnote, FormLenticular, FormSource, FormParenthesis, FormSuperscript, FormTag, FormLink, FormProse, FormAuthor,
	}
}

// Costs of reading markers, in units of work.
const (
	markerBytes   = 4  // bytes per unit
	lineCost      = 10 // per line that may be the heading of a list of references
	bracketCost   = 15 // per bracket that may be a citation marker
	labelsPerUnit = 8  // source ids compared
	searchBytes   = 64 // bytes of sources searched per unit
)

// MaxCitations is the maximum of references read from an answer.
const MaxCitations = 1000

const (
	maxMarkerBytes = 160 // of one marker, brackets included
	maxInlineCode  = 500 // bytes between two backticks
	maxBrackets    = 10 * MaxCitations
	maxSearches    = 16 // searches of all source texts
)

// Indexes of references that name no measured source.
const (
	UnknownSource    = -1 // no source has this id or position
	UnmeasuredSource = -2 // the source is beyond a cap, or cannot be determined
)

// Marker is a citation marker in the answer. It is not part of the sentence's statement.
type Marker struct {
	Start, End  int // bytes of the answer
	Form        string
	First, Last int // its references, half open

	weak bool // its shape alone could be something else, such as the number of an equation
}

// Reference is one source that a marker names.
type Reference struct {
	Label  string
	Source int // index, UnknownSource or UnmeasuredSource
}

// Meter counts the cost of reading. Reading stops when Ended returns a reason.
type Meter interface {
	Spend(n int) bool
	Ended() string
}

// Input is what markers are read from.
type Input struct {
	Answer   string
	Sources  []schemas.Source
	Messages []schemas.Message
	Measured int // sources that are compared; the rest is beyond a cap
	Work     Meter
}

// Markers are the markers of an answer, in order and without overlap. The zero value is ready for Read, which may be
// called again.
type Markers struct {
	List       []Marker
	References []Reference
	Truncated  bool

	in       Input
	brackets int
	searches int       // searches of all source texts
	last     Reference // the last label looked up

	hasURIs, hasYears bool   // of sources: addresses, titles or ids with a year
	zeroBased         bool   // [0] or 【0†…】 occurs, and no id is a number: numbers count from 0
	message           string // the first message index of 【4:0†…】
}

// Read finds the markers in linear time. Strings of the result point into the input.
//
// It ignores: brackets in code, definitions ("[1]: …" at the start of a line), text after a heading such as "References",
// a bracketed word that is not the id or title of a source, links to other pages, a number that names no source and looks
// like a year (four digits), an index or an interval (zero), and exponents.
func (c *Markers) Read(in Input) {
	c.reset(in)
	s := in.Answer
	lineStart := true
	for i := 0; i < len(s); {
		if lineStart && !isBlankAt(s, i) && in.Work.Spend(lineCost) && startsReferences(s[i:]) {
			break
		}
		if c.brackets > maxBrackets || len(c.References) > MaxCitations || in.Work.Ended() != "" {
			c.Truncated = true
			break
		}
		if !lineStart {
			if i = nextStart(s, i); i == len(s) {
				break
			}
		}
		at := i
		i = c.readAt(i, lineStart)
		lineStart = s[at] == '\n' || lineStart && s[at] == ' '
	}
	c.dropWeak()
}

func (c *Markers) reset(in Input) {
	*c = Markers{List: c.List[:0], References: c.References[:0], in: in, last: Reference{Source: UnknownSource}}
	in.Work.Spend(len(in.Answer)/markerBytes + len(in.Sources)/labelsPerUnit)
	for i := range in.Sources {
		src := &in.Sources[i]
		c.hasURIs = c.hasURIs || src.URI != ""
		c.hasYears = c.hasYears || containsYear(src.Title) || containsYear(src.ID)
	}
	c.zeroBased = c.countsFromZero()
}

// countsFromZero reports whether the answer numbers the sources from 0: it cites [0], and does not cite the number behind the last.
func (c *Markers) countsFromZero() bool {
	s, n := c.in.Answer, len(c.in.Sources)
	bracket := (strings.Contains(s, " [0]") || strings.Contains(s, ".[0]")) && (n == 1 || strings.Contains(s, "[1]"))
	if !bracket && !strings.Contains(s, "【0†") {
		return false
	}
	c.in.Work.Spend(len(s) / searchBytes)
	return !strings.Contains(s, "["+strconv.Itoa(n)+"]") && !slices.ContainsFunc(c.in.Sources, func(src schemas.Source) bool {
		_, numbered := parsePosition(src.ID)
		return numbered
	})
}

// nextStart is the first byte from i on that a marker may start with, or the end of s.
func nextStart(s string, i int) int {
	for i < len(s) && !mayStart[s[i]] {
		i++
	}
	return i
}

// mayStart has the bytes that a marker may start with, and line breaks.
var mayStart = markerBytesTable() //nolint:gochecknoglobals // a read-only table

func markerBytesTable() (t [256]bool) {
	for _, b := range []byte("`[({<^:\n0123456789") {
		t[b] = true
	}
	for _, s := range []string{"¹", "⁴", "【", "（"} {
		t[s[0]] = true
	}
	return t
}

// readAt reads a marker, code or a single byte at i, and returns the next position.
func (c *Markers) readAt(i int, lineStart bool) int {
	s := c.in.Answer
	switch b := s[i]; {
	case b == '`':
		c.in.Work.Spend(bracketCost)
		return skipCode(s, i)
	case b == '[':
		return c.readBracket(i, lineStart, "[", "]")
	case b == '(':
		return c.readParenthesis(i, "(", ")")
	case b == '<':
		return c.readTag(i)
	case b == '{':
		return c.readBrace(i)
	case b == '^':
		return c.readCaret(i)
	case b == ':':
		return c.readAddress(i)
	case '0' <= b && b <= '9':
		return c.readNumber(i, lineStart)
	case b >= 0x80:
		return c.readWide(i, lineStart)
	default:
		return i + 1
	}
}

// readWide reads a marker that starts with the non-ASCII character at i.
func (c *Markers) readWide(i int, lineStart bool) int {
	switch rest := c.in.Answer[i:]; {
	case hasPrefix(rest, "（"):
		return c.readParenthesis(i, "（", "）")
	case hasPrefix(rest, "【"):
		return c.readLenticular(i)
	case hasPrefix(rest, "［"):
		return c.readBracket(i, lineStart, "［", "］")
	default:
		return c.readSuperscript(i, lineStart)
	}
}

// enclosed is the text between the brackets at i, and its end with the closing one. ok is false if there is none.
func (c *Markers) enclosed(i int, open, shut string) (content string, end int, ok bool) {
	c.brackets++
	c.in.Work.Spend(bracketCost)
	content, ok = enclosedText(c.in.Answer[i+len(open):], open, shut)
	return content, i + len(open) + len(content) + len(shut), ok
}

func (c *Markers) newMarker(start, end int, form string) Marker {
	return Marker{Start: start, End: end, Form: form, First: len(c.References)}
}

// addMarker adds the marker and returns its end.
func (c *Markers) addMarker(m Marker) int {
	m.Last = len(c.References)
	c.List = append(c.List, m)
	return m.End
}

// withdraw drops the references of a marker that is none.
func (c *Markers) withdraw(m *Marker) { c.References = c.References[:m.First] }

// dropWeak drops the weak markers of an answer that also cites in another form: an author cites in one form.
func (c *Markers) dropWeak() {
	weak, strong := 0, 0
	for i := range c.List {
		switch {
		case c.List[i].weak:
			weak++
		case c.List[i].Form != FormProse:
			strong++
		}
	}
	if weak == 0 || strong == 0 {
		return
	}
	kept := c.List[:0]
	for _, m := range c.List {
		if !m.weak {
			kept = append(kept, m)
		}
	}
	c.List = kept
}
