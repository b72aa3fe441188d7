package redact_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                           "plain",
		"  two\r\n lines\t":               "two lines",
		"a\x1b[31mred\x1b[0m":             "ared",
		"a\u009b1mb":                      "ab",
		"a\x00b\x7fc\u0085d":              "abc d",
		"left\u202eright\u2066x":          "leftrightx",
		"zero\u200bwidth\ufeff":           "zerowidth",
		"e" + strings.Repeat("\u0301", 9): "e" + strings.Repeat("\u0301", 4),
		"\xff\xfe":                        "\ufffd\ufffd",
		"tag\U000e0041":                   "tag",
	} {
		require.Equal(t, want, redact.Visible(in, 100), "%q", in)
	}
	require.Equal(t, "abcd", redact.Visible("abcdefg", 3), "one more than the limit says that there is more")
}

func TestReveal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\nשלום é":  "plain\ttext\r\nשלום é",
		"pay \u202e05\u202c EUR": "pay [U+202E]05[U+202C] EUR",
		"\x1b[31mred":            "[U+001B][31mred",
		"a\u2066b\u2069":         "a[U+2066]b[U+2069]",
		"a\x00b\u009bc":          "a[U+0000]b[U+009B]c",
	} {
		require.Equal(t, want, redact.Reveal(in))
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e b", 10)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(0, limit%1000)
		v := redact.Visible(s, limit)
		require.True(t, utf8.ValidString(v))
		require.False(t, strings.ContainsFunc(v, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) || r != ' ' && unicode.IsSpace(r) }))
		require.LessOrEqual(t, utf8.RuneCountInString(v), limit+2)
	})
}
