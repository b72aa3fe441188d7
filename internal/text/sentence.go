package text

import (
	"unicode"
	"unicode/utf8"
)

// AppendSentences appends the sentences of s in order, without the white space around them. They do not overlap and cover
// everything else in s.
//
// Sentences end at the boundaries of UAX 29, except after abbreviations, initials and list numbers and inside URLs. A
// citation marker after a full stop belongs to the sentence before it. A line break ends a sentence unless the line was
// wrapped, so that headings, list items and table rows are separate.
func AppendSentences(dst []Span, s string) []Span {
	p := sentenceSplitter{s: s, dst: dst, start: -1}
	for i := 0; i < len(s); {
		switch c := breakClasses[s[i]]; c {
		case plainByte:
			if p.start < 0 {
				for i < len(s) && isSpace(s[i]) && breakClasses[s[i]] == plainByte {
					i++
				}
				if i == len(s) || breakClasses[s[i]] != plainByte {
					continue
				}
				p.start = i
			}
			for i+4 <= len(s) && breakClasses[s[i]]|breakClasses[s[i+1]]|breakClasses[s[i+2]]|breakClasses[s[i+3]] == plainByte {
				i += 4
			}
			for i < len(s) && breakClasses[s[i]] == plainByte {
				i++
			}
		case lineEndByte:
			i = p.endAtLine(i)
		case stopByte:
			i = p.endAtStop(i, i+1)
		default:
			i = p.readNonASCII(i)
		}
	}
	p.emit(len(s))
	return p.dst
}

// Classes of bytes for sentence boundaries.
const (
	plainByte = iota
	stopByte
	lineEndByte
	nonASCIIByte
)

var breakClasses = breakTable() //nolint:gochecknoglobals // a read-only table

func breakTable() (t [256]uint8) {
	t['.'], t['!'], t['?'] = stopByte, stopByte, stopByte
	t['\n'], t['\r'], t['\v'], t['\f'] = lineEndByte, lineEndByte, lineEndByte, lineEndByte
	for c := utf8.RuneSelf; c < 256; c++ {
		t[c] = nonASCIIByte
	}
	return t
}

// sentenceSplitter splits a text in one pass.
type sentenceSplitter struct {
	s     string
	dst   []Span
	start int // of the current sentence, -1 before its first visible character
}

// emit ends the current sentence at end.
func (p *sentenceSplitter) emit(end int) {
	if p.start < 0 {
		return
	}
	for end > p.start && isSpace(p.s[end-1]) {
		end--
	}
	if end > p.start {
		p.dst = append(p.dst, Span{Start: int32(p.start), End: int32(end)})
	}
	p.start = -1
}

// readNonASCII reads the non-ASCII character at i and returns the next position.
func (p *sentenceSplitter) readNonASCII(i int) int {
	r, size := utf8.DecodeRuneInString(p.s[i:])
	switch {
	case r == '\u2028' || r == '\u2029' || r == '\u0085':
		p.emit(i)
		return i + size
	case r >= 0x589 && unicode.Is(unicode.STerm, r):
		return p.endAtStop(i, i+size)
	case p.start < 0 && !unicode.IsSpace(r):
		p.start = i
	}
	return i + size
}

// endAtLine ends the sentence at the line break at i unless the line was wrapped, and returns the next position.
func (p *sentenceSplitter) endAtLine(i int) int {
	next := i + 1
	if p.s[i] == '\r' && next < len(p.s) && p.s[next] == '\n' {
		next++
	}
	if p.start >= 0 && !p.wrapped(i, next) {
		p.emit(i)
	}
	return next
}

// wrapWidth is the shortest wrapped line, in bytes.
const wrapWidth = 50

// wrapped reports whether the line that ends at end continues in the next one: it is long, does not end in punctuation, and
// the next starts in lower case.
func (p *sentenceSplitter) wrapped(end, next int) bool {
	if end-p.start < wrapWidth || next >= len(p.s) || p.s[next] < 'a' || p.s[next] > 'z' {
		return false
	}
	if next+1 < len(p.s) && (p.s[next+1] == '.' || p.s[next+1] == ')') {
		return false // the list item "a) …"
	}
	switch p.s[end-1] {
	case '.', '!', '?', ':', ';', '|', '`':
		return false
	default:
		return p.s[p.start] != '#' && p.s[p.start] != '|'
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Classes of ASCII characters for the rules of UAX 29.
const (
	closeChar    = 1 << iota // quotation marks and brackets
	spaceChar                // but not line ends
	continueChar             // a sentence goes on before it
	upperChar
	lowerChar
	digitChar
	stopChar
)

var sentenceClasses = sentenceTable() //nolint:gochecknoglobals // a read-only table

func sentenceTable() (t [utf8.RuneSelf]uint8) {
	for class, chars := range map[uint8]string{
		closeChar: "\"'()[]{}", spaceChar: " \t\v\f", continueChar: ",-:;", upperChar: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		lowerChar: "abcdefghijklmnopqrstuvwxyz", digitChar: "0123456789", stopChar: ".!?",
	} {
		for _, c := range chars {
			t[c] = class
		}
	}
	return t
}

// asciiBoundary is unicodeBoundary for the window s, whose full stop is s[stop:after]. ok is false if s is not ASCII. The
// names SB7 to SB11 are those of the rules of UAX 29.
func asciiBoundary(s string, stop, after int, whole bool) (pos int, ok bool) {
	seen := uint8(0)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return 0, false
		}
		if i >= after {
			seen |= sentenceClasses[s[i]]
		}
	}
	pos = after
	for pos < len(s) && sentenceClasses[s[pos]] == closeChar { // SB9
		pos++
	}
	for pos < len(s) && sentenceClasses[s[pos]] == spaceChar { // SB9, SB10
		pos++
	}
	switch {
	case pos < len(s) && !continues(s, stop, after, pos): // SB11
		return pos, true
	case !whole || seen&(upperChar|lowerChar|digitChar|stopChar) != 0:
		return -1, true
	default:
		return len(s), true
	}
}

// continues reports that the sentence goes on at s[pos], behind the full stop s[stop:after], quotation marks and spaces.
func continues(s string, stop, after, pos int) bool {
	next := sentenceClasses[s[pos]]
	if next&(continueChar|stopChar) != 0 { // SB8a
		return true
	}
	if s[after-1] != '.' {
		return false
	}
	if pos == after && after == stop+1 && stop > 0 && next == upperChar && sentenceClasses[s[stop-1]]&(upperChar|lowerChar) != 0 { // SB7
		return true
	}
	if pos == after && next == digitChar { // SB6
		return true
	}
	for pos < len(s) && sentenceClasses[s[pos]]&(upperChar|lowerChar|stopChar) == 0 {
		pos++
	}
	return pos < len(s) && sentenceClasses[s[pos]] == lowerChar // SB8
}
