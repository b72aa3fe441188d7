package alerting

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
		{"a pair is never halved", "😀😀😀", 5, "😀😀…"},
		{"a pair is never halved, odd", "😀😀😀", 4, "😀…"},
		{"no room for anything", "abc", 1, "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := clamp(tt.in, tt.limit)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, units(got), tt.limit)
			require.Equal(t, got, clamp(got, tt.limit), "clamping twice changes nothing")
		})
	}
}

func TestEscape(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain", "abc", 10, "abc"},
		{"the three", "<a & b>", 40, "&lt;a &amp; b&gt;"},
		{"entities are text too", "&lt;", 40, "&amp;lt;"},
		{"exactly full", "<<", 8, "&lt;&lt;"},
		{"never inside an entity", "<<<", 8, "&lt;…"},
		{"nothing fits", "<<<", 3, "…"},
		{"quotes are not special", `"'`, 5, `"'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := escape(tt.in, tt.limit)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, units(got), tt.limit)
		})
	}
}
