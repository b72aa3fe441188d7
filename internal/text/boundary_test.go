package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/stretchr/testify/require"
)

// wholeWindow is boundary without its early end at the next full stop.
func (p *splitter) wholeWindow(i, after int) int {
	from := i
	for from > p.start {
		from--
		if utf8.RuneStart(p.s[from]) {
			break
		}
	}
	to := after
	for to < len(p.s) && to-after < stopWindow && breaks[p.s[to]] != lineEnd {
		to++
	}
	whole := to == len(p.s) || breaks[p.s[to]] == lineEnd
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

// FuzzBoundary holds the boundary behind each full stop against that of the whole window.
func FuzzBoundary(f *testing.F) {
	for _, s := range hostile() {
		f.Add(s)
	}
	for _, s := range []string{". ", "!) ", ". 。", "。", "5. 5a. ", "\xe2.", ". \xe2.\xf0\x9f", ".\u0301 ?\n", ") \u00ad. x"} {
		f.Add("A" + strings.Repeat(s, 100) + "b")
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := splitter{s: s}
		for i, r := range s {
			if breaks[s[i]] != fullStop && breaks[s[i]] != beyond {
				continue
			}
			after := i + max(1, utf8.RuneLen(r))
			if r == utf8.RuneError {
				after = i + 1
			}
			for after < len(s) && breaks[s[after]] == fullStop {
				after++
			}
			require.Equal(t, p.wholeWindow(i, after), p.boundary(i, after), "%q at %d", s, i)
		}
	})
}
