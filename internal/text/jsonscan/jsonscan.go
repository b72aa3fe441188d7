// Package jsonscan steps through JSON text without decoding it. The text may be cut off, because sources are.
package jsonscan

import "strings"

// Scanner stands at a byte of the text.
type Scanner struct {
	JSON string
	At   int
}

// SkipSpace returns the place of the first byte from i on that is not white space.
func SkipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// Begins reports whether s begins like a JSON object or list.
func Begins(s string) bool {
	at := SkipSpace(s, 0)
	return at < len(s) && (s[at] == '{' || s[at] == '[')
}

// Next skips white space and separators and returns the byte there, 0 at the end.
func (p *Scanner) Next() byte {
	for p.At < len(p.JSON) {
		switch c := p.JSON[p.At]; c {
		case ' ', '\n', '\t', '\r', ',', ':':
			p.At++
		default:
			return c
		}
	}
	return 0
}

// Quoted skips the string that starts here and returns the raw text between its quotes. ok is false if its end is cut off.
func (p *Scanner) Quoted() (raw string, ok bool) {
	p.At++
	start, quote := p.At, -1
	for p.At < len(p.JSON) {
		if quote < p.At { // not found yet, or escaped
			next := strings.IndexByte(p.JSON[p.At:], '"')
			if next < 0 {
				break
			}
			quote = p.At + next
		}
		escape := strings.IndexByte(p.JSON[p.At:quote], '\\')
		if escape < 0 {
			p.At = quote + 1
			return p.JSON[start:quote], true
		}
		p.At += escape + 2
	}
	p.At = len(p.JSON)
	return p.JSON[start:], false
}

// Bare skips a number or word and returns it.
func (p *Scanner) Bare() string {
	start := p.At
	for p.At < len(p.JSON) && !endsBare(p.JSON[p.At]) {
		p.At++
	}
	return p.JSON[start:p.At]
}

func endsBare(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ',', '}', ']':
		return true
	default:
		return false
	}
}
