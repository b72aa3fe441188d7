package detectors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestPaddingDoesNotCount(t *testing.T) {
	in := &schemas.Interaction{}
	last := []schemas.Source{{Text: "The old stadium was opened in 1962."}, {Text: "The stadium seats 20,000 people."}}
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

func TestAnswerAndSourcesShareLimit(t *testing.T) {
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
		"both fit":                   {schemas.Interaction{Answer: text(100_000), Sources: sources(10, 10_000)}, 100_000, 100_000, 0},
		"a long answer":              {schemas.Interaction{Answer: text(300_000), Sources: sources(2, 10_000)}, 180_000, 20_000, cutAnswer},
		"an answer alone":            {schemas.Interaction{Answer: text(300_000)}, 200_000, 0, cutAnswer},
		"long sources":               {schemas.Interaction{Answer: text(1000), Sources: sources(50, 10_000)}, 1000, 199_000, cutSources},
		"both are long":              {schemas.Interaction{Answer: text(300_000), Sources: sources(50, 10_000)}, 100_000, 100_000, cutAnswer | cutSources},
		"one long source":            {schemas.Interaction{Answer: text(10), Sources: sources(1, 10_001)}, 10, 10_000, cutSources},
		"many sources":               {schemas.Interaction{Answer: text(10), Sources: sources(51, 1)}, 10, 50, cutSources},
		"blanks after a long answer": {schemas.Interaction{Answer: text(200_000) + strings.Repeat(" ", 1000)}, 201_000, 0, 0},
		"blanks beyond the raw cap":  {schemas.Interaction{Answer: "x" + strings.Repeat(" ", maxRawText) + "y"}, maxRawText, 0, cutAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			var d Document
			d.SetLimits(Limits{TextBytes: 200_000, Sources: 50, SourceBytes: 10_000})
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
