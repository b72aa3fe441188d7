package thresholds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

// alertSample is an alertRule with the detectors that fired on its rows.
type alertSample struct {
	rule  *alertRule
	fired firedMatrix
}

func newAlertSample(o AlertOptions) *alertSample {
	return &alertSample{rule: &alertRule{AlertOptions: o.withDefaults(), policy: twoOrMore{}, detectors: []string{"a", "b"}}}
}

// add adds n rows of a data set on which that many detectors fired.
func (s *alertSample) add(dataset string, n int, positive bool, fired int, risk float64) *alertSample {
	for range n {
		s.rule.rows = append(s.rule.rows, measure.Row{Dataset: dataset, Positive: positive})
		s.rule.weights, s.rule.risks = append(s.rule.weights, 1), append(s.rule.risks, risk)
		s.fired = append(s.fired, []bool{fired > 0, fired > 1})
	}
	return s
}

func (s *alertSample) choose() (float64, string) { return s.rule.choose(s.fired) }

// Of 999 good rows 9 may alert: (9+1)/1000 is .01.
func TestAlertRiskByHand(t *testing.T) {
	t.Parallel()
	quiet := func(o AlertOptions, good int) *alertSample {
		return newAlertSample(o).add("a", good, false, 1, 0.99) // one detector only: never an alert
	}
	unknown := math.NaN()
	for name, c := range map[string]struct {
		sample *alertSample
		want   float64
		reason string
	}{
		"the limit is reached":          {quiet(AlertOptions{}, 989).add("a", 20, true, 2, 0.9).add("a", 9, false, 2, 0.8).add("a", 1, false, 2, 0.6), 0.8, ""},
		"one good answer less":          {quiet(AlertOptions{}, 988).add("a", 20, true, 2, 0.9).add("a", 9, false, 2, 0.8).add("a", 1, false, 2, 0.6), 0.9, ""},
		"equal risks go together":       {quiet(AlertOptions{}, 989).add("a", 20, true, 2, 0.9).add("a", 4, false, 2, 0.8).add("a", 6, false, 2, 0.7), 0.8, ""},
		"no minimum is needed":          {quiet(AlertOptions{}, 990).add("a", 20, true, 2, 0.3).add("a", 9, false, 2, 0.1), 0, ""},
		"another limit":                 {quiet(AlertOptions{FalseAlarms: 0.005}, 989).add("a", 20, true, 2, 0.9).add("a", 4, false, 2, 0.8).add("a", 6, false, 2, 0.7), 0.8, ""},
		"an unknown risk always alerts": {quiet(AlertOptions{}, 989).add("a", 20, true, 2, 0.9).add("a", 10, false, 2, unknown), 0, "exceed 1 % false alarms"},
		"the highest risk is too much":  {quiet(AlertOptions{}, 989).add("a", 20, true, 2, 0.9).add("a", 20, false, 2, 0.9), 0, "exceed 1 % false alarms"},
		"too few good rows":             {quiet(AlertOptions{}, 98).add("a", 20, true, 2, 0.9), 0, "too few good answers: 98, 99 are needed"},
		"just enough good rows":         {quiet(AlertOptions{}, 99).add("a", 20, true, 2, 0.9), 0, ""},
		"too few bad rows":              {quiet(AlertOptions{}, 500).add("a", 9, true, 2, 0.9), 0, "too few bad answers: 9, 10 are needed"},
		"two never fire":                {quiet(AlertOptions{}, 500).add("a", 20, true, 1, 0.9), 0, "the alert rule holds on no row"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, reason := c.sample.choose()
			require.InDelta(t, c.want, got, 1e-12)
			if c.reason == "" {
				require.Empty(t, reason)
			}
			require.Contains(t, reason, c.reason)
		})
	}
}

// Of 100 bad rows 15 alert, of 900 good ones 2; a tenth of the answers is bad.
func TestAlertFiguresByHand(t *testing.T) {
	t.Parallel()
	s := newAlertSample(AlertOptions{BaseRate: 0.1, FalseAlarms: 0.05}).
		add("a", 5, true, 2, 0.95).add("a", 10, true, 2, 0.9).add("a", 2, false, 2, 0.85).add("a", 20, true, 2, 0.8).
		add("a", 65, true, 0, 0.5).add("a", 898, false, 0, 0.2)
	f := s.rule.figures(s.rule.alerts(s.fired, 0.85))
	require.InDelta(t, 0.15, f.Recall.Value, 1e-9)
	require.InDelta(t, 2./900, f.FalseAlarms.Value, 1e-9)
	require.InDelta(t, 15./17, f.Precision.Value, 1e-9)
	require.Less(t, f.Precision.Low, f.Precision.Value)
	require.Greater(t, f.Precision.High, f.Precision.Value)
}

