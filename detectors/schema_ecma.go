package detectors

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

var errECMA = errors.New("no such escape in ECMA-262")

// ecmaSpace is what \s matches in ECMA-262, within brackets.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// fromECMA rewrites what ECMA-262 and Go spell or mean differently: \uXXXX, \u{X}, \cX, \s, \S, [] and [^]. Escapes that
// only Go knows are errors.
func fromECMA(pattern string) (string, error) {
	if !strings.ContainsAny(pattern, `\[`) {
		return pattern, nil
	}
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '[' && !class:
			rest := pattern[i:]
			switch {
			case strings.HasPrefix(rest, "[]"):
				out.WriteString(`[^\x{0}-\x{10ffff}]`)
				i++
			case strings.HasPrefix(rest, "[^]"):
				out.WriteString(`[\x{0}-\x{10ffff}]`)
				i += 2
			default:
				class = true
				out.WriteByte(b)
			}
		case b == '[':
			out.WriteString(`\[`) // within a class it is itself, never the opening of [:alpha:]
		case b == ']':
			class = false
			out.WriteByte(b)
		case b == '\\' && i+1 < len(pattern):
			text, used, ok := ecmaEscape(pattern[i:], class)
			if !ok {
				return "", errECMA
			}
			out.WriteString(text)
			i += used - 1
		default:
			out.WriteByte(b)
		}
	}
	return out.String(), nil
}

// ecmaEscape translates the escape that s begins with; used is its length.
func ecmaEscape(s string, class bool) (text string, used int, ok bool) {
	switch b := s[1]; b {
	case 's':
		if class {
			return ecmaSpace, 2, true
		}
		return "[" + ecmaSpace + "]", 2, true
	case 'S':
		if class {
			return `\S`, 2, true // Go's: white space of ASCII only; a negated set cannot stand within a set
		}
		return "[^" + ecmaSpace + "]", 2, true
	case 'u':
		return ecmaUnicode(s)
	case 'c':
		if len(s) < 3 || classOf(s[2]) != 'a' {
			return "", 0, false
		}
		return `\x{` + strconv.FormatInt(int64(s[2]&31), 16) + "}", 3, true
	case '0':
		if len(s) > 2 && classOf(s[2]) == '0' {
			return "", 0, false
		}
		return `\x{0}`, 2, true
	case 'b':
		if class {
			return `\x{8}`, 2, true
		}
		return s[:2], 2, true
	case 'p', 'P':
		return s[:2], 2, len(s) > 2 && s[2] == '{'
	case 'd', 'D', 'w', 'W', 'B', 'f', 'n', 'r', 't', 'v', 'x', 'k':
		return s[:2], 2, true
	default:
		return s[:2], 2, classOf(b) == 0
	}
}

// ecmaUnicode translates \uXXXX, pairs of surrogates among them, and \u{X}.
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

// classOf is 'a' for an ASCII letter, '0' for a digit, 0 for anything else.
func classOf(b byte) byte {
	switch {
	case 'a' <= b|0x20 && b|0x20 <= 'z':
		return 'a'
	case '0' <= b && b <= '9':
		return '0'
	}
	return 0
}

// isRegex says whether a pattern is one of ECMA-262, what linear-time matching cannot express included. That takes a look
// without the assertions and back-references.
func isRegex(s string) bool {
	if len(s) > maxPattern || strings.Contains(s, "(?P") {
		return false
	}
	for i := strings.Index(s, "(?"); i >= 0 && i+2 < len(s); {
		flags := strings.TrimLeft(s[i+2:], "imsU-")
		if len(flags) < len(s)-i-2 && strings.HasPrefix(flags, ")") {
			return false // flags for the rest of the pattern are not ECMA's
		}
		next := strings.Index(s[i+2:], "(?")
		if next < 0 {
			break
		}
		i += 2 + next
	}
	s = strings.NewReplacer(`\\`, `\\`, "(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:").Replace(s)
	var plain strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			plain.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		end := strings.IndexByte(s[i:], '>')
		switch {
		case '1' <= next && next <= '9':
			i++
		case next == 'k' && end > 0:
			i += end
		default:
			plain.WriteString(s[i : i+2])
			i++
		}
	}
	translated, err := fromECMA(plain.String())
	if err != nil {
		return false
	}
	_, err = regexp.Compile(translated)
	return err == nil
}
