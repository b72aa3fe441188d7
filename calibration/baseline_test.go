package calibration

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

// answers of which one number tells the label, as far apart as said.
func answers(n int, seed uint64, set func(u *detectors.Uncertainty, x float64), shift float64) []detectors.Uncertainty {
	random := rand.New(rand.NewPCG(seed, 1))
	list := make([]detectors.Uncertainty, n)
	for i := range list {
		list[i] = detectors.Uncertainty{Tokens: 3, Mean: random.Float64(), Peak: random.Float64(), MinLogprob: -random.Float64()}
		set(&list[i], shift)
	}
	return list
}

func TestChooseStatistic(t *testing.T) {
	t.Parallel()
	nothing := func(*detectors.Uncertainty, float64) {}
	peak := func(u *detectors.Uncertainty, x float64) { u.Peak += x }
	mean := func(u *detectors.Uncertainty, x float64) { u.Mean += x }
	lowest := func(u *detectors.Uncertainty, x float64) { u.MinLogprob -= x }
	both := func(u *detectors.Uncertainty, x float64) { peak(u, x); lowest(u, x) }
	for name, tt := range map[string]struct {
		tells func(*detectors.Uncertainty, float64)
		bad   int
		want  detectors.Statistic
	}{
		"the peak tells":           {peak, 60, "peak"},
		"the mean tells":           {mean, 60, "mean"},
		"the lowest logprob tells": {lowest, 60, "min_logprob"},
		"two tell more than one":   {both, 60, "combined"},
		"too few bad answers":      {mean, 19, "peak"},
		"good answers only":        {mean, 0, "peak"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good, bad := answers(60, 1, nothing, 0), answers(tt.bad, 2, tt.tells, 0.5)
			require.Equal(t, tt.want, ChooseStatistic(detectors.FitBaseline(good), good, bad))
		})
	}
}

func TestBaselineRoundTrip(t *testing.T) {
	t.Parallel()
	fitted := detectors.Baseline{
		Mean: 1, Stdev: 2, Median: 3, MAD: 4, PeakMean: 5, PeakStdev: 6, PeakMedian: 7, PeakMAD: 8,
		MinLogprobMean: -9, MinLogprobStdev: 10, Statistic: detectors.StatisticCombined, N: 11,
	}
	c, err := New(File{Format: Format, ID: "x", Baselines: []Baseline{NewBaseline("m", "qa", BandLow, fitted)}})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, Encode(&out, c.File()))
	back, err := Load(strings.NewReader(out.String()))
	require.NoError(t, err)
	b, why := back.Baseline("m", "qa", 0.3)
	require.Empty(t, why)
	require.Equal(t, fitted, *b)
}

func TestLoadRefusesAStatisticWithoutItsNumbers(t *testing.T) {
	t.Parallel()
	const head = "format: 1\nid: x\nbaselines:\n  - {model: m, mean: 1, stdev: 1, peak_mean: 1, peak_stdev: 1, n: 1, "
	for fields, want := range map[string]string{
		"statistic: median}":                         `baselines[0].statistic: "median" is none of peak, mean, min_logprob, combined, or empty for peak`,
		"statistic: min_logprob}":                    "min_logprob needs min_logprob_mean and min_logprob_stdev: calibrate again",
		"statistic: combined, min_logprob_mean: -1}": "combined needs min_logprob_mean and min_logprob_stdev",
		"min_logprob_mean: 0.5}":                     "0.5 is no logarithm of a probability",
		"min_logprob_mean: -.inf}":                   "-Inf is no logarithm of a probability",
		"peak_mad: -1}":                              "-1 is no entropy",
	} {
		_, err := Load(strings.NewReader(head + fields))
		require.ErrorContains(t, err, want)
	}
}
