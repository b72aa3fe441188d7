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
		Threshold float64
		Score     []float64
		Label     []int
		Weight    []float64
		Wilson    []struct{ Hits, Trials, Low, High float64 }
		Equal     struct{ Figures map[string]float64 }
		Weighted  struct{ Figures map[string]float64 }
	}
	require.NoError(t, json.Unmarshal(content, &data))
	require.Len(t, data.Score, 400)
	equal, weighted := make([]Scored, len(data.Score)), make([]Scored, len(data.Score))
	for i := range data.Score {
		equal[i] = Scored{Score: data.Score[i], Positive: data.Label[i] == 1}
		weighted[i] = Scored{Score: data.Score[i], Positive: data.Label[i] == 1, Weight: data.Weight[i]}
	}
	require.InDelta(t, data.Equal.Figures["auroc"], AUROC(equal), 1e-12)
	for _, c := range []struct {
		rows []Scored
		want map[string]float64
	}{{equal, data.Equal.Figures}, {weighted, data.Weighted.Figures}} {
		at := At(c.rows, data.Threshold)
		require.InDelta(t, c.want["precision"], at.Precision, 1e-12)
		require.InDelta(t, c.want["recall"], at.Recall, 1e-12)
	}
	for _, w := range data.Wilson {
		low, high := Wilson(w.Hits/w.Trials, w.Trials)
		require.InDelta(t, w.Low, low, 1e-12)
		require.InDelta(t, w.High, high, 1e-12)
	}
}
