package text

import (
	"unicode"
	"unicode/utf8"
)

// PaddingAt is the length of the first character of s, and whether it is padding: white space, control, format and
// zero-width characters, fillers, and combining marks.
func PaddingAt(s string) (size int, pad bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return 1, c <= ' ' || c == 0x7f
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\u115f' || r == '\u1160' || r == '\u2800' || r == '\u3164' || r == '\uffa0':
		return size, true
	case unicode.IsLetter(r):
		return size, false
	default:
		return size, unicode.In(r, unicode.White_Space, unicode.Cf, unicode.Cc, unicode.M)
	}
}
