package calibration

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

func uncertain(n int, model, operation string, temperature, peak float64) []Row {
	rows := make([]Row, n)
	for i := range rows {
		u := detectors.Uncertainty{Tokens: 3, Mean: peak / 2, Peak: peak + float64(i%2)*0.2}
		rows[i] = Row{Model: model, Operation: operation, Temperature: temperature, Uncertainty: u}
	}
	return rows
}

func TestFitBaselines(t *testing.T) {
	t.Parallel()
	bad, silent := uncertain(50, "m", "qa", 0, 9), uncertain(50, "m", "qa", 0, 9)
	for i := range bad {
		bad[i].Positive, silent[i].Uncertainty = true, detectors.Uncertainty{}
	}
	rows := slices.Concat(bad, silent,
		uncertain(20, "m", "qa", 0, 1), uncertain(30, "m", "chat", 0, 2), uncertain(5, "m", "chat", 0.7, 3),
		uncertain(19, "rare", "qa", 0, 1), uncertain(25, "single", "qa", 0, 1))
	fitted, unfitted := FitBaselines(rows, 0)
	type entry struct {
		model, operation string
		band             Band
		n                int
	}
	var got []entry
	for _, b := range fitted {
		got = append(got, entry{b.Model, b.Operation, b.TemperatureBand, b.N})
	}
	// A coarser key stands where it pools more than a finer one: chat at any temperature, any operation at zero, any.
	require.Equal(t, []entry{
		{"m", "", AnyBand, 55},
		{"m", "", BandZero, 50},
		{"m", "chat", AnyBand, 35},
		{"m", "chat", BandZero, 30},
		{"m", "qa", BandZero, 20},
		{"single", "qa", BandZero, 25},
	}, got)
	require.Equal(t, []UnfittedKey{{"m", "chat", BandMedium, 5}, {"rare", "qa", BandZero, 19}}, unfitted)
	require.InDelta(t, 1.1, fitted[4].PeakMean, 1e-9)
	require.InDelta(t, 0.103, fitted[4].PeakStdev, 1e-9)
	require.InDelta(t, 0.5, fitted[4].Mean, 1e-9)
	_, err := New(File{Format: Format, ID: "x", Baselines: fitted})
	require.NoError(t, err)

	fitted, unfitted = FitBaselines(rows, 100)
	require.Empty(t, fitted)
	require.Len(t, unfitted, 5)
}
