package standard

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/detectortest"
	"confab/detectors/fusion"
	"confab/internal/model"
	"confab/schemas"
)

// fusionOf returns a model whose log-odds are ten times the feature, or the bias when it is missing.
func fusionOf(feature string, bias float64) *Model {
	at := int16(slices.Index(fusion.Features(), feature))
	trees := &model.Trees{Features: fusion.Features(), Bias: bias}
	for step := range 10 { // one for each tenth that is reached
		first := int32(len(trees.Nodes))
		trees.Roots = append(trees.Roots, first)
		trees.Nodes = append(
			trees.Nodes, model.Node{Feature: at, Left: first + 1, Limit: float32(step+1) / 10},
			model.Node{Feature: -1}, model.Node{Feature: -1, Limit: 1},
		)
	}
	return &Model{Format: ModelFormat, Fusion: trees}
}

// fixedFinding returns the entry of a detector that always returns this finding.
func fixedFinding(name string, finding detectors.Finding, err error) detectors.Entry {
	return detectortest.Fake(name, func(context.Context, *detectors.Document) (detectors.Finding, error) { return finding, err })
}

// riskTable holds the sets of detectors with a risk, which is a tenth of the log-odds.
type riskTable map[string]bool

func (r riskTable) Risk(measurable string, logOdds float64) (float64, bool) {
	if !r[measurable] {
		return 0, false
	}
	return logOdds / 10, true
}

func (r riskTable) PriorRisk() (float64, bool) { return 0.05, len(r) > 0 }

func (r riskTable) FiredRisk(detectors.ThresholdKey, bool) float64 { return 0 }

func vectorOf(e *detectors.Evaluation) map[string]float64 {
	byName := map[string]float64{}
	for i, v := range fusion.Vector(e) {
		if v == v {
			byName[fusion.Features()[i]] = float64(v)
		}
	}
	return byName
}

// fusedOdds returns the log-odds by fusion of all detectors; ok is false without a fusion and if none could measure.
func fusedOdds(e *detectors.Evaluation) (odds float64, ok bool) {
	measured, _ := e.FusedSets()
	if !e.HasFusion() || measured == 0 {
		return 0, false
	}
	return e.LogOdds(measured), true
}

func TestFusionReadsScoresMeasuresAndShape(t *testing.T) {
	s := detectortest.NewSuite(t, nil,
		fixedFinding("schema", detectors.Finding{Score: 0.25}, nil), // not in the standard order
		fixedFinding("own", detectors.Finding{Score: 1}, nil),
		fixedFinding("confidence", detectors.Finding{NotCheckable: "no baseline", Score: 0.5, Measures: []detectors.Measure{{Name: "min_logprob", Value: -3}}}, nil),
		fixedFinding("citation", detectors.Finding{Score: 0.75, Measures: []detectors.Measure{
			{Name: "mean_support", Value: 0.5}, {Name: "unheard_of", Value: 7}, {Name: "unknown_citations", Value: math.Inf(1)},
		}}, nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{
		Answer:   "The old bridge was opened in 1932 by the mayor. Yes.",
		Messages: []schemas.Message{{Content: "Hello?"}, {Content: "Tell me of the bridge."}},
		Sources:  []schemas.Source{{Text: ` [{"a":1}]`}, {Text: "Some text"}},
	})
	defer e.Release()
	require.Equal(t, map[string]float64{
		"schema.score": 0.25, "citation.score": 0.75, "citation.mean_support": 0.5,
		"answer.words": 11, "answer.claims": 1, "sources.count": 2, "sources.bytes": 19, "sources.records": 0.5,
		"prompt.question": 0, "prompt.turns": 2,
	}, vectorOf(e))
	require.Equal(t, "schema+own+citation", e.Measurable())
}

func TestFusionOfEmptyInteraction(t *testing.T) {
	e := detectortest.NewSuite(t, nil, Fast(Dependencies{})...).Evaluate(t.Context(), &schemas.Interaction{})
	defer e.Release()
	require.Equal(t, map[string]float64{
		"answer.words": 0, "answer.claims": 0, "sources.count": 0, "sources.bytes": 0, "prompt.turns": 0,
	}, vectorOf(e))
	require.Empty(t, e.Measurable())
}

func TestFusionFeaturesAreOfTheStandardDetectors(t *testing.T) {
	names := fusion.Features()
	for i, e := range Fast(Dependencies{}) {
		require.Equal(t, e.Name+".score", names[i])
	}
	unique := slices.Clone(names)
	slices.Sort(unique)
	require.Len(t, slices.Compact(unique), len(names))
}

func TestNamesNeverEnterFusion(t *testing.T) {
	s := detectortest.NewSuite(t, nil, Fast(Dependencies{})...)
	vector := func(name string) []float32 {
		e := s.Evaluate(t.Context(), &schemas.Interaction{
			ID: name, Tenant: name, Service: name, Operation: name, Provider: name, Model: name, ConversationID: name,
			Tags: []string{name}, Attributes: map[string]string{"task": name}, Streamed: name == "b", Temperature: float64(len(name)),
			Answer:  "The old bridge was opened in 1932 by the mayor of the town [1].",
			Sources: []schemas.Source{{ID: "1", Text: "The old bridge was opened in 1933 by the bishop."}},
		})
		defer e.Release()
		return slices.Clone(fusion.Vector(e))
	}
	one, two := vector("a"), vector("b")
	for i := range one {
		require.InDelta(t, bitsOf(one[i]), bitsOf(two[i]), 0, fusion.Features()[i])
	}
}

func bitsOf(v float32) uint32 { return math.Float32bits(v) }

func TestRisk(t *testing.T) {
	citation := fixedFinding("citation", detectors.Finding{Score: 0.6}, nil)
	cannot := fixedFinding("schema", detectors.Finding{NotCheckable: "no schema"}, nil)
	failed := fixedFinding("confidence", detectors.Finding{}, errors.New("no"))
	all := riskTable{"citation": true, "": true}
	for name, tt := range map[string]struct {
		model   *Model
		risks   detectors.Risks
		entries []detectors.Entry
		odds    float64
		fused   bool
		risk    float64
		ok      bool
	}{
		"everything":             {fusionOf("citation.score", 0), all, []detectors.Entry{cannot, citation, failed}, 6, true, 0.6, true},
		"missing goes its way":   {fusionOf("grounding.score", 1.5), all, []detectors.Entry{citation}, 1.5, true, 0.15, true},
		"no model":               {nil, all, []detectors.Entry{citation}, 0, false, 0, false},
		"a model without fusion": {&Model{}, all, []detectors.Entry{citation}, 0, false, 0, false},
		"no calibration":         {fusionOf("citation.score", 0), nil, []detectors.Entry{citation}, 6, true, 0, false},
		"no map":                 {fusionOf("citation.score", 0), riskTable{}, []detectors.Entry{citation}, 6, true, 0, false},
		"nothing measurable":     {fusionOf("citation.score", 3), all, []detectors.Entry{cannot, failed}, 0, false, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := detectortest.NewSuite(t, func(o *detectors.Options) { o.Fusion, o.Risks = tt.model.Fuser(), tt.risks }, tt.entries...)
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
			defer e.Release()
			odds, fused := fusedOdds(e)
			require.Equal(t, tt.fused, fused)
			require.InDelta(t, tt.odds, odds, 1e-9)
			risk, ok := e.Risk()
			require.Equal(t, tt.ok, ok)
			require.InDelta(t, tt.risk, risk, 1e-9)
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			if tt.ok {
				require.InDelta(t, tt.risk, *f.Risk, 1e-9)
			} else {
				require.Nil(t, f.Risk)
			}
		})
	}
}

