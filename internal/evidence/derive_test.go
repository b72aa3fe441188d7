package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

func TestDerivable(t *testing.T) {
	read := func(s string) []figures.Figure { return figures.Append(nil, s, text.AppendTokens(nil, s)) }
	for _, tt := range []struct {
		figure, from string
		want         bool
	}{
		{"4 times", "6 hours", true},
		{"5 times", "6 hours", false},
		{"4 times", "3 months", true},
		{"96 euros", "12 euros for 8 people", true},
		{"97 euros", "12 euros for 8 people", false},
		{"20 %", "80 %", true},
		{"84 euros", "7 euros", true},
		{"1.2 billion", "1.2 million", false},
		{"10 January", "12 October 2026 and 90 days", true},
		{"18 January", "12 October 2026 and 90 days", false},
		{"15:30", "14:00 and 90 minutes", true},
		{"15:40", "14:00 and 90 minutes", false},
	} {
		f := read(tt.figure)
		require.Equal(t, tt.want, Derivable(&f[0], read(tt.from)), "%s from %s", tt.figure, tt.from)
	}
}
