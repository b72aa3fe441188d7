package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendSentences appends the sentences of s in order, without the white space around them. They do not overlap and cover
// everything else in s.
//
// Sentences end at the boundaries of UAX 29, except after abbreviations, initials and list numbers and inside URLs. A
// citation marker after a full stop belongs to the sentence before it. A line break ends a sentence unless the line was
// wrapped, so that headings, list items and table rows are separate.
func AppendSentences(dst []Span, s string) []Span { return AppendSentencesBefore(dst, s, len(s)) }

// AppendSentencesBefore is AppendSentences, but may leave out sentences that begin at or after stop.
func AppendSentencesBefore(dst []Span, s string, stop int) []Span {
	p := sentenceSplitter{s: s, dst: dst, start: -1}
	for i := 0; i < len(s); {
		switch c := breakClasses[s[i]]; c {
		case plainByte:
			if p.start < 0 {
				if i >= stop {
					return p.dst
				}
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

// Classes of characters for the rules of UAX 29; others are skipped.
const (
	closeChar    = 1 << iota // quotation marks and brackets
	spaceChar                // but not line ends
	continueChar             // a sentence goes on before it
	upperChar
	lowerChar
	letterChar // of a script without capitals
	digitChar
	stopChar
	endChar // of a line or the text
)

var sentenceClasses = sentenceTable() //nolint:gochecknoglobals // a read-only table

func sentenceTable() (t [utf8.RuneSelf]uint16) {
	for class, chars := range map[uint16]string{
		closeChar: "\"'()[]{}", spaceChar: " \t", continueChar: ",-:;", upperChar: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		lowerChar: "abcdefghijklmnopqrstuvwxyz", digitChar: "0123456789", stopChar: ".!?", endChar: "\n\r\v\f",
	} {
		for _, c := range chars {
			t[c] = class
		}
	}
	return t
}

// classAt is the class of the character at i and its size, endChar behind the last one.
func classAt(s string, i int) (class uint16, size int) {
	if i >= len(s) {
		return endChar, 0
	}
	if s[i] < utf8.RuneSelf {
		return sentenceClasses[s[i]], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

func classOf(r rune) uint16 {
	switch {
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upperChar
	case unicode.IsLower(r):
		return lowerChar
	case unicode.IsLetter(r):
		return letterChar
	case unicode.IsDigit(r):
		return digitChar
	case unicode.Is(unicode.STerm, r):
		return stopChar
	case unicode.In(r, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf, unicode.M, unicode.Cf): // marks go with what is before them
		return closeChar
	case unicode.In(r, unicode.Zl, unicode.Zp), r == '\u0085':
		return endChar
	case unicode.IsSpace(r):
		return spaceChar
	case unicode.Is(unicode.Pd, r), strings.ContainsRune("、，：،", r):
		return continueChar
	}
	return 0
}

// boundary is the position of the boundary after the full stop s[i:after] by the rules of UAX 29, whose names are SB6 to SB11; -1
// for none.
func (p *sentenceSplitter) boundary(i, after int) (pos int) {
	window := p.s[:min(len(p.s), after+stopWindow)]
	pos = after
	class, size := classAt(window, pos)
	for class == closeChar { // SB9
		pos += size
		class, size = classAt(window, pos)
	}
	for class == spaceChar { // SB9, SB10
		pos += size
		class, size = classAt(window, pos)
	}
	switch {
	case class == endChar:
		return p.endOf(window, pos)
	case class&(continueChar|stopChar) != 0: // SB8a
		for class&(upperChar|lowerChar|letterChar|digitChar|stopChar|endChar) == 0 {
			pos += size
			class, size = classAt(window, pos)
		}
		if class == endChar {
			return p.endOf(window, pos)
		}
		return -1
	case p.s[after-1] != '.': // SB11
		return pos
	case pos == after && class == digitChar: // SB6
		return -1
	case pos == after && after == i+1 && class == upperChar: // SB7
		if before, _ := utf8.DecodeLastRuneInString(p.s[max(p.start, i-utf8.UTFMax):i]); classOf(before)&(upperChar|lowerChar) != 0 {
			return -1
		}
	}
	for k := pos; ; k += size {
		switch class, size = classAt(window, k); {
		case class == lowerChar: // SB8
			return -1
		case class&(upperChar|letterChar|stopChar|endChar) != 0: // SB11
			return pos
		}
	}
}

// endOf is the boundary if nothing was found in the window up to pos: the end of the text or line, or none.
func (p *sentenceSplitter) endOf(window string, pos int) int {
	if pos == len(window) && pos < len(p.s) && breakClasses[p.s[pos]] != lineEndByte {
		return -1
	}
	return pos
}
