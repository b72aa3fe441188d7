package support_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/support"
	"confab/schemas"
)

// TestPartsAreNotMissing finds the words for a part of something, and words for figures, in sources that give the figures.
func TestPartsAreNotMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer, source, word string
		missing              bool
	}{
		{"The ovens bake loaves, half of which are sourdough loaves.", "The ovens bake 2,987 loaves, of which 1,493 are sourdough.", "half", false},
		{"The ovens bake loaves, half of which are sourdough loaves.", "The ovens bake 2,987 loaves, of which 403 are sourdough.", "half", true},
		{"A quarter of the library items are for children.", "The library has 48,900 items; 12,225 items are for children.", "quarter", false},
		{"Die Hälfte der Beschäftigten arbeitet zu Hause.", "1.508 Beschäftigte nahmen teil. 754 der Beschäftigten arbeiten zu Hause.", "Hälfte", false},
		{"La moitié des arbres borde les canaux.", "La ville a 4 980 arbres, dont 2 490 arbres le long des canaux.", "moitié", false},
		{"The bakery bakes about 3,000 loaves a day.", "The bakery bakes 2,987 loaves a day.", "3,000", false},
		{"The bakery bakes about 4,000 loaves a day.", "The bakery bakes 2,987 loaves a day.", "4,000", true},
	} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: c.answer, Sources: []schemas.Source{{ID: "1", Text: c.source}}})
		index := support.Of(&doc)
		found := false
		for i, token := range doc.Tokens() {
			if token.In(c.answer) == c.word {
				found = true
				require.Equal(t, c.missing, index.IsMissing(int32(i)), "%s by %s", c.answer, c.source)
			}
		}
		require.True(t, found, c.word)
	}
}
