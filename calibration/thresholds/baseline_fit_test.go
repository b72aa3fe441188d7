package thresholds

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/detectors/confidence"
)

func uncertainRows(n int, model, operation string, temperature, peak float64) []measure.Row {
	rows := make([]measure.Row, n)
	for i := range rows {
		u := confidence.Uncertainty{Tokens: 3, Mean: peak / 2, Peak: peak + float64(i%2)*0.2}
		rows[i] = measure.Row{Model: model, Operation: operation, Temperature: temperature, Uncertainty: u}
	}
	return rows
}

func TestFitBaselines(t *testing.T) {
	t.Parallel()
	bad, silent := uncertainRows(50, "m", "qa", 0, 9), uncertainRows(50, "m", "qa", 0, 9)
	for i := range bad {
		bad[i].Positive, silent[i].Uncertainty = true, confidence.Uncertainty{}
	}
	rows := slices.Concat(bad, silent,
		uncertainRows(20, "m", "qa", 0, 1), uncertainRows(30, "m", "chat", 0, 2), uncertainRows(5, "m", "chat", 0.7, 3),
		uncertainRows(19, "rare", "qa", 0, 1), uncertainRows(25, "single", "qa", 0, 1))
	fitted, unfitted := FitBaselines(rows, 0)
	type entry struct {
		model, operation string
		band             calibration.Band
		n                int
	}
	var got []entry
	for _, b := range fitted {
		got = append(got, entry{b.Model, b.Operation, b.TemperatureBand, b.N})
	}
	// A coarser key is fitted where it pools more than a finer one.
	require.Equal(t, []entry{
		{"m", "", calibration.AnyBand, 55},
		{"m", "", calibration.BandZero, 50},
		{"m", "chat", calibration.AnyBand, 35},
		{"m", "chat", calibration.BandZero, 30},
		{"m", "qa", calibration.BandZero, 20},
		{"single", "qa", calibration.BandZero, 25},
	}, got)
	require.Equal(t, []UnfittedKey{{"m", "chat", calibration.BandMedium, 5}, {"rare", "qa", calibration.BandZero, 19}}, unfitted)
	require.InDelta(t, 1.1, fitted[4].PeakMean, 1e-9)
	require.InDelta(t, 0.103, fitted[4].PeakStdev, 1e-9)
	require.InDelta(t, 0.5, fitted[4].Mean, 1e-9)
	_, err := calibration.New(calibration.File{Format: calibration.Format, ID: "x", Baselines: fitted})
	require.NoError(t, err)

	fitted, unfitted = FitBaselines(rows, 100)
	require.Empty(t, fitted)
	require.Len(t, unfitted, 5)
}

func TestChooseStatistic(t *testing.T) {
	t.Parallel()
	nothing := func(*confidence.Uncertainty, float64) {}
	peak := func(u *confidence.Uncertainty, x float64) { u.Peak += x }
	mean := func(u *confidence.Uncertainty, x float64) { u.Mean += x }
	lowest := func(u *confidence.Uncertainty, x float64) { u.MinLogprob -= x }
	both := func(u *confidence.Uncertainty, x float64) { peak(u, x); lowest(u, x) }
	for name, tt := range map[string]struct {
		shift func(*confidence.Uncertainty, float64)
		bad   int
		want  confidence.Statistic
	}{
		"the peak differs":             {peak, 60, "peak"},
		"the mean differs":             {mean, 60, "mean"},
		"the lowest logprob differs":   {lowest, 60, "min_logprob"},
		"two separate better than one": {both, 60, "combined"},
		"too few bad answers":          {mean, 19, "peak"},
		"good answers only":            {mean, 0, "peak"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good, bad := randomUncertainties(60, 1, nothing, 0), randomUncertainties(tt.bad, 2, tt.shift, 0.5)
			require.Equal(t, tt.want, chooseStatistic(confidence.FitBaseline(good), good, bad))
		})
	}
}

// randomUncertainties makes answers in which one number differs by shift.
func randomUncertainties(n int, seed uint64, set func(u *confidence.Uncertainty, x float64), shift float64) []confidence.Uncertainty {
	random := rand.New(rand.NewPCG(seed, 1))
	list := make([]confidence.Uncertainty, n)
	for i := range list {
		list[i] = confidence.Uncertainty{Tokens: 3, Mean: random.Float64(), Peak: random.Float64(), MinLogprob: -random.Float64()}
		set(&list[i], shift)
	}
	return list
}

func TestBaselineRoundTrip(t *testing.T) {
	t.Parallel()
	fitted := confidence.Baseline{
		Mean: 1, Stdev: 2, Median: 3, MAD: 4, PeakMean: 5, PeakStdev: 6, PeakMedian: 7, PeakMAD: 8,
		MinLogprobMean: -9, MinLogprobStdev: 10, Statistic: confidence.StatisticCombined, N: 11,
	}
	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: "x", Baselines: []calibration.Baseline{newBaseline("m", "qa", calibration.BandLow, fitted)}})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, calibration.Encode(&out, c.File()))
	back, err := calibration.Load(strings.NewReader(out.String()))
	require.NoError(t, err)
	b, why := back.Baseline("m", "qa", 0.3)
	require.Empty(t, why)
	require.Equal(t, fitted, *b)
}
