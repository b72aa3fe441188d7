package strictjson

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (p *jsonReader) stringValue() string {
	p.at++
	start := p.at
	for ; p.at < len(p.text); p.at++ {
		switch b := p.text[p.at]; {
		case b == '"':
			p.at++
			return p.text[start : p.at-1]
		case b == '\\':
			return p.escaped(start)
		case b < ' ':
			p.fail("a control character in a string")
			return ""
		}
	}
	p.fail("a string without an end")
	return ""
}

// escaped continues at the first escape of a string that began at start.
func (p *jsonReader) escaped(start int) string {
	out := []byte(p.text[start:p.at])
	for p.at < len(p.text) {
		switch b := p.text[p.at]; {
		case b == '"':
			p.at++
			return string(out)
		case b == '\\':
			if out = p.escape(out); p.err != nil {
				return ""
			}
		case b < ' ':
			p.fail("a control character in a string")
			return ""
		default:
			out = append(out, b)
			p.at++
		}
	}
	p.fail("a string without an end")
	return ""
}

func (p *jsonReader) escape(out []byte) []byte {
	const plain, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if p.at+1 >= len(p.text) {
		p.at = len(p.text)
		p.fail("a string without an end")
		return out
	}
	if i := strings.IndexByte(plain, p.text[p.at+1]); i >= 0 {
		p.at += 2
		return append(out, meaning[i])
	}
	r, ok := p.unicode()
	if !ok {
		if rest := p.text[p.at+1:]; len(rest) < 5 && rest[0] == 'u' && strings.Trim(rest[1:], "0123456789abcdefABCDEF") == "" {
			p.at = len(p.text) // the text ends within the escape
		}
		p.fail("an unknown escape in a string")
		return out
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		if low, ok := p.unicode(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				p.at += 6
				return utf8.AppendRune(out, pair)
			}
		}
	}
	return utf8.AppendRune(out, r) // a lone surrogate becomes U+FFFD
}

// unicode returns the code unit of the \uXXXX at the position.
func (p *jsonReader) unicode() (rune, bool) {
	if p.at+6 > len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(p.text[p.at+2:p.at+6], 16, 16)
	return rune(v), err == nil
}

func (p *jsonReader) number() any { return json.Number(p.numberText()) }

func (p *jsonReader) numberText() string {
	start := p.at
	p.skip("-")
	whole := p.at
	if n := p.digits(); n == 0 || n > 1 && p.text[whole] == '0' {
		p.fail("not a JSON number")
	}
	if p.skip(".") && p.digits() == 0 {
		p.fail("not a JSON number")
	}
	large := p.at-start > maxDigits
	if p.skip("eE") {
		p.skip("+-")
		exponent := p.at
		if p.digits() == 0 {
			p.fail("not a JSON number")
		}
		v, err := strconv.Atoi(p.text[exponent:p.at])
		large = large || err != nil || v > maxDigits
	}
	if large && p.err == nil {
		p.at = start
		p.fail("a number that JSON parsers cannot hold")
	}
	return p.text[start:p.at]
}

// skip skips one byte if it is in set.
func (p *jsonReader) skip(set string) bool {
	if p.err != nil || p.at >= len(p.text) || strings.IndexByte(set, p.text[p.at]) < 0 {
		return false
	}
	p.at++
	return true
}

func (p *jsonReader) digits() int {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}
