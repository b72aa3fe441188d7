package cells

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/synonyms"
	"confab/internal/text"
)

// TestKeptKeys requires that a key is read as if no other key had been read before. The first ones share one place.
func TestKeptKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"MaxLoadKg", "maxloadkg", "MAXLOADKG", "maxLoadKg", "", "price", "min_price", "kg", "kg load", strings.Repeat("MaxLoadKg", 9), strings.Repeat("maxloadkg", 9),
	}
	read := func(x *Index, key string) (Column, []keyWord) {
		c := x.newColumn(key, text.Hash(key))
		return c, x.Words[c.FirstWord:c.EndWord]
	}
	fresh := func() *Index {
		x := &Index{tokenizer: new(text.Tokenizer)}
		x.useSynonyms(synonyms.Default())
		return x
	}
	x := fresh()
	for _, before := range keys {
		for _, key := range keys {
			read(x, before)
			got, words := read(x, key)
			want, wantWords := read(fresh(), key)
			require.ElementsMatch(t, wantWords, words, "%q after %q", key, before)
			require.EqualValues(t, len(x.Words), got.EndWord)
			got.FirstWord, got.EndWord = want.FirstWord, want.EndWord
			require.Equal(t, want, got, "%q after %q", key, before)
		}
	}
	_, apart := read(x, "MaxLoadKg")
	_, joined := read(x, "maxloadkg")
	require.NotEqual(t, len(apart), len(joined), "letter case separates words")

	x.useSynonyms(&synonyms.Table{})
	_, words := read(x, "price")
	require.Equal(t, synonyms.NoConcept, words[0].Concept, "of the table in use")
}
