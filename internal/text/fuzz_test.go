package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// hostileTexts are texts that are hard to split.
func hostileTexts() []string {
	return []string{
		"", " ", ".", "...", "a.b.c. D. e", "Dr. [1] U.S. (x). \"Q?\" no. Y", "1. A\n2) B\r\n- C\n\n# D",
		"fact.[1][2](source: a) Next.【1†b】 ok. ¹ end", "See http://x.y/?Q=A&b=1.5. \u2028 Foo", "我。你？他！[1] abc。",
		"caf\u0065\u0301 co\u00adop Ｐａｒ １２", "\xff\xfe. A \xc3", "e" + strings.Repeat("\u0301", 300), strings.Repeat("x", 500),
		"```go\na. B\n```\nThe end of it is here.", "The passages do not mention it, but cats sleep all day.",
		"Here is a summary in 78 words: cats sleep all day long.", "unable to answer", "y\xc7ʼ\xb4", "ʼ", "x [", "x. [1", "x. (source", "x. 【", "'. '", "I.",
		strings.Repeat(".)", 200) + "A", strings.Repeat("a.", 200), strings.Repeat("A. ", 200), strings.Repeat("! ", 200), strings.Repeat("[1]", 200),
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := int32(0)
		all := AppendSentences(nil, s)
		for i, p := range all {
			before := AppendSentencesBefore(nil, s, int(p.Start)+1)
			require.Greater(t, len(before), i)
			require.Equal(t, all[:len(before)], before)
			require.LessOrEqual(t, end, p.Start, "in order")
			require.Less(t, p.Start, p.End, "not empty")
			gap := s[end:p.Start]
			require.Empty(t, strings.TrimFunc(gap, unicode.IsSpace), "everything visible is covered")
			require.False(t, isSpace(s[p.Start]) || isSpace(s[p.End-1]), "trimmed")
			if utf8.ValidString(s) {
				require.True(t, utf8.ValidString(p.In(s)), "characters are whole")
			}
			end = p.End
		}
		require.Empty(t, strings.TrimFunc(s[end:], unicode.IsSpace), "everything visible is covered")
	})
}

func FuzzTokens(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s)
	}
	var keeping Tokenizer
	keeping.Keep()
	f.Fuzz(func(t *testing.T, s string) {
		var last Token
		tokens := AppendTokens(nil, s)
		require.Equal(t, tokens, keeping.Append(nil, s), "kept stems change nothing")
		for i, token := range tokens {
			require.Less(t, token.Start, token.End, "not empty")
			require.LessOrEqual(t, int(token.End), len(s))
			if token.Kind != Gram || last.Kind != Gram {
				require.LessOrEqual(t, last.End, token.Start, "only character pairs overlap")
			}
			require.True(t, i == 0 || last.Start < token.Start, "in order")
			if utf8.ValidString(s) {
				require.True(t, utf8.ValidString(token.In(s)), "characters are whole")
			}
			require.NotPanics(t, func() { Foreign.Key(&token, s) })
			last = token
		}
	})
}
