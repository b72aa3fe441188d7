package grounding

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func TestRelations(t *testing.T) {
	tests := map[string]struct {
		word string
		set  []string
		want Relation
	}{
		"a form":                {"criteria", []string{"house", "criterion"}, Form},
		"a synonym":             {"purchase", []string{"house", "buys"}, Synonym},
		"the other way":         {"buy", []string{"purchased"}, Synonym},
		"an opposite":           {"accepted", []string{"refuse"}, Opposite},
		"a wider term":          {"sedan", []string{"cars"}, Wider},
		"the closest counts":    {"big", []string{"small", "large"}, Synonym},
		"no relation":           {"purchase", []string{"house", "garden"}, Unrelated},
		"an unknown word":       {"xqzzy", []string{"buy"}, Unrelated},
		"the word itself":       {"buy", []string{"buy"}, Unrelated},
		"nothing to compare to": {"buy", nil, Unrelated},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var s Set
			s.Fill(text.AppendTokens(nil, strings.Join(tt.set, " ")), len(tt.set))
			require.Equal(t, tt.want, s.Relation(thesaurusStem(tt.word)))
		})
	}
}

func TestSetIsFilledAgain(t *testing.T) {
	var s Set
	words := text.AppendTokens(nil, "they will not buy 12 gardens")
	purchase := thesaurusStem("purchase")
	for _, tt := range []struct {
		tokens, most int
		want         Relation
	}{{len(words), 9, Synonym}, {3, 9, Unrelated}, {len(words), 1, Synonym}, {0, 9, Unrelated}, {len(words), 0, Unrelated}} {
		s.Fill(words[:tt.tokens], tt.most)
		require.Equal(t, tt.want, s.Relation(purchase), "%+v", tt)
		require.LessOrEqual(t, len(s.entries), min(2, tt.most), "stop words and numbers are left out")
	}
	require.Zero(t, testing.AllocsPerRun(20, func() {
		s.Fill(words, 9)
		s.Relation(purchase)
	}))
}

func TestEmbeddedWords(t *testing.T) {
	table := sharedTable()
	require.Greater(t, len(table.related), 70_000, "each pair in both directions")
	require.Less(t, len(table.related), 82_000)
	require.Empty(t, readWords([]byte("damaged")).related)
}
