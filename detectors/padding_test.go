package detectors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// faulty is an answer on which three detectors fire; the gap stands where padding can go.
func faulty(front, between, behind string) *schemas.Interaction {
	return &schemas.Interaction{
		Answer: "The " + front + "old stadium was opened in 1987 by Harold Quimby on the western bank of the river [1]." + between +
			" It seats 91,000 people and burned down twice in the last century [2]." + between +
			" Tickets are sold at https://tickets.stadium-of-quimby.zzzz/shop for 5 dollars [7]." + behind,
		Sources: []schemas.Source{
			{ID: "1", Text: "The old stadium was opened in 1962 on the eastern bank of the river. It was built by the city."},
			{ID: "2", Text: "The stadium seats 20,000 people. A new roof was fitted in 2006 by a local firm."},
		},
	}
}

func TestPaddingHidesNothing(t *testing.T) {
	s := standardSuite(t)
	s.opts.Thresholds = fixedThresholds{limit: 0.5}
	fired := func(in *schemas.Interaction) []string {
		e := s.Evaluate(t.Context(), in)
		defer e.Release()
		require.False(t, e.Truncated(), "padding is nothing that is lost")
		require.LessOrEqual(t, e.doc.Work().Spent(), int64(MaxWork/4))
		return append([]string{}, e.Fired()...)
	}
	want := fired(faulty("", "", ""))
	require.GreaterOrEqual(t, len(want), 3)
	for name, unit := range map[string]string{
		"spaces": " ", "tabs": "\t", "line feeds": "\n", "blank lines": " \r\n", "no-break spaces": "\u00a0", "wide spaces": "\u3000",
		"zero width": "\u200b", "byte order marks": "\ufeff", "mixed": " \u200b\n\u00a0", "combining marks": "\u0301",
	} {
		for size, n := range map[string]int{"200 kB": 200_000, "500 kB": 500_000, "900 kB": 900_000} {
			t.Run(name+", "+size, func(t *testing.T) {
				pad := repeated(unit, n)
				half := pad[:len(pad)/2/len(unit)*len(unit)]
				require.Equal(t, want, fired(faulty("", "", pad)), "behind")
				require.Equal(t, want, fired(faulty(pad+" ", "", "")), "in front")
				require.Equal(t, want, fired(faulty("", half, "")), "between sentences")
			})
		}
	}
}

func TestPaddingPushesNoSourceOut(t *testing.T) {
	in := faulty("", "", "")
	last := in.Sources
	in.Sources = nil
	for range MaxSources - len(last) {
		in.Sources = append(in.Sources, schemas.Source{Text: strings.Repeat(" \n", 30_000)})
	}
	in.Sources = append(in.Sources, last...)
	var d Document
	d.Reset(in)
	require.Equal(t, MaxSources, d.Sources())
	require.Equal(t, last[1].Text, d.Source(MaxSources-1))
	require.False(t, d.Truncated())
}

func TestAnswerAndSourcesShareTheLimit(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	sources := func(n, size int) (list []schemas.Source) {
		for range n {
			list = append(list, schemas.Source{Text: text(size)})
		}
		return list
	}
	for name, tt := range map[string]struct {
		in              schemas.Interaction
		answer, sources int // bytes that are measured
		cut             cutPart
	}{
		"both fit":                    {schemas.Interaction{Answer: text(100_000), Sources: sources(10, 10_000)}, 100_000, 100_000, 0},
		"a long answer":               {schemas.Interaction{Answer: text(300_000), Sources: sources(2, 10_000)}, 180_000, 20_000, cutAnswer},
		"an answer alone":             {schemas.Interaction{Answer: text(300_000)}, 200_000, 0, cutAnswer},
		"long sources":                {schemas.Interaction{Answer: text(1000), Sources: sources(50, 10_000)}, 1000, 199_000, cutSources},
		"both are long":               {schemas.Interaction{Answer: text(300_000), Sources: sources(50, 10_000)}, 100_000, 100_000, cutAnswer | cutSources},
		"one long source":             {schemas.Interaction{Answer: text(10), Sources: sources(1, 10_001)}, 10, 10_000, cutSources},
		"many sources":                {schemas.Interaction{Answer: text(10), Sources: sources(51, 1)}, 10, 50, cutSources},
		"blanks behind a long answer": {schemas.Interaction{Answer: text(200_000) + strings.Repeat(" ", 1000)}, 201_000, 0, 0},
		"blanks beyond the raw cap":   {schemas.Interaction{Answer: "x" + strings.Repeat(" ", maxRawAnswer) + "y"}, maxRawAnswer, 0, cutAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			var d Document
			d.Reset(&tt.in)
			total := 0
			for i := range d.Sources() {
				total += len(d.Source(i))
			}
			require.Len(t, d.Answer(), tt.answer)
			require.Equal(t, tt.sources, total)
			require.Equal(t, tt.cut, d.cut)
		})
	}
}
