package card

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClamp(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"empty", "", 5, ""},
		{"fits", "abcde", 5, "abcde"},
		{"one over", "abcdef", 5, "abcd…"},
		{"far over", strings.Repeat("x", 10_000), 5, "xxxx…"},
		{"two bytes, one unit", "ééééé", 5, "ééééé"},
		{"two units each", "😀😀😀", 6, "😀😀😀"},
		{"a surrogate pair is not split", "😀😀😀", 5, "😀😀…"},
		{"a surrogate pair is not split, odd", "😀😀😀", 4, "😀…"},
		{"only space for the ellipsis", "abc", 1, "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Clamp(tt.in, tt.limit)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, UTF16Length(got), tt.limit)
			require.Equal(t, got, Clamp(got, tt.limit), "idempotent")
		})
	}
}
