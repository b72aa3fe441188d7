package quality

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
)

// identified gives the rows ids and returns what an earlier run with these scores of detector "one" said.
func identified(rows []measure.Row, score func(r *measure.Row) float64) map[RowKey]EarlierRow {
	earlier := map[RowKey]EarlierRow{}
	for i := range rows {
		rows[i].ID = fmt.Sprint("r", i)
		earlier[RowKey{"set", rows[i].ID}] = EarlierRow{Positive: rows[i].Positive, Scores: map[string]float64{"one": score(&rows[i])}}
	}
	return earlier
}

func comparedRows(t *testing.T, rows []measure.Row, earlier map[RowKey]EarlierRow) Difference {
	t.Helper()
	list, err := ComparePaired(rows, earlier, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByDataset, Resamples: 200, Seed: 1})
	require.NoError(t, err)
	require.Len(t, list, 1, "one detector has earlier scores")
	require.Equal(t, "one", list[0].Detector)
	return list[0]
}

func TestComparePaired(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewPCG(7, 7))
	for name, tt := range map[string]struct {
		earlier func(r *measure.Row) float64
		check   func(t *testing.T, d Difference)
	}{
		"the same scores do not differ": {
			func(r *measure.Row) float64 { return 3*r.Signals[0].Score - 1 },
			func(t *testing.T, d Difference) {
				require.InDelta(t, 0, d.Change.Value, tolerance)
				require.InDelta(t, 0, d.Change.Low, tolerance)
				require.InDelta(t, 0, d.Change.High, tolerance)
			},
		},
		"noise ranked worse": {
			func(*measure.Row) float64 { return noise.Float64() },
			func(t *testing.T, d Difference) {
				require.InDelta(t, 0.5, d.Before, 0.08)
				require.InDelta(t, d.Now-d.Before, d.Change.Value, tolerance)
				require.Positive(t, d.Change.Low)
				require.Greater(t, d.Change.High, d.Change.Value)
			},
		},
		"a little noise is within the interval": {
			func(r *measure.Row) float64 { return r.Signals[0].Score + 0.05*noise.NormFloat64() },
			func(t *testing.T, d Difference) {
				require.Negative(t, d.Change.Low)
				require.Positive(t, d.Change.High)
				require.Less(t, d.Change.High-d.Change.Low, 0.05, "narrower than the interval of one run")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows := randomRows(400)
			tt.check(t, comparedRows(t, rows, identified(rows, tt.earlier)))
		})
	}
}

// Rows without a score rank lowest, and rows of one run only are left out.
func TestComparePairedCountsAllRows(t *testing.T) {
	t.Parallel()
	rows := randomRows(300)
	earlier := identified(rows, func(r *measure.Row) float64 { return r.Signals[0].Score })
	for i := range rows[:100] {
		if rows[i].Positive {
			earlier[RowKey{"set", rows[i].ID}] = EarlierRow{Positive: true}
		}
	}
	for i := 200; i < 300; i++ {
		delete(earlier, RowKey{"set", rows[i].ID})
	}
	d := comparedRows(t, rows, earlier)
	require.Equal(t, 200, d.Rows)
	require.Greater(t, d.Change.Low, 0.1, "faulty rows without a score cost the earlier run")
}

func TestComparePairedRefusesOtherRows(t *testing.T) {
	t.Parallel()
	rows := randomRows(60)
	o := Options{Calibration: armedCalibration(t, "one", 0.7), By: ByDataset}
	_, err := ComparePaired(rows, map[RowKey]EarlierRow{{"set", ""}: {}}, o)
	require.ErrorContains(t, err, "no row has the id of one of the earlier run")
	earlier := identified(rows, func(*measure.Row) float64 { return 0 })
	was := earlier[RowKey{"set", "r7"}]
	was.Positive = !was.Positive
	earlier[RowKey{"set", "r7"}] = was
	_, err = ComparePaired(rows, earlier, o)
	require.ErrorContains(t, err, `row "r7" of set has another label`)
}
