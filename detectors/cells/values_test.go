package cells

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// TestFiguresOfProse requires that pairs of figures of two cells stay few: a long list of dates is no value.
func TestFiguresOfProse(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, maxValues, maxValues + 1, 5000} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{
			Answer: "It took two weeks.", Sources: []schemas.Source{{Text: `{"days": "` + strings.Repeat("2026-01-05 ", n) + `", "seats": 4}`}},
		})
		x := Of(&doc)
		require.Len(t, x.Cells, 2)
		want := n
		if n > maxValues {
			want = 0
		}
		require.EqualValues(t, want, x.Cells[0].EndFigure-x.Cells[0].FirstFigure)
		require.EqualValues(t, 1, x.Cells[1].EndFigure-x.Cells[1].FirstFigure, "the next cell")
		require.Len(t, x.Figures, want+1)
	}
}
