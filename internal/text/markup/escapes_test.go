package markup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func TestUnescape(t *testing.T) {
	for s, want := range map[string][]string{
		`{"a":"One.\nTwo\tthree"}`:                       {"a", "One", "Two", "three"},
		"```json\n{\"a\":\"One\\nTwo\"}\n```":            {"json", "a", "One", "Two"},
		`{"a":"caf\u00e9s, \u00c9t\u00e9 \u2013 x"}`:     {"a", "cafés", "Été", "x"},
		`["\u4f60\u597d", "don\u0027t", "\ud83d\ude00"]`: {"你好", "don't"},
		`{"a":"C:\\new \"x\" \u00zz \u00"}`:              {"a", "C", "new", "x", "u00zz", "u00"},
		`not JSON: \n`:                                   {"not", "JSON", "n"},
	} {
		out := Unescape(s)
		require.Len(t, out, len(s), s)
		tokens := text.AppendTokens(nil, out)
		require.Len(t, tokens, len(want), "%q", out)
		for i, w := range want {
			require.Equal(t, text.AppendTokens(nil, w)[0].Hash, tokens[i].Hash, "%q: %s", out, w)
		}
	}
	require.Equal(t, `{"a":"\`, Unescape(`{"a":"\`))
	require.Len(t, text.AppendSentences(nil, Blank(`{"a":"The fee is due in May\nThe rest is free"}`)), 2)
}
