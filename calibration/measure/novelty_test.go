package measure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestNoveltyByHand(t *testing.T) {
	t.Parallel()
	sources := []schemas.Source{{Text: "The museum opened in 1902."}, {Text: "It shows 40 paintings, 博物館."}}
	for answer, want := range map[string]Novelty{
		"The museum opened in 1902.":           {},
		"The MUSEUM opened in 1903.":           {1. / 3, 1. / 3},
		"It opened in Oslo, with 40 drawings.": {1. / 2, 1}, // new: Oslo, drawings; known: opened, 40
		"No, it is":                            {2. / 3, 1}, // function words only: all of them count
		"paintings":                            {0, 0},
		"博物":                                   {0, 0},
		"博物園館":                                 {1. / 4, 1},
	} {
		got := measureNovelty(answer, sources)
		require.InDelta(t, want.Words, got.Words, 1e-12, answer)
		require.InDelta(t, want.Trigrams, got.Trigrams, 1e-12, answer)
	}
	for _, n := range []Novelty{measureNovelty("…", sources), measureNovelty("museum", nil), measureNovelty("museum", []schemas.Source{{}})} {
		require.True(t, math.IsNaN(n.Words) && math.IsNaN(n.Trigrams))
	}
}
