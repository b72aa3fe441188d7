package thresholds

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

func newCalibration(t *testing.T, id string, thresholds ...calibration.Threshold) *calibration.Calibration {
	t.Helper()
	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: id, CreatedBy: "test", Thresholds: thresholds})
	require.NoError(t, err)
	return c
}

func armedThreshold(detector, operation string, at float64) calibration.Threshold {
	return calibration.Threshold{Detector: detector, Operation: operation, Threshold: at, Armed: true}
}

// 100 rows, half of them bad. Grounding goes from firing on 40 bad and 20 good ones to 30 and 5.
func TestCompareByHand(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(
		sampleRows(30, true, bothScores(0.9, 0.9)), sampleRows(10, true, bothScores(0.1, 0.6)), sampleRows(10, true, bothScores(-1, -1)),
		sampleRows(5, false, bothScores(0.9, 0.9)), sampleRows(15, false, bothScores(0.9, 0.6)), sampleRows(30, false, bothScores(0.1, 0.1)))
	rows = changedRows(func(r *measure.Row) { r.Operation = "qa" }, rows)
	old := newCalibration(t, "old", armedThreshold("citation", "", 0.5), armedThreshold("grounding", "", 0.5), armedThreshold("unknown", "", 0.5))
	next := newCalibration(t, "new", armedThreshold("citation", "", 0.5), armedThreshold("grounding", "", 0.8), calibration.Threshold{Detector: "grounding", Operation: "chat", Threshold: 1})
	d, err := Compare(rows, old, next, DiffOptions{})
	require.NoError(t, err)
	require.InDelta(t, 0.5, d.BadShare, 1e-12)
	require.Len(t, d.Changes, 2, "no rows of chat, no scores of the unknown one")
	ch := d.Changes[1]
	require.Equal(t, "grounding", ch.Detector)
	require.Equal(t, Limit{At: 0.5, Armed: true, Listed: true}, ch.Old)
	require.Equal(t, Limit{At: 0.8, Armed: true, Listed: true}, ch.New)
	require.Equal(t, 90, ch.Measured)
	require.Equal(t, 100, ch.Rows)
	require.InDelta(t, 0.6, ch.SharesFired[0], 1e-12)
	require.InDelta(t, 0.35, ch.SharesFired[1], 1e-12)
	require.InDelta(t, 40./60, ch.Before.Precision, 1e-12)
	require.InDelta(t, 30./35, ch.After.Precision, 1e-12)
	// Both fired on 30 bad and 20 good rows, and now on 30 and 5.
	require.InDelta(t, .5, d.Old.Share, 1e-9)
	require.InDelta(t, .6, d.Old.Precision, 1e-9)
	require.InDelta(t, .35, d.New.Share, 1e-9)
	require.InDelta(t, 30./35, d.New.Precision, 1e-9)
	require.Empty(t, d.Notes)

	// With one bad answer in ten: 30/50 of a tenth and 5/50 of nine tenths.
	d, err = Compare(rows, old, next, DiffOptions{BaseRate: 0.1})
	require.NoError(t, err)
	require.InDelta(t, 0.06+0.09, d.New.Share, 1e-9)
	require.InDelta(t, 0.06/0.15, d.New.Precision, 1e-9)
}

func TestCompareAKeyThatOnlyOneFileNames(t *testing.T) {
	t.Parallel()
	rows := changedRows(func(r *measure.Row) { r.Operation = "qa" }, sampleRows(10, true, groundingScore(0.6)), sampleRows(10, false, groundingScore(0.1)))
	old := newCalibration(t, "old", armedThreshold("grounding", "", 0.9))
	next := newCalibration(t, "new", armedThreshold("grounding", "", 0.9), armedThreshold("grounding", "qa", 0.5))
	d, err := Compare(rows, old, next, DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, Limit{At: 0.9, Armed: true}, d.Changes[1].Old, "the coarser key held")
	require.Equal(t, Limit{At: 0.5, Armed: true, Listed: true}, d.Changes[1].New)
	require.InDelta(t, 0.5, d.Changes[1].SharesFired[1], 1e-12)
	_, err = Compare(sampleRows(10, true, groundingScore(1)), old, next, DiffOptions{})
	require.ErrorIs(t, err, ErrLabels)
}

func TestCompareNotesDifferences(t *testing.T) {
	t.Parallel()
	a := calibration.File{Format: calibration.Format, ID: "a", Data: calibration.Data{Fingerprint: "aa", Rows: 10}}
	b := calibration.File{Format: calibration.Format, ID: "b", Data: calibration.Data{Fingerprint: "bb", Rows: 20}, Baselines: []calibration.Baseline{{Model: "m"}}}
	notes := strings.Join(differences(a, b), "\n")
	require.Contains(t, notes, "fitted on other labels (fingerprint aa, 10 rows) than these (bb, 20 rows): give the labels of both")
	require.Contains(t, notes, "the baselines of confidence differ")
	require.Empty(t, differences(a, a))
}
