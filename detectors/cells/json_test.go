package cells

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/detectors"
	"confab/schemas"
)

// TestTokensRead requires that values have the same words and figures whether the document has read its sources before or
// not, also next to signs that continue a word or number, and to markers.
func TestTokensRead(t *testing.T) {
	t.Parallel()
	parts := []string{
		"[", "]", "{", "}", `"`, `"`, `\`, ":", ",", ", ", ".", "'", "-", " ", "\n", "(", ")", "【", "】", "1", "23", "1,000", "3.5", "(source 1", "U.S", "don't", "May",
		"null", "true", "kg", "é", "\u0301", "\u2019", "中文", "א", "²", "\xff", `"name": "Hannah Voss"`, `"n": [1,2,"3"]`, `"t": "seen [4] on 5 May 2024, 17:30"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var sources []schemas.Source
		for range rapid.IntRange(1, 3).Draw(t, "sources") {
			s := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
			sources = append(sources, schemas.Source{Text: `{"load": "` + s})
		}
		var before, unread detectors.Document
		before.Reset(&schemas.Interaction{Answer: "It is 4.", Sources: sources})
		unread.Reset(&schemas.Interaction{Answer: "It is 4.", Sources: sources})
		before.SourceTokens()
		require.NotNil(t, before.TokensRead(0))
		require.Nil(t, unread.TokensRead(0))
		got, want := Of(&before), Of(&unread)
		require.Equal(t, want.Cells, got.Cells)
		require.Equal(t, want.Columns, got.Columns)
		require.Equal(t, want.Words, got.Words)
		require.Equal(t, want.Figures, got.Figures)
		require.Equal(t, want.plain, got.plain)
	})
}
