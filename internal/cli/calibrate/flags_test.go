package calibrate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/roc"
	"confab/calibration/thresholds"
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
