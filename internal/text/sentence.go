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
			i += plainRun(s[i:])
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

// plainRun is the length of plain bytes at the start of s, or less: it reads eight at a time and may stop at a tab.
func plainRun(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		v := load8(s, i)
		others := v | (v - ' '*eachByte) | ((v ^ '.'*eachByte) - eachByte) | ((v ^ '!'*eachByte) - eachByte) | ((v ^ '?'*eachByte) - eachByte)
		if others&highBits != 0 { // the first high bit is right: a borrow comes from such a byte and reaches later ones
			return i + leadingBits(others&highBits)/8
		}
	}
	return i
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

// Classes of bytes for the rules of UAX 29.
const (
	closeChar    = 1 << iota // quotation marks and brackets
	spaceChar                // but not line ends
	continueChar             // a sentence goes on before it
	upperChar
	lowerChar
	digitChar
	stopChar
	endChar // of a line, or a byte beyond ASCII
)

var sentenceClasses = sentenceTable() //nolint:gochecknoglobals // a read-only table

func sentenceTable() (t [256]uint8) {
	for class, chars := range map[uint8]string{
		closeChar: "\"'()[]{}", spaceChar: " \t", continueChar: ",-:;", upperChar: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		lowerChar: "abcdefghijklmnopqrstuvwxyz", digitChar: "0123456789", stopChar: ".!?", endChar: "\n\r\v\f",
	} {
		for _, c := range chars {
			t[c] = class
		}
	}
	for c := utf8.RuneSelf; c < 256; c++ {
		t[c] = endChar
	}
	return t
}

// asciiBoundary is unicodeBoundary as far as it follows from ASCII characters; ok is false if others decide. The names SB7 to
// SB11 are those of the rules of UAX 29.
func (p *sentenceSplitter) asciiBoundary(i, after int) (pos int, ok bool) {
	if p.s[i] >= utf8.RuneSelf || i > p.start && p.s[i-1] >= utf8.RuneSelf {
		return 0, false
	}
	window := p.s[:min(len(p.s), after+stopWindow)]
	pos = after
	for pos < len(window) && sentenceClasses[window[pos]] == closeChar { // SB9
		pos++
	}
	for pos < len(window) && sentenceClasses[window[pos]] == spaceChar { // SB9, SB10
		pos++
	}
	next := classAt(window, pos)
	switch {
	case next == endChar:
		return p.windowEnd(pos, after)
	case next&(continueChar|stopChar) != 0: // SB8a
		for next&(upperChar|lowerChar|digitChar|stopChar|endChar) == 0 {
			pos++
			next = classAt(window, pos)
		}
		if next == endChar {
			return p.windowEnd(pos, after)
		}
		return -1, true
	case p.s[after-1] != '.': // SB11
		return pos, true
	case pos == after && (next == digitChar || // SB6, SB7
		after == i+1 && i > p.start && next == upperChar && sentenceClasses[p.s[i-1]]&(upperChar|lowerChar) != 0):
		return -1, true
	}
	for k := pos; ; k++ {
		switch class := classAt(window, k); {
		case class == lowerChar: // SB8
			return -1, true
		case class == endChar:
			return pos, k == len(window) || window[k] < utf8.RuneSelf
		case class&(upperChar|stopChar) != 0: // SB11
			return pos, true
		}
	}
}

// classAt is the class of the byte at i, endChar behind the last one.
func classAt(s string, i int) uint8 {
	if i == len(s) {
		return endChar
	}
	return sentenceClasses[s[i]]
}

// windowEnd is the boundary of asciiBoundary if nothing was found up to pos: the end of the text or line, or none.
func (p *sentenceSplitter) windowEnd(pos, after int) (end int, ok bool) {
	if pos == len(p.s) || breakClasses[p.s[pos]] == lineEndByte {
		return pos, true
	}
	return -1, pos == after+stopWindow
}
