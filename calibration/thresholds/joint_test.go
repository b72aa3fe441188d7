package thresholds

import (
	"math"
	"slices"
	"strings"
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
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: 1, Spearman: 1}},
			},
		},
		"never the same": {
			slices.Concat(sampleRows(10, false, bothScores(high, low)), sampleRows(10, false, bothScores(low, high)), sampleRows(30, false, bothScores(low, low))),
			calibration.Rule{
				Rows: 50, JointRate: 0, JointHigh: 0.071, Independence: 0.04, Precision: 1, Recall: 1,
				Pairs: []calibration.Pair{{A: "citation", B: "grounding", Rows: 50, Phi: -0.25, Spearman: -0.25}},
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

func TestRuleCurveTradesRecallForPrecision(t *testing.T) {
	t.Parallel()
	var rows []measure.Row
	for i := range 20 {
		score := float64(i+1) / 20
		rows = append(rows, sampleRows(2*i+1, true, bothScores(score, score))...)
		rows = append(rows, sampleRows(2*(20-i), false, bothScores(score, score))...)
	}
	_, r := calibrateRows(t, rows, Options{})
	require.Len(t, r.Curve, 12)
	require.InDelta(t, 0.4, r.Curve[0].Target, 0)
	for i, p := range r.Curve {
		if p.Fired > 0 {
			require.GreaterOrEqual(t, p.Precision, p.Target)
		}
		if i > 0 {
			require.LessOrEqual(t, p.Recall, r.Curve[i-1].Recall)
		}
	}
	require.Equal(t, r.Rule, r.Curve[6].RuleFigures, "at .7, the target in force")
	require.Equal(t, r.RuleCrossValidated, r.Curve[6].CrossValidated)
}

// Detectors with errors on different rows agree when both are right: the rule reaches .8 with detectors of precision
// .6.
func TestCalibrateForTheRule(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(
		sampleRows(60, true, bothScores(0.5, 0.5)), sampleRows(10, false, bothScores(0.5, 0.5)), sampleRows(25, false, bothScores(0.5, 0.1)),
		sampleRows(25, false, bothScores(0.1, 0.5)), sampleRows(40, false, bothScores(0.1, 0.1)))
	f, r := calibrateRows(t, rows, Options{})
	require.False(t, f.Thresholds[0].Armed, "60 of 95 is below .7")
	require.Zero(t, r.Rule.Fired)
	f, r = calibrateRows(t, rows, Options{RulePrecision: 0.8})
	require.True(t, f.Thresholds[0].Armed && f.Thresholds[1].Armed)
	require.InDelta(t, 0.4, r.Target.Precision, 1e-12, "the lowest will do")
	require.InDelta(t, roundFigure(60./70), f.Rule.Precision, 1e-12)
	require.Empty(t, r.Warnings)
	_, r = calibrateRows(t, rows, Options{RulePrecision: 0.9})
	require.InDelta(t, 0.7, r.Target.Precision, 1e-12)
	require.Contains(t, strings.Join(r.Warnings, " "), "no target from 0.40 to 0.95 makes two or more right in 0.90 of the cases")
}

func TestSpearman(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, rankCorrelation([]float64{1, 2, 3, 4}, []float64{1, 4, 9, 16}), 1e-12, "any rising map")
	require.InDelta(t, -1, rankCorrelation([]float64{1, 2, 3}, []float64{3, 2, 1}), 1e-12)
	require.InDelta(t, 0, rankCorrelation([]float64{1, 2, 3}, []float64{5, 5, 5}), 0, "never varied")
	// Ranks 1.5 1.5 3 4 against 1 2 3.5 3.5: Σ of products of the deviations 4, each Σ of squares 4.5.
	require.InDelta(t, 4/4.5, rankCorrelation([]float64{1, 1, 2, 3}, []float64{1, 2, 3, 3}), 1e-12)
}

func TestPhi(t *testing.T) {
	t.Parallel()
	// The textbook's table: (a d - b c) / √(row and column sums).
	require.InDelta(t, (20.*40-10*30)/math.Sqrt(30*70*50*50), phiCoefficient([2][2]float64{{40, 30}, {10, 20}}), 1e-12)
	require.InDelta(t, 0, phiCoefficient([2][2]float64{{40, 0}, {10, 0}}), 0, "one never fired")
}
