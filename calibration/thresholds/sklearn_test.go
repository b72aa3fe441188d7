package thresholds

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The maps are those that scikit-learn fits to the same rows, to the four digits that a file keeps: Platt's with the same
// smoothed targets.
func TestScikitLearn(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/crosscheck/data.json")
	require.NoError(t, err)
	type maps struct {
		Platt struct{ A, B float64 }
	}
	var data struct {
		LogOdds         []float64 `json:"log_odds"`
		Label           []int
		Weight          []float64
		Equal, Weighted maps
	}
	require.NoError(t, json.Unmarshal(content, &data))
	for name, want := range map[string]maps{"equal": data.Equal, "weighted": data.Weighted} {
		rows := make([]riskRow, len(data.LogOdds)) // they ascend
		for i := range rows {
			rows[i] = riskRow{x: data.LogOdds[i], weight: 1, positive: data.Label[i] == 1}
			if name == "weighted" {
				rows[i].weight = data.Weight[i]
			}
		}
		platt := fitPlatt(rows)
		require.InDelta(t, want.Platt.A, platt.A, 1e-4, name)
		require.InDelta(t, want.Platt.B, platt.B, 1e-4, name)
	}
}
