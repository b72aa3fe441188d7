package text

import (
	"unicode"
	"unicode/utf8"
)

// AppendSentences appends the sentences of s in order, without the white space around them. Together they cover
// everything else in s, and they do not overlap.
//
// Unicode's sentence boundaries (UAX 29) decide; a merge pass takes back those after abbreviations, initials, list
// numbers and inside URLs, lets a citation marker after a full stop belong to the sentence before it, and joins lines
// that were wrapped in the middle of a sentence. Any other line break ends a sentence, so headings, list items and table
// rows stand alone.
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

// Classes of bytes in the search for boundaries.
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

// sentenceSplitter walks a text once.
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

// readNonASCII looks at the character beyond ASCII at i.
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

// endAtLine ends the sentence at the line break at i unless the line was merely wrapped there.
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

// wrapWidth is how long a line must be, in bytes, for its end to be taken for a wrap.
const wrapWidth = 50

// wrapped reports whether the line that ends at end goes on in the one that starts at next: it is long, it does not end
// in punctuation, and the next goes on in lower case.
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
