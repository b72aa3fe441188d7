package thresholds

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

func bothScores(citation, grounding float64) map[string]float64 {
	return map[string]float64{"citation": citation, "grounding": grounding}
}

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
				Rows: 50, JointRate: 0.2, JointHigh: 0.33, Independence: 0.04, Precision: roundFigure(100. / 110), Recall: 1,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: 1}},
			},
		},
		"never the same": {
			slices.Concat(sampleRows(10, false, bothScores(high, low)), sampleRows(10, false, bothScores(low, high)), sampleRows(30, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0, JointHigh: 0.071, Independence: 0.04, Precision: 1, Recall: 1,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: -0.25}},
			},
		},
		"by chance": {
			slices.Concat(sampleRows(2, false, bothScores(high, high)), sampleRows(8, false, bothScores(high, low)),
				sampleRows(8, false, bothScores(low, high)), sampleRows(32, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0.04, JointHigh: 0.135, Independence: 0.04, Precision: roundFigure(100. / 102), Recall: 1,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, r := calibrateRows(t, slices.Concat(bad, tc.good, alone), Options{})
			require.Empty(t, cmp.Diff(&tc.want, f.Rule, cmpopts.IgnoreFields(calibration.Rule{}, "PrecisionLow")))
			require.Less(t, f.Rule.PrecisionLow, f.Rule.Precision)
			require.InDelta(t, float64(r.Rule.Fired)/190, r.Rule.Share, 1e-12)
		})
	}
}

// The rule at half the base rate: the weight of 100 bad rows is one in four.
func TestRuleAtABaseRate(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(sampleRows(100, true, bothScores(0.9, 0.9)), sampleRows(10, false, bothScores(0.9, 0.9)), sampleRows(90, false, bothScores(0.1, 0.1)))
	f, r := calibrateRows(t, rows, Options{BaseRate: 0.25})
	require.InDelta(t, roundFigure(0.25/(0.25+0.075)), f.Rule.Precision, 1e-9)
	require.InDelta(t, 0.325, r.Rule.Share, 1e-9, "of the traffic")
	require.InDelta(t, 0.1, f.Rule.JointRate, 1e-9, "false alarms know no base rate")
}

func TestPhi(t *testing.T) {
	t.Parallel()
	// The textbook's table: (a d - b c) / √(row and column sums).
	require.InDelta(t, (20.*40-10*30)/math.Sqrt(30*70*50*50), phiCoefficient([2][2]float64{{40, 30}, {10, 20}}), 1e-12)
	require.InDelta(t, 0, phiCoefficient([2][2]float64{{40, 0}, {10, 0}}), 0, "one never fired")
}
