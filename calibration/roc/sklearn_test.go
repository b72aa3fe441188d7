package roc

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The figures are those that scikit-learn and SciPy compute from the same rows; generate.py next to the data made them.
func TestScikitLearn(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/crosscheck/data.json")
	require.NoError(t, err)
	var data struct {
		Score  []float64
		Label  []int
		Wilson []struct{ Hits, Trials, Low, High float64 }
		Equal  struct{ Figures map[string]float64 }
	}
	require.NoError(t, json.Unmarshal(content, &data))
	require.Len(t, data.Score, 400)
	rows := make([]Scored, len(data.Score))
	for i := range data.Score {
		rows[i] = Scored{Score: data.Score[i], Positive: data.Label[i] == 1}
	}
	require.InDelta(t, data.Equal.Figures["auroc"], AUROC(rows), 1e-12)
	for _, w := range data.Wilson {
		low, high := Wilson(w.Hits/w.Trials, w.Trials)
		require.InDelta(t, w.Low, low, 1e-12)
		require.InDelta(t, w.High, high, 1e-12)
	}
}
