package calibrate

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/internal/golden"
)

// alertRows are 150 bad and 1,500 good rows of two data sets on which two detectors score equally.
func alertRows() (rows []measure.Row) {
	for _, part := range []struct {
		set            string
		n              int
		positive       bool
		score, logOdds float64
	}{
		{"support", 40, true, 0.9, 3},
		{"support", 40, true, 0.9, 1},
		{"support", 20, true, 0.1, -2},
		{"support", 2, false, 0.9, 3},
		{"support", 30, false, 0.9, 1},
		{"support", 968, false, 0.1, -2},
		{"sales", 20, true, 0.9, 3},
		{"sales", 30, true, 0.9, 1},
		{"sales", 1, false, 0.9, 3},
		{"sales", 499, false, 0.1, -2},
	} {
		for range part.n {
			r := measure.Row{
				Dataset: part.set, Task: "qa", Tenant: "default", Group: fmt.Sprint(len(rows)), Positive: part.positive,
				Measurable: "citation+grounding", Fused: part.logOdds,
			}
			for _, name := range []string{"citation", "grounding"} {
				r.Signals = append(r.Signals, measure.Signal{Detector: name, Score: part.score, HasScore: true})
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestPrintedAlerts(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]thresholds.AlertOptions{
		"alert":     {},
		"alert_few": {FalseAlarms: 0.0005},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r, err := thresholds.Calibrate(alertRows(), thresholds.Options{
				Alert: o, Fingerprint: "0123456789abcdef", Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
			})
			require.NoError(t, err)
			var out bytes.Buffer
			p := &calibrationPrinter{w: &out}
			p.alert(&r.Alert)
			require.NoError(t, p.err)
			for _, warning := range r.Warnings {
				fmt.Fprintf(&out, "warning: %s\n", warning)
			}
			golden.Equal(t, "testdata/"+name+".golden", out.String())
		})
	}
}
