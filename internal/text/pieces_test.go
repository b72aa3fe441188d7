package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		marks []Mark[string]
		want  []Piece[string]
	}{
		"nothing":  {"", nil, nil},
		"no marks": {"abc", nil, []Piece[string]{{Text: "abc"}}},
		"one":      {"abc", []Mark[string]{{1, 2, "x"}}, []Piece[string]{{Text: "a"}, {"b", []string{"x"}}, {Text: "c"}}},
		"whole":    {"abc", []Mark[string]{{0, 3, "x"}}, []Piece[string]{{"abc", []string{"x"}}}},
		"overlap": {"abcd", []Mark[string]{{1, 4, "y"}, {0, 2, "x"}, {0, 2, "x"}}, []Piece[string]{
			{"a", []string{"x"}}, {"b", []string{"x", "y"}}, {"cd", []string{"y"}},
		}},
		"outside":            {"abc", []Mark[string]{{-5, 1, "x"}, {2, 99, "y"}, {7, 9, "z"}, {2, 1, "z"}}, []Piece[string]{{"a", []string{"x"}}, {Text: "b"}, {"c", []string{"y"}}}},
		"inside a character": {"aäb", []Mark[string]{{2, 3, "x"}}, []Piece[string]{{Text: "a"}, {"ä", []string{"x"}}, {Text: "b"}}},
		"end in a character": {"aäb", []Mark[string]{{0, 2, "x"}}, []Piece[string]{{"aä", []string{"x"}}, {Text: "b"}}},
	} {
		require.Equal(t, c.want, SplitMarked(c.text, c.marks), name)
	}
}