func TestFusionRejectsOtherFeatures(t *testing.T) {
	m := fusionOf("citation.score", 0)
	m.Fusion.Features[0] = "charm.score"
	require.ErrorContains(t, m.Fusion.Check(fusion.Features()), `feature 0 of the model is "charm.score"`)
}

// TestFusionForgetsTheLastInteraction requires that a pooled evaluation does not reuse measures.
func TestFusionForgetsTheLastInteraction(t *testing.T) {
	s := detectortest.NewSuite(t, nil, detectortest.Fake("citation", func(_ context.Context, d *detectors.Document) (detectors.Finding, error) {
		return detectors.Finding{Score: float64(len(d.Answer())) / 10}, nil
	}))
	for _, answer := range []string{"abcd", "ab"} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: answer})
		require.InDelta(t, float64(len(answer))/10, vectorOf(e)["citation.score"], 1e-6)
		e.Release()
	}
}

// anyBaseline returns the same baseline for every model.
type anyBaseline struct{ b confidence.Baseline }

func (a anyBaseline) Baseline(string, string, float64) (*confidence.Baseline, string) {
	return &a.b, ""
}

// TestEveryFusionFeatureIsMeasured fails when a measure is renamed in a detector but not in the fusion.
func TestEveryFusionFeatureIsMeasured(t *testing.T) {
	usual := anyBaseline{confidence.Baseline{Stdev: 1, PeakStdev: 1, PeakMAD: 1, MinLogprobStdev: 1}}
	s := detectortest.NewSuite(t, nil, Fast(Dependencies{Baselines: usual})...)
	e := s.Evaluate(t.Context(), &schemas.Interaction{
		Messages: []schemas.Message{{Content: "When was the old bridge opened, and where do I read more?"}},
		Answer: "The old bridge was opened on 3 May 1932 by Mayor Anna Lindqvist for 4,500 guests [1]. " +
			"It is described at https://bridges.example-archive.org/old-bridge, after `pip install bridgetools`.",
		Sources:        []schemas.Source{{ID: "1", Text: `{"bridge": "the old bridge", "opened": "1933-05-03", "guests": 4100}`}},
		ResponseSchema: `{"type": "object"}`,
		Logprobs:       schemas.Logprobs{TopK: 2, Values: []float32{-0.1, -0.1, -3, -0.7, -0.7, -0.8}},
	})
	defer e.Release()
	for i, v := range fusion.Vector(e) {
		detector, _, _ := strings.Cut(fusion.Features()[i], ".")
		independent := detector == "schema" || detector == "technical" // only their firing counts, outside of fusion
		if (v != v) != independent {
			t.Errorf("nothing measured %s, or fusion reads it: %+v", fusion.Features()[i], e.Measurable())
		}
	}
}
