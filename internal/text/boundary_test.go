package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/stretchr/testify/require"
)

// wholeWindow is the boundary after the full stop that a library of Unicode's rules finds.
func (p *sentenceSplitter) wholeWindow(i, after int) int {
	from := i
	for from > p.start {
		from--
		if utf8.RuneStart(p.s[from]) {
			break
		}
	}
	to := after
	for to < len(p.s) && to-after < stopWindow && breakClasses[p.s[to]] != lineEndByte {
		to++
	}
	whole := to == len(p.s) || breakClasses[p.s[to]] == lineEndByte
	for !whole && to > after && !utf8.RuneStart(p.s[to]) {
		to--
	}
	it, pos := sentences.FromString(p.s[from:to]), from
	for it.Next() {
		pos += len(it.Value())
		if pos >= after {
			break
		}
	}
	if pos < after || pos == to && !whole || hasWord(p.s[after:pos]) {
		return -1
	}
	return pos
}

// hasWord reports letters, digits or another full stop: a boundary after them does not belong to this full stop.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return strings.ContainsRune(".!?", r) || unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// FuzzBoundary requires that boundaries are in the text and between characters.
func FuzzBoundary(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s)
	}
	for _, s := range []string{". ", "!) ", ". 。", "。", "5. 5a. ", "\xe2.", ". \xe2.\xf0\x9f", ".\u0301 ?\n", ") \u00ad. x"} {
		f.Add("A" + strings.Repeat(s, 100) + "b")
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := sentenceSplitter{s: s}
		for i, r := range s {
			after := i + max(1, utf8.RuneLen(r))
			if r == utf8.RuneError {
				after = i + 1
			}
			if end := p.boundary(i, after); end >= 0 {
				require.True(t, after <= end && end <= len(s), "%q at %d", s, i)
				require.True(t, end == len(s) || !utf8.ValidString(s) || utf8.RuneStart(s[end]), "%q at %d", s, i)
			}
		}
	})
}
