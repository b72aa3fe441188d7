package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		answer, source string
		want           figures.MatchLevel
	}{
		{"1.2k visitors", "1,200 visitors", figures.Equal},
		{"twelve hundred visitors", "1200 visitors", figures.Equal},
		{"$3m", "3 million dollars", figures.Equal},
		{"five percent", "5 %", figures.Equal},
		{"3 km", "3000 meters", figures.Equal},
		{"90 minutes", "1.5 hours", figures.Equal},
		{"10 years", "120 months", figures.Equal},
		{"about 500", "497", figures.Rounded},
		{"500", "497", figures.Rounded},
		{"over 5", "7", figures.Rounded},
		{"under 10", "9.5", figures.Rounded},
		{"1.2 million", "1,234,567", figures.Rounded},
		{"4.5", "4.48", figures.Rounded},
		{"2020", "2020", figures.Equal},
		{"2000 people", "2,000 people", figures.Equal},
		{"January 5, 2020", "2020-01-05", figures.Equal},
		{"5 January", "2020-01-05", figures.Equal},
		{"January 5, 2020", "Jan. 5", figures.Rounded},
		{"in June", "June 3, 2001", figures.Equal},
		{"the 1990s", "1994", figures.Equal},
		{"on Sunday", "2022-01-16", figures.Equal},
		{"5 pm", "17:0", figures.Equal},
		{"9 am", "9:0", figures.Equal},
		{"9:00", "21:00", figures.Equal},

		{"12%", "12 people", figures.SameValue},
		{"12 km", "12 miles", figures.NoMatch},
		{"12 km", "12 minutes", figures.SameValue},
		{"12 km", "15 km", figures.NoMatch},
		{"497", "about 500", figures.NoMatch},
		{"over 5", "4", figures.NoMatch},
		{"over 5", "50", figures.NoMatch},
		{"under 10", "12", figures.NoMatch},
		{"10", "12", figures.NoMatch},
		{"1987", "1986", figures.NoMatch},
		{"January 5", "February 5", figures.NoMatch},
		{"January 5, 2020", "January 5, 2021", figures.NoMatch},
		{"the 1990s", "1984", figures.NoMatch},
		{"on Monday", "2022-01-16", figures.NoMatch},
		{"on Monday", "on Tuesday", figures.NoMatch},
		{"5 pm", "5 am", figures.NoMatch},
		{"5 pm", "7:00", figures.NoMatch},
		{"passage 2", "2", figures.NoMatch},
		{"in 65 words", "65", figures.NoMatch},
	}
	for _, tt := range tests {
		t.Run(tt.answer+" and "+tt.source, func(t *testing.T) {
			answer, source := firstFigure(t, tt.answer), firstFigure(t, tt.source)
			require.Equal(t, tt.want, figures.Compare(&answer, &source))
		})
	}
}

func firstFigure(t *testing.T, s string) figures.Figure {
	t.Helper()
	found := figures.Append(nil, s, text.AppendTokens(nil, s))
	require.NotEmpty(t, found)
	return found[0]
}
