package negatives

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestRows(t *testing.T) {
	rows := testCorpus()
	rows[0].Interaction.Logprobs = schemas.Logprobs{Values: []float32{-1}}
	rows[0].Samples = []schemas.Sample{{Answer: "x"}}
	pool := NewPool(rows)
	made := Rows(newRandom(3), &rows[0], pool, Options{Faults: 4, Preserving: 2, Pairs: 2})
	labels, ids := [2]int{}, map[string]bool{}
	for _, r := range made {
		labels[r.Label]++
		require.True(t, r.Labelled)
		require.Len(t, r.Spans, r.Label)
		require.Equal(t, "mill", r.Group)
		require.Equal(t, rows[0].Interaction.Sources, r.Interaction.Sources)
		require.Empty(t, r.Interaction.Logprobs.Values, "they belong to another answer")
		require.Empty(t, r.Samples)
		require.False(t, ids[r.Interaction.ID])
		ids[r.Interaction.ID] = true
		for _, s := range r.Spans {
			require.NotEqual(t, string(Copied), s.Type)
			require.LessOrEqual(t, s.End, len(r.Interaction.Answer))
		}
	}
	require.Equal(t, [2]int{4, 5}, labels, "one fault more than harmless copies")
	require.Empty(t, Rows(newRandom(3), &rows[0], pool, Options{}))
}

// TestDenialsAreRare bounds the share of negations among the faults.
func TestDenialsAreRare(t *testing.T) {
	kept, m := 0, rowMaker{rng: newRandom(1)}
	for range 300 {
		if m.keepsEdit(Edit{Kind: Negation, Answer: "It is not open.", Start: 3, End: 9}) {
			kept++
		}
		require.True(t, m.keepsEdit(Edit{Kind: Negation, Answer: "It is open.", Start: 3, End: 5}), "a denial taken back")
		require.True(t, m.keepsEdit(Edit{Kind: Name, Answer: "Not Bell", Start: 0, End: 8}), "another kind")
	}
	require.InDelta(t, 100, kept, 25)
}

func TestPairedExamples(t *testing.T) {
	rows := testCorpus()
	pool := NewPool(rows)
	for seed := range uint64(40) {
		for _, pair := range PairedExamples(newRandom(seed), &rows[0], pool, 3) {
			require.Contains(t, rows[0].Interaction.Sources[0].Text, pair.Supported)
			require.NotEqual(t, Foreign, pair.Faulty.Kind)
			requireOneChange(t, pair.Supported, pair.Faulty)
		}
	}
	require.Len(t, PairedExamples(newRandom(1), &rows[0], pool, 2), 2)
	require.Empty(t, PairedExamples(newRandom(1), &rows[0], pool, 0))

	rows[0].Interaction.Answer = "It opened in 1871 [1]."
	for _, pair := range PairedExamples(newRandom(1), &rows[0], pool, 3) {
		require.True(t, strings.HasSuffix(pair.Supported, " [1]."), pair.Supported)
	}
	rows[0].Interaction.Sources[0].Text = `{"name": "The mill of Ottersby was opened on 12 May 1871."}`
	require.Empty(t, PairedExamples(newRandom(1), &rows[0], pool, 3), "a record")
}
