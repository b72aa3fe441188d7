package calibration

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// measured is what the standard suite made of one row.
type measured struct {
	set, task string
	positive  bool
	half      int                // 0 or 1, by a hash of the row's group: rows that share a source fall on one side
	scores    map[string]float64 // by detector, where it could measure
}

// suites run every detector on its defaults but for one thing: the conformance suite's required cases presume that
// "format" is an annotation, its optional ones that it is asserted, as our default is.
type suites struct{ standard, annotating *detectors.Suite }

func newSuites(t *testing.T, baselines detectors.Baselines) suites {
	t.Helper()
	build := func(settings map[string]any) *detectors.Suite {
		s, err := detectors.NewSuite(detectors.Options{
			Detectors: detectors.Standard(), Settings: settings, Deps: detectors.Deps{Baselines: baselines},
			Thresholds: unarmed{}, Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
		})
		require.NoError(t, err)
		return s
	}
	annotate := detectors.DefaultSchemaOptions()
	annotate.Format = detectors.FormatAnnotate
	return suites{standard: build(nil), annotating: build(map[string]any{"schema": &annotate})}
}

// unarmed has no threshold: the suite then reports the score of every detector that could measure.
type unarmed struct{}

func (unarmed) Threshold(string, string, string) (float64, bool) { return 0, false }

func (s suites) measure(t *testing.T, set string, row *schemas.Labelled) measured {
	t.Helper()
	suite := s.standard
	if set == "jsonschema_suite" && !strings.Contains(row.Interaction.ID, "/optional/format/") {
		suite = s.annotating
	}
	e := suite.Evaluate(t.Context(), &row.Interaction)
	defer e.Release()
	m := measured{set: set, task: row.Task, positive: row.Label == 1, half: half(row.Group), scores: map[string]float64{}}
	for _, r := range e.Readings() {
		if r.Outcome == schemas.Skipped && r.Reason == detectors.ReasonNotArmed {
			m.scores[r.Detector] = r.Finding.Score
		}
	}
	return m
}

func half(group string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(group)) // never fails
	return int(h.Sum64() >> 33 & 1)
}

// measureAll fits the baselines on the good answers, then measures every row with them.
func measureAll(t *testing.T, data labelled) ([]measured, []Baseline) {
	t.Helper()
	baselines := fitBaselines(data.rows["logprobs"])
	c, err := New(File{Format: Format, ID: "sweep", Baselines: baselines})
	require.NoError(t, err)
	s := newSuites(t, c)
	var all []measured
	for _, set := range sets() {
		for i := range data.rows[set] {
			all = append(all, s.measure(t, set, &data.rows[set][i]))
		}
	}
	return all, baselines
}

// fitBaselines makes one baseline for each model, operation and temperature band, from answers labelled as fine.
func fitBaselines(rows []schemas.Labelled) []Baseline {
	good := map[baselineKey][]detectors.Uncertainty{}
	var order []baselineKey
	for i := range rows {
		in := &rows[i].Interaction
		key := baselineKey{in.Model, in.Operation, BandOf(in.Temperature)}
		if rows[i].Label != 0 {
			continue
		}
		if _, known := good[key]; !known {
			order = append(order, key)
		}
		u := detectors.MeasureUncertainty(in.Logprobs, detectors.DefaultConfidenceOptions().Window)
		good[key] = append(good[key], u)
	}
	var baselines []Baseline
	for _, key := range order {
		b := detectors.FitBaseline(good[key])
		baselines = append(baselines, Baseline{
			Model: key.model, Operation: key.operation, TemperatureBand: key.band,
			Mean: round(b.Mean), Stdev: round(b.Stdev), Median: round(b.Median), MAD: round(b.MAD),
			PeakMean: round(b.PeakMean), PeakStdev: round(b.PeakStdev), N: b.N,
		})
	}
	return baselines
}
