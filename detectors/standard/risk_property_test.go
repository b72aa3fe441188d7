package standard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/detectors/fusion"
	"confab/schemas"
)

// Scores of detectors without one.
const (
	notMeasured = -1 // there is nothing to measure
	failed      = -2
)

// riskHarness evaluates given scores of all standard detectors through a suite: thresholds, fusion, risk maps, evidence.
type riskHarness struct {
	suite  *detectors.Suite
	names  []string
	scores []float64
	cal    *calibration.Calibration

	sampled   bool // deep detectors compare with sampled responses
	supported bool // faithfulness finds every statement supported where its score is 0
}

func newRiskHarness(t testing.TB, cal *calibration.Calibration) *riskHarness {
	h := &riskHarness{cal: cal}
	entries := append(Fast(Dependencies{}), Deep(Dependencies{})...)
	h.names = detectors.Names(entries)
	for i := range entries {
		fake := fakeEntry(entries[i].Name, func(context.Context, *detectors.Document) (detectors.Finding, error) {
			switch h.scores[i] {
			case notMeasured:
				return detectors.Finding{NotCheckable: "not measured"}, nil
			case failed:
				return detectors.Finding{}, errors.New("failed")
			}
			f := detectors.Finding{Score: h.scores[i]}
			if entries[i].Deep && h.sampled {
				f.Measures = []detectors.Measure{{Name: schemas.AgainstSamples, Value: 1}}
			}
			f.Supported = entries[i].Name == "faithfulness" && h.supported && !h.sampled && f.Score == 0
			return f, nil
		})
		entries[i].New, entries[i].NewOptions = fake.New, fake.NewOptions
	}
	h.suite = detectortest.NewSuite(t, func(o *detectors.Options) {
		o.Fusion, o.Thresholds, o.Risks = fusion.Sum{}, cal, cal
	}, entries...)
	return h
}

func (h *riskHarness) evaluate(scores []float64) *detectors.Evaluation {
	h.scores = scores
	return h.suite.Evaluate(context.Background(), &schemas.Interaction{Answer: "x"})
}

func (h *riskHarness) risk(scores []float64) (float64, bool) {
	e := h.evaluate(scores)
	defer e.Release()
	return e.Risk()
}

// byName are the scores of the named detectors; the others do not measure.
func byName(scores map[string]float64) []float64 {
	var list []float64
	for _, e := range append(Fast(Dependencies{}), Deep(Dependencies{})...) {
		if s, ok := scores[e.Name]; ok {
			list = append(list, s)
		} else {
			list = append(list, notMeasured)
		}
	}
	return list
}

// randomCalibration has any thresholds, any precisions, and maps for any sets of detectors.
func randomCalibration(t *rapid.T) *calibration.Calibration {
	share := rapid.Float64Range(0, 1)
	f := calibration.File{Format: calibration.Format, ID: "random"}
	var fused []string
	for _, e := range append(Fast(Dependencies{}), Deep(Dependencies{})...) {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{
			Detector: e.Name, Threshold: share.Draw(t, "threshold"), Armed: rapid.IntRange(0, 4).Draw(t, "armed") > 0,
			N: rapid.IntRange(0, 40).Draw(t, "n"), PrecisionLow: share.Draw(t, "precision_low"),
		})
		if !e.Deep && !e.Independent {
			fused = append(fused, e.Name)
		}
	}
	sets := rapid.SliceOfNDistinct(rapid.IntRange(0, 1<<len(fused)-1), 1, 8, rapid.ID[int]).Draw(t, "maps")
	for _, set := range sets {
		names := slices.DeleteFunc(slices.Clone(fused), func(name string) bool { return set&(1<<slices.Index(fused, name)) == 0 })
		f.Risk = append(f.Risk, calibration.RiskMap{
			Measurable: strings.Join(names, "+"),
			A:          rapid.Float64Range(0, 3).Draw(t, "a"), B: rapid.Float64Range(-3, 3).Draw(t, "b"),
		})
	}
	cal, err := calibration.New(f)
	require.NoError(t, err)
	return cal
}