// The chosen risk keeps every limit on its rows, and the next lower one does not.
func TestAlertRiskKeepsTheLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	chosen := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		o := AlertOptions{BaseRate: 0.02 + 0.3*random.Float64(), FalseAlarms: 0.002 + 0.02*random.Float64()}
		s := newAlertSample(o)
		for range 2000 {
			positive := random.IntN(3) == 0
			risk := math.Round(1e3*math.Pow(random.Float64(), map[bool]float64{true: 0.3, false: 2}[positive])) / 1e3
			s.add(fmt.Sprint("set ", random.IntN(4)), 1, positive, random.IntN(3), risk)
		}
		minRisk, reason := s.choose()
		if reason != "" {
			continue
		}
		chosen++
		holds := func(minRisk float64) bool {
			alerts := s.rule.alerts(s.fired, minRisk)
			f := s.rule.figures(alerts)
			return f.FalseAlarms.Value <= o.FalseAlarms
		}
		require.True(t, holds(minRisk), "seed %d", seed)
		if minRisk > 0 {
			require.Contains(t, s.rule.alerts(s.fired, minRisk), true, "some row alerts")
			require.False(t, s.keeps(nextLower(s, minRisk)), "seed %d: a lower risk keeps the limits too", seed)
		}
	}
	require.Greater(t, chosen, 100)
}

// nextLower is the highest risk below the minimum on which two detectors fired.
func nextLower(s *alertSample, minRisk float64) (lower float64) {
	for i, risk := range s.rule.risks {
		if risk < minRisk && countFired(s.fired[i]) >= 2 {
			lower = max(lower, risk)
		}
	}
	return lower
}

// keeps reports whether the alerts with that minimum keep the limit, with one false alarm more.
func (s *alertSample) keeps(minRisk float64) bool {
	good, alarms := 0.0, 1.0
	for i, alert := range s.rule.alerts(s.fired, minRisk) {
		if !s.rule.rows[i].Positive {
			good++
			alarms += float64(boolInt(alert))
		}
	}
	return alarms/(good+1) <= s.rule.FalseAlarms
}

// fusedRows are rows on which citation and grounding score as given, with that log-odds of the risk.
func fusedRows(n int, positive bool, score, logOdds float64) []measure.Row {
	return changedRows(func(r *measure.Row) { r.Measurable, r.Fused = "citation+grounding", logOdds }, sampleRows(n, positive, bothScores(score, score)))
}

func TestCalibrateWritesTheAlertRisk(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(
		fusedRows(60, true, 0.9, 3), fusedRows(60, true, 0.9, 1), fusedRows(30, true, 0.1, -2),
		fusedRows(2, false, 0.9, 3), fusedRows(20, false, 0.9, 1), fusedRows(478, false, 0.1, -2),
	)
	f, r := calibrateRows(t, rows, Options{})
	require.NotNil(t, f.Alert)
	require.True(t, r.Alert.Chosen)
	require.InDelta(t, 2./500, f.Alert.FalseAlarms, 1e-9)
	require.InDelta(t, 60./150, f.Alert.Recall, 1e-9)
	require.InDelta(t, 0.05, f.Alert.BaseRate, 0)
	require.InDelta(t, 0.4*0.05/(0.4*0.05+0.004*0.95), f.Alert.Precision, 1e-4)
	require.Less(t, f.Alert.PrecisionLow, f.Alert.Precision)
	require.Equal(t, 650, f.Alert.N)
	require.InDelta(t, 120./150, r.Alert.Rule.Recall.Value, 1e-9, "two or more alone")
	c, err := calibration.New(f)
	require.NoError(t, err)
	low, _ := c.Risk("citation+grounding", 1)
	high, _ := c.Risk("citation+grounding", 3)
	require.Greater(t, f.Alert.MinRisk, low)
	require.LessOrEqual(t, f.Alert.MinRisk, high)

	t.Run("labels of few answers keep the section", func(t *testing.T) {
		few, report := calibrateRows(t, slices.Concat(fusedRows(60, true, 0.9, 3), fusedRows(60, false, 0.1, -2)), Options{Keep: c})
		require.Equal(t, f.Alert, few.Alert)
		require.Equal(t, c.ID(), report.Alert.KeptFrom)
		require.Contains(t, strings.Join(report.Warnings, "\n"), "the risk maps and the minimum risk of an alert (0.971) stay as in")
		require.Equal(t, f.Risk, few.Risk, "a minimum stays with its risk maps")
	})
	t.Run("without a kept one there is none", func(t *testing.T) {
		few, _ := calibrateRows(t, slices.Concat(fusedRows(60, true, 0.9, 3), fusedRows(60, false, 0.1, -2)), Options{})
		require.Nil(t, few.Alert)
	})
}

