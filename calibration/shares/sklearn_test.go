package shares

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
		Wilson []struct{ Hits, Trials, Low, High float64 }
	}
	require.NoError(t, json.Unmarshal(content, &data))
	for _, w := range data.Wilson {
		low, high := Wilson(w.Hits/w.Trials, w.Trials)
		require.InDelta(t, w.Low, low, 1e-12)
		require.InDelta(t, w.High, high, 1e-12)
	}
}