// requireMonotone raises a score, or makes a detector fire that could not measure, and requires that the risk does not fall.
func requireMonotone(t *rapid.T, h *riskHarness) {
	score := rapid.OneOf(rapid.Just(float64(notMeasured)), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1}))
	scores := rapid.SliceOfN(score, 9, 9).Draw(t, "scores")
	h.sampled, h.supported = rapid.Bool().Draw(t, "sampled"), rapid.Bool().Draw(t, "supported")
	before, ok := h.risk(scores)
	require.Equal(t, slices.ContainsFunc(scores, func(s float64) bool { return s != notMeasured }), ok, "null only where nothing was measured")
	for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
		i := rapid.IntRange(0, 8).Draw(t, "detector")
		least := scores[i]
		if least == notMeasured {
			limit, armed := h.cal.Threshold(h.names[i], "", "", "")
			if !armed {
				continue
			}
			least = limit
		}
		scores[i] = rapid.Float64Range(least, 1).Draw(t, "higher")
		after, ok := h.risk(scores)
		require.True(t, ok)
		require.GreaterOrEqual(t, after, before-1e-12, "step %d: %s now %v", step, h.names[i], scores[i])
		require.LessOrEqual(t, after, 1.0)
		before = after
	}
}

func TestRiskNeverFallsWithMoreEvidence(t *testing.T) {
	t.Run("embedded calibration", func(t *testing.T) {
		h := embeddedRiskHarness(t)
		rapid.Check(t, func(t *rapid.T) { requireMonotone(t, h) })
	})
	t.Run("any calibration", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { requireMonotone(r, newRiskHarness(t, randomCalibration(r))) })
	})
}

// TestRiskAgreesWithItsEvidence holds what the embedded calibration says of answers whose risk contradicted their signals.
func TestRiskAgreesWithItsEvidence(t *testing.T) {
	h := embeddedRiskHarness(t)
	const flagged, blocked = 0.4, 0.7
	type scores = map[string]float64
	for _, tt := range []struct {
		name        string
		scores      scores
		least, most float64
	}{
		{"invented values", scores{"grounding": 0.95, "facts": 0.9}, blocked, 1},
		{"invented values, and the schema is kept", scores{"grounding": 0.95, "facts": 0.9, "schema": 0}, blocked, 1},
		{"the name of a package that does not exist", scores{"technical": 0.96}, flagged, 1},
		{"the same beside a supported text", scores{"technical": 0.96, "grounding": 0.1, "facts": 0}, flagged, 1},
		{"two deep detectors fire, each by its own reading", scores{"consistency": 0.1, "faithfulness": 1, "entailment": 0.95}, 0.8, 1},
		{"one deep detector fires", scores{"consistency": 0.1, "faithfulness": 1, "entailment": 0.1}, flagged, 0.8},
		{"a wrong source, all else is supported", scores{"citation": 0.9, "grounding": 0.1, "facts": 0}, flagged, blocked},
		{"a broken schema alone", scores{"schema": 1}, 0.95, 1},
		{"a kept schema alone", scores{"schema": 0}, 0, flagged},
		{"supported", scores{"citation": 0.1, "grounding": 0.1, "facts": 0}, 0, 0.15},
		{"supported, and three judges agree", scores{"grounding": 0.1, "facts": 0, "consistency": 0, "faithfulness": 0, "entailment": 0}, 0, 0.15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			risk, ok := h.risk(byName(tt.scores))
			require.True(t, ok)
			require.GreaterOrEqual(t, risk, tt.least)
			require.LessOrEqual(t, risk, tt.most)
		})
	}
	_, ok := h.risk(byName(nil))
	require.False(t, ok, "nothing measured")
}

// TestClearIndependentDetectorsDoNotChangeTheRisk requires that a kept schema, correct names and an agreeing judge say
// nothing about the values of the answer.
func TestClearIndependentDetectorsDoNotChangeTheRisk(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newRiskHarness(t, randomCalibration(r))
		scores := byName(map[string]float64{"grounding": rapid.Float64Range(0, 1).Draw(r, "grounding"), "facts": rapid.Float64Range(0, 1).Draw(r, "facts")})
		alone, _ := h.risk(scores)
		for i, name := range h.names {
			at, armed := h.cal.Threshold(name, "", "", "")
			if slices.Contains([]string{"schema", "technical", "consistency", "faithfulness", "entailment"}, name) && (at > 0 || !armed) {
				scores[i] = 0
			}
		}
		together, _ := h.risk(scores)
		require.InDelta(t, alone, together, 0, fmt.Sprint(scores))
	})
}

