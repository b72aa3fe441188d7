package format

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
)

var errECMA = errors.New("unknown escape in ECMA-262")

// ecmaSpace is the content of the character class \s of ECMA-262.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// FromECMA translates the syntax that differs between ECMA-262 and Go: \uXXXX, \u{X}, \cX, \s, \S, [] and [^]. Escapes that
// only Go has are errors.
func FromECMA(pattern string) (string, error) {
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		text, used := pattern[i:i+1], 1
		switch b := pattern[i]; {
		case b == '[' && class:
			text = `\[` // within a class it is a literal, never the opening of [:alpha:]
		case b == '[':
			text, used, class = openClass(pattern[i:])
		case b == ']':
			class = false
		case b == '\\' && i+1 < len(pattern):
			var ok bool
			if text, used, ok = ecmaEscape(pattern[i:], class); !ok {
				return "", errECMA
			}
		}
		out.WriteString(text)
		i += used - 1
	}
	return out.String(), nil
}

// openClass translates the bracket that s begins with. In ECMA-262 [] matches nothing and [^] anything.
func openClass(s string) (text string, used int, class bool) {
	switch {
	case strings.HasPrefix(s, "[]"):
		return `[^\x{0}-\x{10ffff}]`, 2, false
	case strings.HasPrefix(s, "[^]"):
		return `[\x{0}-\x{10ffff}]`, 3, false
	}
	return "[", 1, true
}

// ecmaEscape translates the escape that s begins with; used is its length.
func ecmaEscape(s string, class bool) (text string, used int, ok bool) {
	next := byte(' ') // the byte after the escaped character
	if len(s) > 2 {
		next = s[2]
	}
	switch b := s[1]; b {
	case 's', 'S', 'b':
		return ecmaSet(b, class), 2, true
	case 'u':
		return ecmaUnicode(s)
	case 'c':
		return `\x{` + strconv.FormatInt(int64(next&31), 16) + "}", 3, Class(next) == 'a'
	case '0':
		return `\x{0}`, 2, Class(next) != '0'
	case 'p', 'P':
		return s[:2], 2, next == '{'
	default:
		return s[:2], 2, Class(b) == 0 || strings.IndexByte("dDwWBfnrtvxk", b) >= 0
	}
}

// ecmaSet translates the escapes whose meaning differs within brackets.
func ecmaSet(b byte, class bool) string {
	switch {
	case b == 's' && class:
		return ecmaSpace
	case b == 's':
		return "[" + ecmaSpace + "]"
	case b == 'S' && !class:
		return "[^" + ecmaSpace + "]"
	case b == 'b' && class:
		return `\x{8}` // a backspace
	}
	return `\` + string(rune(b)) // \S within brackets keeps Go's ASCII meaning: a class cannot contain a negated class
}

// ecmaUnicode translates \uXXXX, including surrogate pairs, and \u{X}.
func ecmaUnicode(s string) (text string, used int, ok bool) {
	if strings.HasPrefix(s, `\u{`) {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0, false
		}
		_, err := strconv.ParseUint(s[3:end], 16, 21)
		return `\x{` + s[3:end] + "}", end + 1, err == nil
	}
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(s)
	if !ok {
		return "", 0, false
	}
	used = 6
	if low, pair := unit(s[6:]); pair && utf16.IsSurrogate(r) && utf16.IsSurrogate(low) {
		r, used = utf16.DecodeRune(r, low), 12
	}
	return `\x{` + strconv.FormatInt(int64(r), 16) + "}", used, true
}

// Class returns 'a' for an ASCII letter, '0' for a digit, 0 for anything else.
func Class(b byte) byte {
	switch {
	case 'a' <= b|0x20 && b|0x20 <= 'z':
		return 'a'
	case '0' <= b && b <= '9':
		return '0'
	}
	return 0
}

// SetsFlags reports whether the pattern contains inline flags such as (?i), which ECMA-262 lacks.
func SetsFlags(s string) bool {
	for found := true; found; {
		if _, s, found = strings.Cut(s, "(?"); found {
			after := strings.TrimLeft(s, "imsU-")
			if len(after) < len(s) && strings.HasPrefix(after, ")") {
				return true
			}
		}
	}
	return false
}

// WithoutBackReferences returns the pattern without its back-references.
func WithoutBackReferences(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out.WriteByte(s[i])
			continue
		}
		end := strings.IndexByte(s[i:], '>')
		switch next := s[i+1]; {
		case '1' <= next && next <= '9':
			i++
		case next == 'k' && end > 0:
			i += end
		default:
			out.WriteString(s[i : i+2])
			i++
		}
	}
	return out.String()
}
