package calibrate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
)

func TestParsePeriod(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"30d": 30 * day, "1d": day, "400d": 400 * day, "36h": 36 * time.Hour, "90m": 90 * time.Minute} {
		got, err := ParsePeriod(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "d", "0d", "-3d", "401d", "99999999999999999999d", "1.5d", "30", "0h", "-1h", "9601h"} {
		_, err := ParsePeriod(text)
		require.ErrorContains(t, err, "such as 30d", text)
	}
}

func TestContradictingFlags(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(f *Flags){
		"--base-rate and --feedback contradict": func(f *Flags) { f.FromFeedback, f.GivenBaseRate = true, true },
	} {
		f := Flags{Options: Options{Files: []string{"a.jsonl"}, Out: "c.yaml"}}
		require.NoError(t, f.Validate())
		change(&f)
		require.ErrorContains(t, f.Validate(), want)
	}
}

func TestKeepDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keep, want string
		feedback   bool
	}{
		{"", "shipped", false}, {"", "", true}, {"none", "none", false}, {"a.yaml", "a.yaml", true},
	} {
		f := Flags{FromFeedback: c.feedback}
		f.Thresholds.Keep = c.keep
		f.SetDefaults()
		require.Equal(t, c.want, f.Thresholds.Keep)
	}
}

// Baselines that the labels do not give are kept; those that they give win.
func TestBaselinesAreKept(t *testing.T) {
	t.Parallel()
	base := func(model string, mean float64) calibration.Baseline {
		return calibration.Baseline{Model: model, Mean: mean, Stdev: 1, PeakMean: mean, PeakStdev: 1, N: 20}
	}
	old, err := calibration.New(calibration.File{Format: calibration.Format, ID: "old", Baselines: []calibration.Baseline{base("a", 1), base("b", 1)}})
	require.NoError(t, err)
	fitted := []calibration.Baseline{base("a", 2), base("c", 2)}
	require.Equal(t, []calibration.Baseline{base("a", 2), base("c", 2), base("b", 1)}, withKept(fitted, old))
	require.Equal(t, fitted, withKept(fitted, nil))
}
