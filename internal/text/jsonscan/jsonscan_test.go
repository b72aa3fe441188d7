package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/internal/text/jsonscan"
)

func TestScanner(t *testing.T) {
	t.Parallel()
	p := jsonscan.Scanner{JSON: ` {"a\"b": -1.5e3, "c": "d\`}
	p.At = jsonscan.SkipSpace(p.JSON, 0)
	require.Equal(t, byte('{'), p.Next())
	p.At++
	raw, ok := p.Quoted()
	require.True(t, ok)
	require.Equal(t, `a\"b`, raw)
	require.Equal(t, byte('-'), p.Next())
	require.Equal(t, "-1.5e3", p.Bare())
	require.Equal(t, byte('"'), p.Next())
	_, ok = p.Quoted()
	require.True(t, ok)
	require.Equal(t, byte('"'), p.Next())
	raw, ok = p.Quoted()
	require.False(t, ok, "cut off in an escape")
	require.Equal(t, `d\`, raw)
	require.Zero(t, p.Next())
	require.Empty(t, p.Bare())
}

// TestQuoted compares with a scan of each byte.
func TestQuoted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := `"` + rapid.StringOf(rapid.SampledFrom([]rune(`a\"ü`))).Draw(t, "text")
		end, closed := 1, false
		for ; end < len(s) && !closed; end++ {
			switch s[end] {
			case '\\':
				end++
			case '"':
				closed = true
			}
		}
		end = min(end, len(s))
		want := s[1:end]
		if closed {
			want = s[1 : end-1]
		}
		p := jsonscan.Scanner{JSON: s}
		raw, ok := p.Quoted()
		require.Equal(t, closed, ok)
		require.Equal(t, want, raw)
		require.Equal(t, end, p.At)
	})
}
