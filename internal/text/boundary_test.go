package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/stretchr/testify/require"
)

// wholeWindow is unicodeBoundary without its early end at the next full stop.
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

// FuzzBoundary compares the boundary after each full stop with that of the whole window.
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
			if breakClasses[s[i]] != stopByte && breakClasses[s[i]] != nonASCIIByte {
				continue
			}
			after := i + max(1, utf8.RuneLen(r))
			if r == utf8.RuneError {
				after = i + 1
			}
			for after < len(s) && breakClasses[s[after]] == stopByte {
				after++
			}
			require.Equal(t, p.wholeWindow(i, after), p.unicodeBoundary(i, after), "%q at %d", s, i)
		}
	})
}
