package coverage

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
)

func TestUnchecked(t *testing.T) {
	answer := func(text string, sources ...string) *schemas.Interaction {
		in := &schemas.Interaction{Answer: text}
		for _, s := range sources {
			in.Sources = append(in.Sources, schemas.Source{Text: s})
		}
		return in
	}
	const source = "The old bridge was opened in May 1937 by the king."
	for _, tt := range []struct {
		name string
		in   *schemas.Interaction
		want string // "": checked
	}{
		{"fired", wrongAnswer(), ""},
		{"clear", groundedAnswer(), ""},
		{"no sources", bareAnswer(), "no_sources"},
		{"malformed sources", malformedAnswer(), "malformed_field"},
		{"empty", answer(" ", source), "empty_answer"},
		{"small talk", answer("You're welcome!", source), "no_claims"},
		{"small talk without sources", answer("You're welcome!"), "no_claims"},
		{"abstention", answer("I could not find this in the documents.", source), "abstention"},
		{"language", answer("பாலம் மே மாதம் திறக்கப்பட்டது.", source), "language"},
		{"code", answer("```\nx = open(y)\n```", source), "not_prose"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newHarness(t, labels.Options{}).evaluator.Suite.Evaluate(t.Context(), tt.in)
			defer e.Release()
			require.Equal(t, tt.want, Unchecked(e))
		})
	}
}

// What the configuration leaves out is not unchecked.
func TestExcluded(t *testing.T) {
	c := config.Default()
	c.SkipOperations = []string{"draft"}
	skipping, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	in := bareAnswer()
	in.Operation = "draft"
	e := skipping.Suite.Evaluate(t.Context(), in)
	defer e.Release()
	require.Empty(t, Unchecked(e))
}

// harness evaluates interactions with the standard detectors and counts them.
type harness struct {
	t         testing.TB
	evaluator *confab.Evaluator
	recorder  *Recorder
	registry  *prometheus.Registry
	summary   Summary
	log       bytes.Buffer
}

func newHarness(t testing.TB, o labels.Options) *harness {
	t.Helper()
	c := config.Default()
	c.CalibrationFile = filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(c.CalibrationFile, []byte("format: 1\nid: c\nthresholds: [{detector: grounding, threshold: 0.4, armed: true}]\n"), 0o600))
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	h := &harness{t: t, evaluator: v, registry: prometheus.NewRegistry()}
	traffic := labels.NewTraffic(o, o)
	h.recorder = NewRecorder(h.registry, traffic, NewGroundingChecks(h.registry, traffic, v.Policy.Actions()), slog.New(slog.NewTextHandler(&h.log, nil)))
	return h
}

func (h *harness) observe(in *schemas.Interaction) {
	e := h.evaluator.Suite.Evaluate(h.t.Context(), in)
	defer e.Release()
	h.recorder.Observe(e, h.evaluator.Policy.Action(in.Tenant), in.Model != "new")
	h.summary.Add(e, in.Model != "new")
}

