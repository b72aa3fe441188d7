package markedtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		marks []Mark
		want  []Piece
	}{
		"nothing":  {"", nil, nil},
		"no marks": {"abc", nil, []Piece{{Text: "abc"}}},
		"one":      {"abc", []Mark{{1, 2, "x"}}, []Piece{{Text: "a"}, {"b", []string{"x"}}, {Text: "c"}}},
		"whole":    {"abc", []Mark{{0, 3, "x"}}, []Piece{{"abc", []string{"x"}}}},
		"overlap": {"abcd", []Mark{{1, 4, "y"}, {0, 2, "x"}, {0, 2, "x"}}, []Piece{
			{"a", []string{"x"}}, {"b", []string{"x", "y"}}, {"cd", []string{"y"}},
		}},
		"outside":            {"abc", []Mark{{-5, 1, "x"}, {2, 99, "y"}, {7, 9, "z"}, {2, 1, "z"}}, []Piece{{"a", []string{"x"}}, {Text: "b"}, {"c", []string{"y"}}}},
		"inside a character": {"aäb", []Mark{{2, 3, "x"}}, []Piece{{Text: "a"}, {"ä", []string{"x"}}, {Text: "b"}}},
		"end in a character": {"aäb", []Mark{{0, 2, "x"}}, []Piece{{"aä", []string{"x"}}, {Text: "b"}}},
	} {
		require.Equal(t, c.want, SplitMarked(c.text, c.marks), name)
	}
}
