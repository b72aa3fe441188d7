package quality

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

// The figures, weighted or not, are those that scikit-learn computes from the same rows.
func TestScikitLearn(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/crosscheck/data.json")
	require.NoError(t, err)
	var data struct {
		Threshold     float64
		Score, Weight []float64
		Label         []int
		Equal         struct{ Figures map[string]float64 }
		Weighted      struct{ Figures map[string]float64 }
	}
	require.NoError(t, json.Unmarshal(content, &data))
	c, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "x", Thresholds: []calibration.Threshold{{Detector: "d", Threshold: data.Threshold, Armed: true}},
	})
	require.NoError(t, err)
	for name, want := range map[string]map[string]float64{"equal": data.Equal.Figures, "weighted": data.Weighted.Figures} {
		rows := make([]measure.Row, len(data.Score))
		for i := range rows {
			rows[i] = measure.Row{
				Dataset: "set", Group: strconv.Itoa(i), Model: strconv.Itoa(1 + i%3), Positive: data.Label[i] == 1,
				Signals: []measure.Signal{{Detector: "d", Score: data.Score[i], HasScore: true}},
			}
			if name == "weighted" {
				rows[i].Weight = data.Weight[i]
			}
		}
		report, err := Evaluate(rows, Options{Calibration: c, By: ByDataset})
		require.NoError(t, err)
		line := report.Lines[0]
		require.Equal(t, "d", line.Detector)
		for metric, figure := range map[string]Metric{
			"auroc": AUROC, "within_model": WithinModel, "found_in_5": FoundFive, "found_in_20": FoundTwenty, "found_in_50": FoundFifty,
			"f1": F1, "precision": Precision, "recall": Recall,
		} {
			require.Contains(t, want, metric)
			require.InDelta(t, want[metric], line.Figures[figure].Value, 1e-12, "%s %s", name, metric)
		}
	}
}