// TestOneWitnessRaisesTheRiskOnce requires that detectors which compared an answer with the same sampled responses raise its
// risk as the most precise of them alone.
func TestOneWitnessRaisesTheRiskOnce(t *testing.T) {
	h := embeddedRiskHarness(t)
	fires := map[string]float64{"consistency": 0.89, "faithfulness": 1, "entailment": 0.95}
	for _, fired := range combinations("consistency", "faithfulness", "entailment") {
		t.Run(strings.Join(fired, "+"), func(t *testing.T) {
			scores, most := map[string]float64{"grounding": 0.1}, 0.0
			for _, name := range fired {
				scores[name] = fires[name]
				alone, _ := h.risk(byName(map[string]float64{"grounding": 0.1, name: fires[name]}))
				most = max(most, alone)
			}
			h.sampled = true
			together, _ := h.risk(byName(scores))
			h.sampled = false
			apart, _ := h.risk(byName(scores))
			require.InDelta(t, most, together, 1e-12)
			require.Equal(t, len(fired) > 1, apart > together, "detectors with evidence of their own add up")
		})
	}
}

// TestJudgeRefutesWording requires that a judge who finds every statement supported lowers the risk where only the wording
// speaks against the answer, and nowhere else.
func TestJudgeRefutesWording(t *testing.T) {
	h := embeddedRiskHarness(t)
	names := []string{"grounding", "citation", "facts", "confidence", "schema", "technical", "consistency", "entailment"}
	for _, fired := range append(combinations(names...), nil) {
		scores := map[string]float64{"grounding": 0.6, "faithfulness": 0} // the wording is doubtful
		for _, name := range fired {
			scores[name] = 1
		}
		h.supported = false
		before, _ := h.risk(byName(scores))
		h.supported = true
		after, _ := h.risk(byName(scores))
		if only := slices.DeleteFunc(slices.Clone(fired), func(name string) bool { return name == "grounding" }); len(only) > 0 {
			require.InDelta(t, before, after, 0, "%v", fired)
		} else {
			require.Greater(t, before, after, "%v", fired)
			require.Less(t, after, 0.4, "%v", fired)
		}
	}
}

func embeddedRiskHarness(t *testing.T) *riskHarness {
	cal, err := calibration.Default()
	require.NoError(t, err)
	return newRiskHarness(t, cal)
}

// combinations are all sets of the names but the empty one.
func combinations(names ...string) (sets [][]string) {
	for set := 1; set < 1<<len(names); set++ {
		sets = append(sets, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return set&(1<<slices.Index(names, name)) == 0 }))
	}
	return sets
}

// stampedFlag is the flag of the scores under the policy.
func (h *riskHarness) stampedFlag(scores []float64, p *alerting.Policy) schemas.Flag {
	e := h.evaluate(scores)
	defer e.Release()
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	p.Stamp(&f)
	return f
}

// requireNoFalseAllow lets detectors fail, and requires of the recommendation what docs/alerts.md promises: it is not allow, and
// not below that of the complete measurement unless a detector that fired there is the one that failed.
func requireNoFalseAllow(t *rapid.T, h *riskHarness) {
	least, _ := h.cal.AlertRisk()
	p := alerting.NewPolicy(alerting.PolicyOptions{CalibratedMinRisk: &least})
	score := rapid.OneOf(rapid.Just(float64(notMeasured)), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1}))
	scores := rapid.SliceOfN(score, len(h.names), len(h.names)).Draw(t, "scores")
	complete := h.stampedFlag(scores, p)
	lost := rapid.SliceOfNDistinct(rapid.IntRange(0, len(scores)-1), 1, len(scores), rapid.ID[int]).Draw(t, "lost")
	for _, i := range lost {
		scores[i] = failed
	}
	partial := h.stampedFlag(scores, p)

	order := []schemas.Recommendation{schemas.Allow, schemas.Recommend, schemas.Block}
	strength := func(f *schemas.Flag) int { return slices.Index(order, f.Recommendation) }
	require.Contains(t, partial.Unchecked, schemas.UncheckedError)
	require.NotEqual(t, schemas.CheckedFull, partial.Checked)
	require.NotEqual(t, schemas.Allow, partial.Recommendation)
	if len(partial.Fired) == len(complete.Fired) {
		require.GreaterOrEqual(t, strength(&partial), strength(&complete), "%v fired", complete.Fired)
		require.True(t, partial.Alert || !complete.Alert)
	}
	if len(partial.Fired) >= 2 {
		require.Equal(t, schemas.Block, partial.Recommendation)
	}
}

func TestFailuresNeverAllow(t *testing.T) {
	t.Run("embedded calibration", func(t *testing.T) {
		h := embeddedRiskHarness(t)
		rapid.Check(t, func(t *rapid.T) { requireNoFalseAllow(t, h) })
	})
	t.Run("any calibration", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { requireNoFalseAllow(r, newRiskHarness(t, randomCalibration(r))) })
	})
}
