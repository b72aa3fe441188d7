package standard

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/detectors/fusion"
	"confab/schemas"
)

// fixedFinding returns the entry of a detector that always returns this finding.
func fixedFinding(name string, finding detectors.Finding, err error) detectors.Entry {
	return fakeEntry(name, func(context.Context, *detectors.Document) (detectors.Finding, error) { return finding, err })
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

// scoreOf is the score with these log-odds.
func scoreOf(logOdds float64) detectors.Finding {
	return detectors.Finding{Score: 1 / (1 + math.Exp(-logOdds))}
}

// TestFusionAddsLogOdds requires that only grounding speaks for an answer.
func TestFusionAddsLogOdds(t *testing.T) {
	names := []string{"grounding", "citation", "facts", "other", "own"}
	for name, tt := range map[string]struct {
		odds []float64 // by detector
		want float64
	}{
		"all against":             {[]float64{1, 2, 0.5, 0.25, 1}, 4.75},
		"what counts both ways":   {[]float64{-1, -2, 0, 0, 0}, -1},
		"those that prove faults": {[]float64{0, 0, -1, -2, -3}, 0},
		"at most 20 to 1":         {[]float64{-8, 0, 9, 0, 0}, 0},
		"one for and one against": {[]float64{-1, 0, -1, 2, -3}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var entries []detectors.Entry
			for i, odds := range tt.odds {
				entries = append(entries, fixedFinding(names[i], scoreOf(odds), nil))
			}
			e := detectortest.NewSuite(t, func(o *detectors.Options) { o.Fusion = fusion.Sum{} }, entries...).Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
			defer e.Release()
			measured, _ := e.FusedSets()
			require.InDelta(t, tt.want, e.LogOdds(measured), 1e-9)
			require.InDelta(t, max(-3, tt.odds[0]), e.LogOdds(1), 1e-9, "of grounding alone")
		})
	}
}

// TestNamesNeverEnterTheRisk requires that who asked, and which model answered, changes no score.
func TestNamesNeverEnterTheRisk(t *testing.T) {
	learned, err := DefaultModel()
	require.NoError(t, err)
	s := detectortest.NewSuite(t, func(o *detectors.Options) {
		o.Fusion, o.Risks = learned.Fuser(), riskTable{"citation+grounding+facts": true}
	},
		Fast(Dependencies{Model: learned})...)
	measure := func(name string) (all []float64) {
		e := s.Evaluate(t.Context(), &schemas.Interaction{
			ID: name, Tenant: name, Service: name, Operation: name, Provider: name, Model: name, ConversationID: name,
			Tags: []string{name}, Attributes: map[string]string{"task": name}, Streamed: name == "b", Temperature: float64(len(name)),
			Answer:  "The old bridge was opened in 1932 by the mayor of the town [1].",
			Sources: []schemas.Source{{ID: "1", Text: "The old bridge was opened in 1933 by the bishop."}},
		})
		defer e.Release()
		for _, r := range e.Readings() {
			all = append(all, r.Score)
		}
		risk, ok := e.Risk()
		require.True(t, ok, e.Measurable())
		return append(all, risk)
	}
	require.Equal(t, measure("a"), measure("b"))
}

func TestRisk(t *testing.T) {
	citation := fixedFinding("citation", scoreOf(2), nil)
	cannot := fixedFinding("schema", detectors.Finding{NotCheckable: "no schema"}, nil)
	failed := fixedFinding("confidence", detectors.Finding{}, errors.New("no"))
	all := riskTable{"citation": true, "": true}
	for name, tt := range map[string]struct {
		fusion  detectors.Fusion
		risks   detectors.Risks
		entries []detectors.Entry
		risk    float64
		ok      bool
	}{
		"everything":         {fusion.Sum{}, all, []detectors.Entry{cannot, citation, failed}, 0.2, true},
		"no fusion":          {nil, all, []detectors.Entry{citation}, 0, false},
		"no calibration":     {fusion.Sum{}, nil, []detectors.Entry{citation}, 0, false},
		"no map":             {fusion.Sum{}, riskTable{}, []detectors.Entry{citation}, 0, false},
		"no map for the set": {fusion.Sum{}, riskTable{"facts": true}, []detectors.Entry{citation}, 0.05, true},
		"nothing measurable": {fusion.Sum{}, all, []detectors.Entry{cannot, failed}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := detectortest.NewSuite(t, func(o *detectors.Options) { o.Fusion, o.Risks = tt.fusion, tt.risks }, tt.entries...)
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
			defer e.Release()
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

type scriptedDetector struct {
	name   string
	detect func(ctx context.Context, doc *detectors.Document) (detectors.Finding, error)
}

func (f scriptedDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	return f.detect(ctx, doc)
}

// fakeEntry returns the entry of a detector that calls the function.
func fakeEntry(name string, detect func(context.Context, *detectors.Document) (detectors.Finding, error)) detectors.Entry {
	return detectors.EventEntry(name, schemas.Factual, nil, func(struct{}) (detectors.Detector, error) {
		return scriptedDetector{name, detect}, nil
	})
}
