package records

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

// TestKeptKeys requires that a key is read as if no other key had been read before. The first ones share one place.
func TestKeptKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"GoodForKids", "goodforkids", "GOODFORKIDS", "goodForKids", "", "monday", "HOURS", strings.Repeat("GoodForKids", 9), strings.Repeat("goodforkids", 9),
	}
	r := &Index{tokenizer: new(text.Tokenizer)}
	for _, before := range keys {
		for _, key := range keys {
			r.readKey(before)
			got, want := r.readKey(key), (&Index{tokenizer: new(text.Tokenizer)}).readKey(key)
			require.Equal(t, key, string(got.key))
			require.ElementsMatch(t, want.words, got.words, "%q after %q", key, before)
			require.Equal(t, want.concept, got.concept, "%q after %q", key, before)
			require.Equal(t, want.day, got.day, "%q after %q", key, before)
			require.Equal(t, want.schedule, got.schedule, "%q after %q", key, before)
		}
	}
	require.NotEqual(t, r.readKey("goodforkids").words, (&Index{tokenizer: new(text.Tokenizer)}).readKey("GoodForKids").words, "letter case separates words")
}

// TestConceptsByWord requires that a claim with a phrase of a concept has the concept in its set.
func TestConceptsByWord(t *testing.T) {
	t.Parallel()
	require.Less(t, len(concepts), 32, "bits of a set")
	for i := range concepts {
		for _, phrase := range concepts[i].phrases {
			var tokens []text.Token
			for _, h := range phrase {
				tokens = append(tokens, text.Token{Hash: h, Stem: h})
			}
			var said claimWords
			said.read(tokens)
			require.True(t, said.concepts.has(int32(i)), concepts[i].key)
		}
	}
}
