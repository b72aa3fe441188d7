package thresholds

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

// fusedRows are rows on which citation and grounding score as given, with that log-odds of the risk.
func fusedRows(n int, positive bool, score, logOdds float64) []measure.Row {
	return changedRows(func(r *measure.Row) { r.Measurable, r.Fused = "citation+grounding", logOdds }, sampleRows(n, positive, bothScores(score, score)))
}

// formerCalibration has a minimum risk with its risk maps, for a model.
func formerCalibration(t *testing.T, model string) *calibration.Calibration {
	t.Helper()
	c, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "former", Model: model, Alert: &calibration.Alert{MinRisk: 0.8},
		Risk: []calibration.RiskMap{{A: 1, B: -0.25}},
	})
	require.NoError(t, err)
	return c
}

// A minimum risk is kept with its risk maps or dropped, never carried to others.
func TestMinimumRiskStaysWithItsRiskMaps(t *testing.T) {
	t.Parallel()
	few := slices.Concat(fusedRows(9, true, 0.9, 3), fusedRows(70, false, 0.1, -2))
	falling := slices.Concat(fusedRows(60, true, 0.9, -2), fusedRows(140, false, 0.1, 3))
	enough := slices.Concat(fusedRows(60, true, 0.9, 3), fusedRows(140, false, 0.1, -2))
	former, other := formerCalibration(t, "m"), formerCalibration(t, "another")
	bare := newCalibration(t, "bare")
	for _, tt := range []struct {
		name          string
		rows          []measure.Row
		keep          *calibration.Calibration
		kept, dropped bool
		fitted        bool // risk maps of the rows
	}{
		{"too few bad answers", few, former, true, false, false},
		{"too few, of another model", few, other, false, true, false},
		{"too few, nothing to keep", few, nil, false, false, false},
		{"too few, nothing in what is kept", few, bare, false, false, false},
		{"risks fall", falling, former, true, false, false},
		{"risks fall, of another model", falling, other, false, true, false},
		{"risks fall, nothing to keep", falling, nil, false, false, false},
		{"enough", enough, former, false, true, true},
		{"enough, of another model", enough, other, false, true, true},
		{"enough, nothing to keep", enough, nil, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, r := calibrateRows(t, tt.rows, Options{Keep: tt.keep, Model: "m"})
			require.Equal(t, tt.kept, r.RiskKeptFrom != "", r.NoRisk)
			require.Equal(t, tt.dropped, strings.Contains(strings.Join(r.Warnings, ""), "is dropped, since it belongs to other risk maps"))
			require.Equal(t, tt.kept, f.Alert != nil)
			require.Equal(t, tt.fitted || tt.kept, len(f.Risk) > 0)
			if tt.kept {
				require.Equal(t, former.File().Risk, f.Risk)
				require.Equal(t, former.File().Alert, f.Alert)
			}
		})
	}
}

// People's labels keep the pair in force, whatever file keeps thresholds.
func TestFeedbackKeepsTheMinimumInForce(t *testing.T) {
	t.Parallel()
	keep, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "keep", Alert: &calibration.Alert{MinRisk: 0.1}, Risk: []calibration.RiskMap{{A: 2}},
	})
	require.NoError(t, err)
	former := formerCalibration(t, "m")
	f, r := calibrateRows(t, slices.Concat(fusedRows(60, true, 0.9, 3), fusedRows(140, false, 0.1, -2)), Options{Keep: keep, Current: former})
	require.Equal(t, former.File().Risk, f.Risk)
	require.Equal(t, former.File().Alert, f.Alert)
	require.Equal(t, "former", r.RiskKeptFrom)
}

// Alerts that a calibration takes away, by hand: of 30, 10 no longer reach two detectors, 5 are below the minimum.
func TestCountLost(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(fusedRows(15, true, 0.9, 3), fusedRows(5, true, 0.9, 1), fusedRows(10, true, 0.6, 3), fusedRows(4, false, 0.9, 1), fusedRows(2, false, 0.9, 3))
	of := func(at, minRisk float64) Judged {
		c, err := calibration.New(calibration.File{
			Format: calibration.Format, ID: "old", Alert: &calibration.Alert{MinRisk: minRisk}, Risk: []calibration.RiskMap{{A: 1}},
			Thresholds: []calibration.Threshold{armedThreshold("citation", "", at), armedThreshold("grounding", "", at)},
		})
		require.NoError(t, err)
		return Judged{rows, c}
	}
	require.Equal(t, LostAlerts{OldID: "old", Wrong: 15, WrongOf: 30, Fine: 4, FineOf: 6}, CountLost(nil, of(0.5, 0.5), of(0.7, 0.9)))
	require.Zero(t, CountLost(nil, of(0.7, 0.9), of(0.5, 0.5)).Wrong)
}

func newCalibration(t *testing.T, id string, thresholds ...calibration.Threshold) *calibration.Calibration {
	t.Helper()
	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: id, CreatedBy: "test", Thresholds: thresholds})
	require.NoError(t, err)
	return c
}

func armedThreshold(detector, operation string, at float64) calibration.Threshold {
	return calibration.Threshold{Detector: detector, Operation: operation, Threshold: at, Armed: true}
}
