package records

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	textclaims "confab/internal/text/claims"
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

// TestTopicsByWord requires that a claim with a phrase of a concept has the concept in its set.
func TestTopicsByWord(t *testing.T) {
	t.Parallel()
	require.Less(t, topics(1)<<len(concepts), topicOpening, "bits of a set")
	for i := range concepts {
		for _, phrase := range concepts[i].phrases {
			var tokens []text.Token
			for _, h := range phrase {
				tokens = append(tokens, text.Token{Hash: h, Stem: h})
			}
			var said claimWords
			said.read(tokens, &textclaims.Claim{Last: int32(len(tokens))})
			require.True(t, said.topics.has(int32(i)), concepts[i].key)
		}
	}
}
