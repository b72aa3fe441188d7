package thresholds

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

// Two detectors that fire on a fifth of the good rows each: on the same rows, on different rows, or independently.
func TestJointRateAndIndependence(t *testing.T) {
	t.Parallel()
	const high, low = 0.9, 0.1
	bad := sampleRows(100, true, bothScores(high, high))
	alone := sampleRows(40, false, map[string]float64{"citation": -1, "grounding": low}) // two cannot fire on these: not counted
	for name, tc := range map[string]struct {
		good []measure.Row
		want calibration.Rule
	}{
		"the same rows": {
			slices.Concat(sampleRows(10, false, bothScores(high, high)), sampleRows(40, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0.2, JointHigh: 0.33, Independence: 0.04,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: 1, JointRate: 0.2}},
			},
		},
		"never the same": {
			slices.Concat(sampleRows(10, false, bothScores(high, low)), sampleRows(10, false, bothScores(low, high)), sampleRows(30, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0, JointHigh: 0.071, Independence: 0.04,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: -0.25}},
			},
		},
		"by chance": {
			slices.Concat(sampleRows(2, false, bothScores(high, high)), sampleRows(8, false, bothScores(high, low)),
				sampleRows(8, false, bothScores(low, high)), sampleRows(32, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0.04, JointHigh: 0.135, Independence: 0.04,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, JointRate: 0.04}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := calibrateRows(t, slices.Concat(bad, tc.good, alone), Options{})
			require.Empty(t, cmp.Diff(&tc.want, f.Rule))
		})
	}
}

func TestPhi(t *testing.T) {
	t.Parallel()
	// The textbook's table: (a d - b c) / √(row and column sums).
	require.InDelta(t, (20.*40-10*30)/math.Sqrt(30*70*50*50), phiCoefficient([2][2]float64{{40, 30}, {10, 20}}), 1e-12)
	require.InDelta(t, 0, phiCoefficient([2][2]float64{{40, 0}, {10, 0}}), 0, "one never fired")
}
