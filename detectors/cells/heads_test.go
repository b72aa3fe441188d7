package cells

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadOver(t *testing.T) {
	t.Parallel()
	const table = "Text\n| name | price |\n|---|:--:|\n| Fir | 90 |\n| Larch | 140 |\n"
	for name, c := range map[string]struct{ s, at, want string }{
		"second row":      {table, "140", " price "},
		"first column":    {table, "Larch", " name "},
		"the head itself": {table, "price", ""},
		"text":            {table, "Text", ""},
		"no dashes":       {"| name | price |\n| Fir | 90 |\n", "90", ""},
		"no head":         {"| Fir | 90 |", "90", ""},
		"more cells":      {"| a |\n|---|\n| Fir | 90 |", "90", ""},
		"far":             {"| a | b |\n|--|--|\n" + strings.Repeat("| Fir | 8 |\n", 1000) + "| Fir | 90 |", "90", ""},
		"empty":           {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			start, end, read := HeadOver(c.s, strings.Index(c.s, c.at))
			require.Equal(t, c.want, c.s[start:max(start, end)])
			require.LessOrEqual(t, read, maxTable+100)
		})
	}
}
