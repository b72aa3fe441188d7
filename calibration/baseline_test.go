package calibration

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadRejectsAStatisticWithoutItsNumbers(t *testing.T) {
	t.Parallel()
	const head = "format: 1\nid: x\nbaselines:\n  - {model: m, mean: 1, stdev: 1, peak_mean: 1, peak_stdev: 1, n: 1, "
	for fields, want := range map[string]string{
		"statistic: median}":                         `baselines[0].statistic: "median" is not one of peak, mean, min_logprob, combined, or empty for peak`,
		"statistic: min_logprob}":                    "min_logprob needs min_logprob_mean and min_logprob_stdev: calibrate again",
		"statistic: combined, min_logprob_mean: -1}": "combined needs min_logprob_mean and min_logprob_stdev",
		"min_logprob_mean: 0.5}":                     "0.5 is not a log-probability",
		"min_logprob_mean: -.inf}":                   "baselines[0].min_logprob_mean: expected a number",
		"peak_mad: -1}":                              "-1 is not an entropy",
	} {
		_, err := Load(strings.NewReader(head + fields))
		require.ErrorContains(t, err, want)
	}
}
