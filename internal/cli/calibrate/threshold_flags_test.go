package calibrate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/roc"
	"confab/calibration/thresholds"
)

func TestThresholdFlags(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	require.NoError(t, os.WriteFile(broken, []byte("format: 99"), 0o600))
	for name, tc := range map[string]struct {
		change func(f *ThresholdFlags)
		err    string
	}{
		"defaults":       {func(*ThresholdFlags) {}, ""},
		"precision 0":    {func(f *ThresholdFlags) { f.Options.Target.Precision = 0 }, "--target-precision 0"},
		"no fired rows":  {func(f *ThresholdFlags) { f.Options.Target.MinFired = 0 }, "--min-fired 0"},
		"base rate 1":    {func(f *ThresholdFlags) { f.Options.Alert.BaseRate = 1 }, "--base-rate 1"},
		"base rate 0":    {func(f *ThresholdFlags) { f.Options.Alert.BaseRate = 0 }, "--base-rate 0: write a share above 0"},
		"false alarms 0": {func(f *ThresholdFlags) { f.Options.Alert.FalseAlarms = 0 }, "--false-alarms 0"},
		"missing file":   {func(f *ThresholdFlags) { f.Keep = broken + "x" }, "--keep: "},
		"broken file":    {func(f *ThresholdFlags) { f.Keep = broken }, "--keep " + broken},
	} {
		t.Run(name, func(t *testing.T) {
			f := ThresholdFlags{Options: thresholds.Options{Target: roc.Target{Precision: 0.7, MinFired: 20}, Alert: thresholds.AlertOptions{BaseRate: 0.05, FalseAlarms: 0.01}}}
			tc.change(&f)
			_, err := f.Resolve()
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.err)
		})
	}
}

func TestThresholdFlagsKeep(t *testing.T) {
	f := ThresholdFlags{
		Keep:    KeepShipped,
		Options: thresholds.Options{Target: roc.Target{Precision: 0.7, MinFired: 20}, Alert: thresholds.AlertOptions{BaseRate: 0.05, FalseAlarms: 0.01}},
	}
	o, err := f.Resolve()
	require.NoError(t, err)
	require.NotNil(t, o.Keep)
	f.Keep = KeepNone
	o, err = f.Resolve()
	require.NoError(t, err)
	require.Nil(t, o.Keep)
}
