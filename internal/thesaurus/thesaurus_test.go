package thesaurus

import (
	"testing"

	"github.com/stretchr/testify/require"
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
			s.Clear()
			for _, word := range tt.set {
				s.Add(stemOf(word))
			}
			require.Equal(t, tt.want, s.Relation(stemOf(tt.word)))
		})
	}
}

func TestSetIsUsedAgain(t *testing.T) {
	var s Set
	s.Clear()
	s.Add(stemOf("buy"))
	s.Clear()
	word := stemOf("purchase")
	require.Equal(t, Unrelated, s.Relation(word))
	require.Zero(t, testing.AllocsPerRun(20, func() {
		s.Clear()
		s.Add(word)
		s.Relation(word)
	}))
}

func TestEmbeddedWords(t *testing.T) {
	table := sharedTable()
	require.Greater(t, len(table.related), 70_000, "each pair in both directions")
	require.Less(t, len(table.related), 82_000)
	require.Empty(t, readWords([]byte("damaged")).related)
}
