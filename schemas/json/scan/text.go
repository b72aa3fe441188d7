package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"confab/internal/recordformat"
)

// Patterns that search eight bytes at once.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// stopBytes marks the quotes, backslashes and control characters of eight bytes by their high bits. The lowest marked byte is
// exact; a borrow can only mark bytes above it.
func stopBytes(w uint64) uint64 {
	quoteOrControl := w ^ lowBits*('"'^' ') // at most a space, as control characters stay below it
	slash := w ^ lowBits*'\\'
	return ((quoteOrControl - lowBits*(' '+1)) | (slash - lowBits)) &^ w & highBits
}

// plainRunLength returns the length of the run at the start of b without a quote, a backslash or a control character. If
// ascii is false, the run may hold bytes above 0x7f.
func plainRunLength(b []byte) (n int, ascii bool) {
	var seen uint64
	rest := b
	for ; len(rest) >= 16; rest = rest[16:] {
		v, w := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		first, second := stopBytes(v), stopBytes(w)
		switch n = len(b) - len(rest); {
		case first != 0:
			return n + bits.TrailingZeros64(first)/8, (seen|v)&highBits == 0
		case second != 0:
			return n + 8 + bits.TrailingZeros64(second)/8, (seen|v|w)&highBits == 0
		}
		seen |= v | w
	}
	n = len(b) - len(rest)
	for ; n < len(b); n++ {
		c := b[n]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		seen |= uint64(c)
	}
	return n, seen&highBits == 0
}

// Text reads the next string, which the caller has seen to begin. The result points into the data, or into Scratch when
// escapes were resolved.
func (s *Scanner) Text() string {
	start := s.Pos + 1
	n, ascii := plainRunLength(s.data[start:])
	end := start + n
	if end < len(s.data) && s.data[end] == '"' {
		run := s.data[start:end]
		if !ascii && !s.validUTF8(start, run) {
			return ""
		}
		s.Pos = end + 1
		return recordformat.StringView(run)
	}
	return s.escaped(start, n, ascii)
}

// validUTF8 faults at the first byte of a run that is not UTF-8.
func (s *Scanner) validUTF8(start int, run []byte) bool {
	if utf8.Valid(run) {
		return true
	}
	at := 0
	for at < len(run) {
		r, size := utf8.DecodeRune(run[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	s.Pos = start + at
	s.Fault(ReasonBadUTF8, "text must be UTF-8")
	return false
}

// escaped reads a string with escapes into Scratch, run by run; at is just past the opening quote, and n and ascii are what
// plainRunLength says of the first run.
func (s *Scanner) escaped(at, n int, ascii bool) string {
	out, begin := s.Scratch, len(s.Scratch)
	for s.Err == nil {
		run := s.data[at : at+n]
		if !ascii && !s.validUTF8(at, run) {
			break
		}
		out = append(out, run...)
		at += n
		rest := s.data[at:]
		if len(rest) > 1 && rest[0] == '\\' && shortEscapes[rest[1]] != 0 {
			out = append(out, shortEscapes[rest[1]])
			at += 2
			n, ascii = plainRunLength(rest[2:])
			continue
		}
		s.Pos, s.Scratch = at, out
		switch {
		case len(rest) == 0:
			s.Fault(ReasonSyntax, "a string does not end")
		case rest[0] == '"':
			s.Pos++
			return recordformat.StringView(out[begin:])
		case rest[0] == '\\':
			at = s.escape(at + 1)
			out = s.Scratch
			n, ascii = plainRunLength(s.data[at:])
		default:
			s.Fault(ReasonControlCharacter, "write it as an escape")
		}
	}
	return ""
}

// escape resolves one escape that is not short into Scratch; at is just past the backslash. It returns the next position.
func (s *Scanner) escape(at int) int {
	switch {
	case at == len(s.data):
		s.Fault(ReasonSyntax, "a string does not end")
	case s.data[at] == 'u':
		return s.unicode(at + 1)
	default:
		s.Fault(ReasonSyntax, "no such escape")
	}
	return at
}

// shortEscapes are the characters that a letter or sign behind a backslash stands for.
//
//nolint:gochecknoglobals // read-only table
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// unicode resolves the digits of a \u escape, and the second half of a surrogate pair. An unpaired surrogate becomes
// U+FFFD and sets Repaired.
func (s *Scanner) unicode(at int) int {
	r, ok := hex4(s.data, at)
	if !ok {
		s.Fault(ReasonSyntax, "\\u needs four hexadecimal digits")
		return at
	}
	at += 4
	if utf16.IsSurrogate(r) {
		whole := rune(utf8.RuneError)
		if at+1 < len(s.data) && s.data[at] == '\\' && s.data[at+1] == 'u' {
			if low, ok := hex4(s.data, at+2); ok {
				whole = utf16.DecodeRune(r, low)
			}
		}
		if r = whole; r == utf8.RuneError {
			s.Repaired = true
		} else {
			at += 6
		}
	}
	s.Scratch = utf8.AppendRune(s.Scratch, r)
	return at
}

// hex4 returns the value of the four hexadecimal digits at data[at:].
func hex4(data []byte, at int) (r rune, ok bool) {
	if at+4 > len(data) {
		return 0, false
	}
	for _, c := range data[at : at+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// OptionalText reads a string, or null as "".
func (s *Scanner) OptionalText() string {
	switch s.Peek() {
	case '"':
		return s.Text()
	case 'n':
		s.literal("null")
	default:
		s.WrongType("a string")
	}
	return ""
}
