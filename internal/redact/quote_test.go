package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func newWriter(replace func(string) string, hidden *redact.Mask) *redact.Writer {
	var w redact.Writer
	w.Begin(replace, hidden)
	return &w
}

func TestShort(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"empty":                      {"", ""},
		"exact":                      {"0123456789", "0123456789"},
		"longer":                     {"0123456789a", "0123456789..."},
		"characters":                 {"éééééééééé", "éééééééééé"},
		"characters, longer":         {"éééééééééß", "éééééééééß"},
		"lines":                      {"a\r\nb\tc\u00a0d\u2028e", "a  b c d e"},
		"control characters":         {"a\x00\x7f\u0085b\x1b[", "a b["},
		"bytes that are not UTF-8":   {"a\xff\xfeb\xff", "a\uFFFDb\uFFFD"},
		"broken around a control":    {"\xff\x00\xff", "\uFFFD\uFFFD"},
		"redacted before the cut":    {"x " + "a@b.example.org", "x [email]"},
		"dots where reading ends":    {strings.Repeat("\x00", redact.MaxRead+1), "..."},
		"ends within a control only": {"0123456789\x00\x01", "0123456789"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(redact.Redact, nil)
			require.Equal(t, tt.want, w.Short(tt.text, 10))
			require.Equal(t, tt.want, w.Short(tt.text, 10), "the same again")
		})
	}
}

func TestWords(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"fits":                      {" one two ", "one two"},
		"between words":             {"one two three", "one two..."},
		"at the space":              {"one two th ree", "one two th..."},
		"first half is one word":    {"one twothreefour", "one twothr..."},
		"starts with a line break":  {"\none", "one"},
		"one word":                  {"onetwothreefour", "onetwothre..."},
		"same text, other form too": {"one two three", "one two..."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(redact.Redact, nil)
			w.Short(tt.text, 10)
			require.Equal(t, tt.want, w.Words(tt.text, 10))
		})
	}
}

func TestQuotesAreMasked(t *testing.T) {
	hidden := redact.Of([]string{"Call +4915238471902 now."}, redact.Redact)
	w := newWriter(redact.Redact, hidden)
	require.Equal(t, "number [redacted]", w.Short("number 4915238471902", 100))
}

func TestAround(t *testing.T) {
	const s = "The hall opened in 1887. It has 300 seats, all of wood. Tickets cost 5 euros."
	at := strings.Index(s, "300")
	for name, tt := range map[string]struct {
		start, end int
		want       string
	}{
		"a figure":       {at, at + 3, "It has 300 seats, all of wood."},
		"two sentences":  {at, strings.Index(s, "5"), "It has 300 seats, all of wood. Tickets cost 5 euros."},
		"nothing":        {at, at, ""},
		"behind the end": {len(s) + 5, len(s) + 9, ""},
		"before":         {-4, 3, "The hall opened in 1887."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(strings.Clone, nil)
			from, to := w.Around(s, tt.start, tt.end)
			require.Equal(t, strings.TrimSpace(tt.want), strings.TrimSpace(s[from:to]))
		})
	}
}
