package fit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// foldRows are rows of 30 groups of three; the first two groups share the text of a source.
func foldRows() (rows []schemas.Labelled) {
	for g := range 30 {
		for k := range 3 {
			source := fmt.Sprintf("source of group %d", max(g, 1))
			rows = append(rows, schemas.Labelled{Dataset: "d", Group: fmt.Sprint("g", g), Interaction: schemas.Interaction{
				ID: fmt.Sprintf("%d-%d", g, k), Answer: fmt.Sprint("answer ", g, k), Sources: []schemas.Source{{Text: source}},
			}})
		}
	}
	return rows
}

func TestFoldsKeepSharedSourcesTogether(t *testing.T) {
	rows := foldRows()
	folds := Folds(rows, 5, 1)
	counts := map[int]int{}
	for i := range rows {
		require.Equal(t, folds[i-i%3], folds[i], "rows of one group")
		counts[folds[i]]++
	}
	require.Equal(t, folds[0], folds[3], "groups that share a source")
	require.Equal(t, map[int]int{0: 18, 1: 18, 2: 18, 3: 18, 4: 18}, counts)
}

func TestFoldsDoNotDependOnOrder(t *testing.T) {
	rows := foldRows()
	want := map[string]int{}
	for i, f := range Folds(rows, 5, 7) {
		want[rows[i].Interaction.ID] = f
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for i, f := range Folds(rows, 5, 7) {
		require.Equal(t, want[rows[i].Interaction.ID], f)
	}
	differ := false
	for i, f := range Folds(rows, 5, 8) {
		differ = differ || want[rows[i].Interaction.ID] != f
	}
	require.True(t, differ, "the seed decides")
}

// Equal answers are ordered by their questions and assigned to the same folds in every run.
func TestFoldsOfEqualAnswersAreDeterministic(t *testing.T) {
	t.Parallel()
	rows := make([]schemas.Labelled, 60)
	for i := range rows {
		rows[i].Dataset, rows[i].Group = "d", fmt.Sprint("g", i)
		rows[i].Interaction.Answer = "Paris."
		rows[i].Interaction.Messages = []schemas.Message{{Content: fmt.Sprint("question ", i/2)}}
	}
	want := Folds(rows, 5, 1)
	for range 20 {
		require.Equal(t, want, Folds(rows, 5, 1))
	}
}
