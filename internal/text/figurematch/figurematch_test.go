package figurematch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		answer, source string
		want           figurematch.Level
	}{
		{"1.2k visitors", "1,200 visitors", figurematch.Equal},
		{"twelve hundred visitors", "1200 visitors", figurematch.Equal},
		{"$3m", "3 million dollars", figurematch.Equal},
		{"five percent", "5 %", figurematch.Equal},
		{"3 km", "3000 meters", figurematch.Equal},
		{"90 minutes", "1.5 hours", figurematch.Equal},
		{"10 years", "120 months", figurematch.Equal},
		{"about 500", "497", figurematch.Rounded},
		{"500", "497", figurematch.Rounded},
		{"over 5", "7", figurematch.Rounded},
		{"under 10", "9.5", figurematch.Rounded},
		{"1.2 million", "1,234,567", figurematch.Rounded},
		{"4.5", "4.48", figurematch.Rounded},
		{"2020", "2020", figurematch.Equal},
		{"2000 people", "2,000 people", figurematch.Equal},
		{"January 5, 2020", "2020-01-05", figurematch.Equal},
		{"5 January", "2020-01-05", figurematch.Equal},
		{"January 5, 2020", "Jan. 5", figurematch.Rounded},
		{"in June", "June 3, 2001", figurematch.Equal},
		{"the 1990s", "1994", figurematch.Equal},
		{"on Sunday", "2022-01-16", figurematch.Equal},
		{"5 pm", "17:0", figurematch.Equal},
		{"9 am", "9:0", figurematch.Equal},
		{"9:00", "21:00", figurematch.Equal},
		{"before 4 p.m.", "15:47", figurematch.Rounded},
		{"before 4 p.m.", "14:47", figurematch.NoMatch},
		{"after 3 p.m.", "15:47", figurematch.Rounded},
		{"15:47:12", "15:47", figurematch.Equal},
		{"15:47:12", "15:47:50", figurematch.NoMatch},
		{"57 pounds", "26 kg", figurematch.Rounded},
		{"97 pounds", "26 kg", figurematch.NoMatch},
		{"half an hour", "30 minutes", figurematch.Equal},
		{"zwanzig", "20", figurematch.Equal},
		{"drei Jahre", "36 Monate", figurematch.Equal},
		{"just under 100,000", "96,957", figurematch.Rounded},

		{"knapp 1,3 km", "1.280 m", figurematch.Rounded},
		{"0.84 million", "842,300", figurematch.Rounded},

		{"12%", "12 people", figurematch.SameValue},
		{"$3.4 billion", "3,412", figurematch.SameValue},
		{"3,4 Milliarden", "3.412", figurematch.SameValue},
		{"30 billion", "30 million", figurematch.NoMatch},
		{"12 km", "12 miles", figurematch.NoMatch},
		{"12 km", "12 minutes", figurematch.SameValue},
		{"12 km", "15 km", figurematch.NoMatch},
		{"497", "about 500", figurematch.NoMatch},
		{"over 5", "4", figurematch.NoMatch},
		{"over 5", "50", figurematch.NoMatch},
		{"under 10", "12", figurematch.NoMatch},
		{"10", "12", figurematch.NoMatch},
		{"1987", "1986", figurematch.NoMatch},
		{"January 5", "February 5", figurematch.NoMatch},
		{"January 5, 2020", "January 5, 2021", figurematch.NoMatch},
		{"the 1990s", "1984", figurematch.NoMatch},
		{"on Monday", "2022-01-16", figurematch.NoMatch},
		{"on Monday", "on Tuesday", figurematch.NoMatch},
		{"5 pm", "5 am", figurematch.NoMatch},
		{"5 pm", "7:00", figurematch.NoMatch},
		{"passage 2", "2", figurematch.NoMatch},
		{"in 65 words", "65", figurematch.NoMatch},
	}
	for _, tt := range tests {
		t.Run(tt.answer+" and "+tt.source, func(t *testing.T) {
			answer, source := firstFigure(t, tt.answer), firstFigure(t, tt.source)
			require.Equal(t, tt.want, figurematch.Compare(&answer, &source))
		})
	}
}

func firstFigure(t *testing.T, s string) figures.Figure {
	t.Helper()
	found := figures.Append(nil, s, text.AppendTokens(nil, s))
	require.NotEmpty(t, found)
	return found[0]
}

func TestCompareForms(t *testing.T) {
	for _, tt := range []struct {
		answer, source string
		want           figurematch.Level
	}{
		{"1.250", "1,250", figurematch.Equal},
		{"2,000", "2", figurematch.NoMatch},
		{"25 °C", "77 °F", figurematch.Rounded},
		{"25 °C", "25 °F", figurematch.NoMatch},
		{"-5 °C", "5 °C", figurematch.NoMatch},
		{"5 %", "-5 %", figurematch.SameValue},
		{"3 months", "90 days", figurematch.Rounded},
		{"5 months", "90 days", figurematch.NoMatch},
		{"5700 seconds", "1.5 hours", figurematch.NoMatch},
		{"50 yen", "50 yuan", figurematch.SameValue},
		{"Q1 2024", "14 February 2024", figurematch.Equal},
		{"Q3 2024", "14 February 2024", figurematch.NoMatch},
		{"the 18th century", "1742", figurematch.Equal},
		{"the 17th century", "1742", figurematch.NoMatch},
		{"the 1800s", "the 19th century", figurematch.Equal},
		{"(555) 123-4567", "555-123-4567", figurematch.Equal},
		{"1.2.3", "1.2.4", figurematch.NoMatch},
		{"5", "1.2.5", figurematch.NoMatch},
	} {
		answer, source := firstFigure(t, tt.answer), firstFigure(t, tt.source)
		require.Equal(t, tt.want, figurematch.Compare(&answer, &source), "%s by %s", tt.answer, tt.source)
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"1,200 1.2k $3m 5%", "Jan. 5, 2020 2020-01-31T10:00", "9:0-19:0 9-5pm", "twenty-five hundred and a half", "5th of", "1/", "５％ ½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := text.AppendTokens(nil, s)
		last := int32(0)
		for _, g := range figures.Append(nil, s, tokens) {
			require.GreaterOrEqual(t, g.First, last, "figures are in order and apart")
			require.Greater(t, g.Last, g.First)
			require.LessOrEqual(t, int(g.Last), len(tokens))
			require.LessOrEqual(t, g.Start, tokens[g.First].Start) // the time of "2020-01-31T10:00"
			require.LessOrEqual(t, g.End, tokens[g.Last-1].End)
			require.False(t, math.IsNaN(g.Value))
			last = g.Last
			require.True(t, figurematch.Compare(&g, &g) >= figurematch.Rounded || g.Kind == figures.Label, "%+v meets itself", g)
		}
	})
}