// metric sums the series whose labels contain the pairs.
func (h *harness) metric(name string, pairs ...string) (sum float64, series int) {
	h.t.Helper()
	families, err := h.registry.Gather()
	require.NoError(h.t, err)
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	next:
		for _, m := range f.GetMetric() {
			got := map[string]string{}
			for _, l := range m.GetLabel() {
				got[l.GetName()] = l.GetValue()
			}
			for i := 0; i < len(pairs); i += 2 {
				if got[pairs[i]] != pairs[i+1] {
					continue next
				}
			}
			series++
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum, series
}

func (h *harness) requireMetric(want float64, name string, pairs ...string) {
	h.t.Helper()
	got, series := h.metric(name, pairs...)
	require.Positive(h.t, series, "%s%v does not exist", name, pairs)
	require.InDelta(h.t, want, got, 0, "%s%v", name, pairs)
}

func groundedAnswer() *schemas.Interaction {
	const text = "The old bridge was opened in May 1937 by the king."
	return &schemas.Interaction{Service: "shop", Model: "m", Answer: text, Sources: []schemas.Source{{ID: "1", Text: text}}}
}

func wrongAnswer() *schemas.Interaction {
	in := groundedAnswer()
	in.Answer = "The old bridge was opened in June 1983 by the queen of Denmark."
	return in
}

func bareAnswer() *schemas.Interaction {
	in := groundedAnswer()
	in.Sources = nil
	in.UnknownFields, in.UnknownNames = 3, []string{"contexts", "question"}
	return in
}

func malformedAnswer() *schemas.Interaction {
	in := groundedAnswer()
	in.Sources, in.Malformed = nil, []string{schemas.FieldSources, "invented"}
	return in
}

func TestSeriesExistFromTheStart(t *testing.T) {
	h := newHarness(t, labels.Options{Allowed: []string{"shop", "m"}})
	for _, tt := range []struct {
		name   string
		series int
	}{
		{"confab_evaluated_interactions_total", 3},
		{"confab_grounding_check_total", 2},
		{"confab_unchecked_interactions_total", len(reasons())},
		{"confab_unknown_fields_total", 1},
		{"confab_malformed_fields_total", len(schemas.MalformedNames()) + 1},
	} {
		_, series := h.metric(tt.name)
		require.Equal(t, tt.series, series, tt.name)
	}
	problems, err := testutil.GatherAndLint(h.registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestRecorderCounts(t *testing.T) {
	h := newHarness(t, labels.Options{Allowed: []string{"shop", "m"}})
	for range 50 {
		h.observe(groundedAnswer())
	}
	for range 20 {
		h.observe(wrongAnswer())
	}
	h.observe(bareAnswer())
	h.observe(malformedAnswer())
	unnamed := groundedAnswer()
	unnamed.Service, unnamed.Model = "", "new"
	h.observe(unnamed)

	own := []string{"service", "shop", "model", "m"}
	h.requireMetric(50, "confab_evaluated_interactions_total", append(own, "outcome", "clear")...)
	h.requireMetric(20, "confab_evaluated_interactions_total", append(own, "outcome", "flagged")...)
	h.requireMetric(2, "confab_evaluated_interactions_total", append(own, "outcome", "unchecked")...)
	h.requireMetric(1, "confab_evaluated_interactions_total", "service", "none", "model", "other", "outcome", "clear")
	h.requireMetric(50, "confab_grounding_check_total", append(own, "grounded", "true", "action", "LOG")...)
	h.requireMetric(20, "confab_grounding_check_total", append(own, "grounded", "false", "action", "LOG")...)
	h.requireMetric(1, "confab_unchecked_interactions_total", "reason", "no_sources")
	h.requireMetric(1, "confab_unchecked_interactions_total", "reason", "malformed_field")
	h.requireMetric(2, "confab_unchecked_interactions_total")
	h.requireMetric(1, "confab_unknown_fields_total", "field", "contexts")
	h.requireMetric(1, "confab_unknown_fields_total", "field", "other")
	h.requireMetric(1, "confab_malformed_fields_total", "field", "sources")
	h.requireMetric(1, "confab_malformed_fields_total", "field", "other")
}

// 100,000 services, models and names of fields cannot add more than a bounded number of series.
func TestCardinality(t *testing.T) {
	h := newHarness(t, labels.Options{Max: 20})
	in := groundedAnswer()
	in.UnknownFields = 1
	e := h.evaluator.Suite.Evaluate(t.Context(), in)
	defer e.Release()
	for i := range 100_000 {
		in.Service, in.Model = fmt.Sprintf("service-%d", i), fmt.Sprintf("model-%d", i)
		in.UnknownNames = []string{fmt.Sprintf("field-%d", i)}
		h.recorder.Observe(e, schemas.ActionLog, true)
	}
	_, series := h.metric("confab_evaluated_interactions_total")
	require.Equal(t, 3*21, series, "20 services with their models, and other")
	_, series = h.metric("confab_unknown_fields_total")
	require.Equal(t, maxUnknown+1, series)
	h.requireMetric(100_000, "confab_evaluated_interactions_total")
}

func TestFieldLabels(t *testing.T) {
	h := newHarness(t, labels.Options{})
	in := bareAnswer()
	in.UnknownNames = []string{"alice@example.com", "bob@example.com", "a\x1b[31mb", strings.Repeat("x", 200), "\xff"}
	in.UnknownFields = len(in.UnknownNames)
	h.observe(in)
	h.requireMetric(2, "confab_unknown_fields_total", "field", "[email]")
	h.requireMetric(1, "confab_unknown_fields_total", "field", strings.Repeat("x", 64))
	h.requireMetric(1, "confab_unknown_fields_total", "field", "none")
	require.Equal(t, "[email], a[31mb, none, "+strings.Repeat("x", 64), h.summary.Unknown.NameText())
}

// Answers of a model that the calibration does not know are counted.
func TestUncalibratedModels(t *testing.T) {
	h := newHarness(t, labels.Options{Allowed: []string{"old", "new"}})
	for model, n := range map[string]int{"old": 3, "new": 2, "": 1} {
		for range n {
			in := groundedAnswer()
			in.Model = model
			h.observe(in)
		}
	}
	const name = "confab_uncalibrated_interactions_total"
	sum, _ := h.metric(name)
	require.InDelta(t, 2, sum, 0)
	sum, _ = h.metric(name, "model", "new")
	require.InDelta(t, 2, sum, 0)
	require.Equal(t, Counts{"new": 2}, h.summary.NewModels)
}

func TestSummary(t *testing.T) {
	h := newHarness(t, labels.Options{})
	for _, in := range []*schemas.Interaction{groundedAnswer(), bareAnswer(), bareAnswer(), malformedAnswer()} {
		h.observe(in)
	}
	s := &h.summary
	require.Equal(t, 4, s.Answers)
	require.Equal(t, 2, s.NoSources, "malformed sources are not absent")
	require.Equal(t, "no_sources 2, malformed_field 1", s.Unchecked.String())
	require.Equal(t, "contexts, question, other", s.Unknown.NameText())
	require.Equal(t, "invented, sources", s.Malformed.NameText())
	require.Contains(t, s.Remedy(), "docs/existing-topics.md")
}

// Detectors that fail or are skipped are counted, although other detectors measured the answers, and one line a minute says so.
func TestFailuresAreCounted(t *testing.T) { synctest.Test(t, testFailures) }

func testFailures(t *testing.T) {
	h := newHarness(t, labels.Options{})
	o, err := evaluation.FastOptions(config.Default(), nil, nil)
	require.NoError(t, err)
	o.Suite.MaxWork = 100
	h.evaluator, err = evaluation.New(config.Default(), o)
	require.NoError(t, err)
	for range 3 {
		h.observe(groundedAnswer())
	}
	require.Equal(t, 3, h.summary.Failures["grounding budget"])
	require.Equal(t, 1, strings.Count(h.log.String(), "detectors could not measure answers"))
	require.Contains(t, h.log.String(), "grounding budget 1")
	time.Sleep(time.Minute) //nolint:forbidigo // virtual time
	h.observe(groundedAnswer())
	require.Equal(t, 2, strings.Count(h.log.String(), "detectors could not measure answers"))
	require.Contains(t, h.log.String(), "grounding budget 3")
}

// Every reason has a remedy of its own, and a list of names is bounded.
func TestRemedies(t *testing.T) {
	seen := map[string]bool{}
	for _, why := range reasons() {
		s := Summary{Unchecked: Counts{why: 3, emptyAnswer: 1}}
		s.Unchecked[why] = 3
		require.NotEmpty(t, s.Remedy(), why)
		require.False(t, seen[s.Remedy()], why)
		seen[s.Remedy()] = true
	}
	many := Counts{}
	for i := range 100_000 {
		many.add(fmt.Sprintf("f%06d", i), 1)
	}
	require.Len(t, many, maxUnknown+1)
	require.True(t, strings.HasSuffix(many.NameText(), "f000007, and 43 more"), many.NameText())
}

// The admin server answers scrapes while the roles are built.
func TestScrapeDuringTheStart(t *testing.T) {
	for range 200 {
		reg := prometheus.NewRegistry()
		made, scraped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(scraped)
			for {
				_, _ = reg.Gather()
				select {
				case <-made:
					return
				default:
				}
			}
		}()
		names := labels.Options{}
		NewRecorder(reg, labels.NewTraffic(names, names), NewGroundingChecks(reg, labels.NewTraffic(names, names), nil), slog.New(slog.DiscardHandler))
		close(made)
		<-scraped
	}
}

// Spans without an answer where their convention has it are told from those without content, with their attributes.
func TestAnswersThatAreNotFound(t *testing.T) {
	h := newHarness(t, labels.Options{})
	h.observe(&schemas.Interaction{NoAnswer: schemas.NotRecorded})
	h.observe(&schemas.Interaction{NoAnswer: schemas.NotFound, UnknownFields: 1, UnknownNames: []string{"app.reply"}})
	require.Equal(t, 1, h.summary.NoContent)
	require.Equal(t, Counts{"app.reply": 1}, h.summary.NotFound)
	h.requireMetric(1, "confab_unknown_fields_total", "field", "app.reply")
	require.Contains(t, h.log.String(), "attributes=app.reply")
}