func TestKeysFromNamesEveryCoarserKey(t *testing.T) {
	t.Parallel()
	k := calibration.ThresholdKey{Detector: "d", Tenant: "t", Operation: "o", Model: "m"}
	require.Len(t, keysFrom(k), 8)
	require.Equal(t, calibration.ThresholdKey{Detector: "d"}, keysFrom(k)[0])
	require.Equal(t, k, keysFrom(k)[7])
	k.Tenant, k.Model = "", ""
	require.Equal(t, []calibration.ThresholdKey{{Detector: "d"}, k}, keysFrom(k))
	require.Equal(t, "any", KeyName(calibration.ThresholdKey{Detector: "d"}))
	require.Equal(t, "t (tenant), o, m (model)", KeyName(calibration.ThresholdKey{Tenant: "t", Operation: "o", Model: "m"}))
}

// Models with enough rows get thresholds of their own with ByModel only.
func TestCalibrateByModel(t *testing.T) {
	t.Parallel()
	of := func(name string) func(*measure.Row) { return func(r *measure.Row) { r.Model = name } }
	rows := slices.Concat(
		changedRows(of("terse"), sampleRows(40, true, groundingScore(0.9)), sampleRows(40, false, groundingScore(0.6))),
		changedRows(of("wordy"), sampleRows(40, true, groundingScore(0.5)), sampleRows(40, false, groundingScore(0.1))),
		changedRows(of("rare"), sampleRows(2, true, groundingScore(0.5)), sampleRows(2, false, groundingScore(0.1))),
	)
	f, _ := calibrateRows(t, rows, Options{})
	require.Len(t, f.Thresholds, 1)
	require.Equal(t, []string{"terse", "wordy"}, f.Data.Models)
	f, r := calibrateRows(t, rows, Options{ByModel: true})
	c, err := calibration.New(f)
	require.NoError(t, err)
	for model, want := range map[string]float64{"terse": 0.9, "wordy": 0.5} {
		at, armed := c.Threshold("grounding", "default", "any", model)
		require.True(t, armed)
		require.InDelta(t, want, at, 0, model)
	}
	require.Len(t, r.Uncovered, 1)
	require.Equal(t, "rare", r.Uncovered[0].Model)
	require.False(t, c.KnowsModel("new"))
	require.True(t, c.KnowsModel("terse"))
}

// A kept calibration keeps detectors that no label covers: those without a row, those that find nothing in any row, and
// those that measured none.
func TestUncoveredDetectorsAreKept(t *testing.T) {
	t.Parallel()
	keep, err := calibration.New(calibration.File{Format: calibration.Format, ID: "old", Thresholds: []calibration.Threshold{
		{Detector: "citation", Threshold: 0.6, Armed: true}, {Detector: "faithfulness", Threshold: 0.4, Armed: true},
	}})
	require.NoError(t, err)
	for name, citation := range map[string]float64{"not measured": -1, "every score is 0": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := slices.Concat(
				sampleRows(50, true, map[string]float64{"citation": citation, "grounding": 0.9}),
				sampleRows(50, false, map[string]float64{"citation": citation, "grounding": 0.1}),
			)
			f, _ := calibrateRows(t, rows, Options{Keep: keep})
			c, err := calibration.New(f)
			require.NoError(t, err)
			at, armed := c.Threshold("citation", "", "", "")
			require.True(t, armed)
			require.InDelta(t, 0.6, at, 0)
			at, armed = c.Threshold("faithfulness", "", "", "")
			require.True(t, armed)
			require.InDelta(t, 0.4, at, 0)
		})
	}
}
