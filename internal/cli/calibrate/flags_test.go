package calibrate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/detectors/confidence"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(o *thresholds.Options){
		"":                     func(*thresholds.Options) {},
		"--target-precision 0": func(o *thresholds.Options) { o.Target.Precision = 0 },
		"--min-fired 0":        func(o *thresholds.Options) { o.Target.MinFired = 0 },
	} {
		o := Options{Files: []string{"a.jsonl"}, Out: "c.yaml"}
		o.Choose = thresholds.Options{Target: roc.Target{Precision: 0.7, MinFired: 20}}
		change(&o.Choose)
		if want == "" {
			require.NoError(t, o.Validate(false))
			continue
		}
		require.ErrorContains(t, o.Validate(false), want)
	}
}

// Baselines that the labels do not give are kept; those that they give win.
func TestBaselinesAreKept(t *testing.T) {
	t.Parallel()
	base := func(model string, mean float64) calibration.Baseline {
		return calibration.Baseline{Model: model, Baseline: confidence.Baseline{Mean: mean, Stdev: 1, PeakMean: mean, PeakStdev: 1, N: 20}}
	}
	old, err := calibration.New(calibration.File{Format: calibration.Format, ID: "old", Baselines: []calibration.Baseline{base("a", 1), base("b", 1)}})
	require.NoError(t, err)
	fitted := []calibration.Baseline{base("a", 2), base("c", 2)}
	require.Equal(t, []calibration.Baseline{base("a", 2), base("c", 2), base("b", 1)}, withKept(fitted, old))
	require.Equal(t, fitted, withKept(fitted, nil))
}
