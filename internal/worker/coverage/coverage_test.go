package coverage

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/calibration"
	"confab/detectors"
	"confab/internal/labels"
	"confab/internal/logtest"
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
		{"language", answer("பாலம் மே மாதம் திறக்கப்பட்டது.", source), "language"},
		{"code", answer("```\nx = open(y)\n```", source), "not_prose"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newHarness(t, labels.Options{}).evaluator.Suite.Evaluate(t.Context(), tt.in)
			defer e.Release()
			why, unchecked := Unchecked(e)
			require.Equal(t, tt.want != "", unchecked)
			if unchecked {
				require.Equal(t, tt.want, why.String())
			}
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
	_, unchecked := Unchecked(e)
	require.False(t, unchecked)
}

func TestReasonsAreThoseOfFlags(t *testing.T) {
	require.Len(t, schemas.UncheckedReasons(), flagReasons)
	require.Equal(t, schemas.UncheckedNoSources, noSources().String())
}

// Detectors that fail or are skipped are counted, and logged once a minute, although other detectors measured the answers.
func TestFailuresAreLogged(t *testing.T) {
	h := newHarness(t, labels.Options{})
	c := config.Default()
	o, err := evaluation.FastOptions(c, nil, nil)
	require.NoError(t, err)
	o.Suite.MaxWork = 100
	h.evaluator, err = evaluation.New(c, o)
	require.NoError(t, err)
	tally := NewTally(nil)
	for range 3 {
		h.observe(groundedAnswer())
		e := h.evaluator.Suite.Evaluate(t.Context(), groundedAnswer())
		tally.Add(e)
		e.Release()
	}
	h.recorder.warn(t.Context())
	h.recorder.warn(t.Context())
	s := tally.Summary()
	require.Contains(t, s.FailureText(), "grounding budget 3")
	require.Equal(t, []string{`level=WARN msg="detectors could not measure answers" topic=in detectors="` + s.FailureText() + `" remedy="` + FailureRemedy() + `"`}, h.lines())
}

// harness evaluates interactions with the standard detectors and counts them.
type harness struct {
	t         testing.TB
	evaluator *confab.Evaluator
	recorder  *Recorder
	registry  *prometheus.Registry
	log       logtest.Buffer
}

func newHarness(t testing.TB, o labels.Options) *harness {
	t.Helper()
	c := config.Default()
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	h := &harness{t: t, evaluator: v, registry: prometheus.NewRegistry()}
	h.recorder = NewRecorder(Options{
		Traffic: labels.NewTraffic(o, o), Actions: v.Policy.Actions(), Registry: h.registry,
		Topics: []string{"in", "other"}, Logger: slog.New(slog.NewTextHandler(&h.log, nil)),
	})
	return h
}

func (h *harness) observe(in *schemas.Interaction) { h.observeAt("in", in) }

func (h *harness) observeAt(topic string, in *schemas.Interaction) {
	e := h.evaluator.Suite.Evaluate(h.t.Context(), in)
	defer e.Release()
	h.recorder.Observe(e, h.evaluator.Policy.Action(in.Tenant), topic, in.Model != "new")
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
		{"confab_unchecked_interactions_total", int(reasons)},
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
		h.recorder.Observe(e, schemas.ActionLog, "in", true)
	}
	for i := range 100_000 { // and forty that are frequent
		in.Service, in.Model = fmt.Sprintf("service-%d", i%40), fmt.Sprintf("model-%d", i%41)
		h.recorder.Observe(e, schemas.ActionLog, "in", true)
	}
	_, series := h.metric("confab_evaluated_interactions_total")
	require.Equal(t, 3*21*21, series, "20 services and 20 models, and other")
	_, series = h.metric("confab_unknown_fields_total")
	require.Equal(t, maxUnknown+1, series)
	h.requireMetric(200_000, "confab_evaluated_interactions_total")
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
	require.Equal(t, "[email], a[31mb, none, "+strings.Repeat("x", 64), h.textOf(func(s *Summary) string { return s.UnknownText() }))
}

func (h *harness) textOf(read func(*Summary) string) string {
	s := h.recorder.tallies["in"].Summary()
	return read(&s)
}

// The hot path allocates nothing, also with unknown and malformed fields that were seen before.
func TestObserveAllocatesNothing(t *testing.T) {
	h := newHarness(t, labels.Options{Max: 5})
	for _, in := range []*schemas.Interaction{groundedAnswer(), bareAnswer(), malformedAnswer(), wrongAnswer()} {
		e := h.evaluator.Suite.Evaluate(t.Context(), in)
		for range 20 {
			h.recorder.Observe(e, schemas.ActionLog, "in", true)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { h.recorder.Observe(e, schemas.ActionLog, "in", true) }))
		e.Release()
	}
}

// In virtual time: a topic is judged once a minute, when it has enough answers since the last time.
func TestWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, labels.Options{Max: 5})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.recorder.Run(ctx) }()
		const message = "many answers of a topic had nothing to check"
		lines := func() int { synctest.Wait(); return strings.Count(h.log.String(), message) }
		wait := func(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // virtual time

		for range 19 {
			h.observe(bareAnswer())
		}
		wait(61 * time.Second)
		require.Zero(t, lines(), "fewer answers than the minimum")
		h.observe(malformedAnswer())
		h.observe(groundedAnswer())
		wait(time.Minute)
		require.Equal(t, 1, lines())
		require.Contains(t, h.log.String(), `topic=in answers=21 unchecked=20 share=0.95 reasons="no_sources 19, malformed_field 1" without_sources=19 `+
			`unknown_fields="contexts, question, other" malformed_fields="invented, sources" remedy="if one of the unknown fields has what the model was given, `+
			`send it as sources or map it: docs/existing-topics.md"`)
		require.NotContains(t, h.log.String(), "bridge", "no text of an interaction")
		wait(time.Minute)
		require.Equal(t, 1, lines(), "nothing came since")

		for range 30 {
			h.observe(groundedAnswer())
			h.observeAt("other", bareAnswer())
		}
		wait(time.Minute)
		require.Equal(t, 2, lines(), "of the other topic")
		require.Contains(t, h.log.String(), "topic=other answers=30 unchecked=30 share=1 ")
		cancel()
		require.NoError(t, <-done)
	})
}

func TestMalformedTopicsAreWarnedOf(t *testing.T) {
	h := newHarness(t, labels.Options{})
	late := groundedAnswer()
	late.Malformed = []string{"occurred_at"}
	for range 30 {
		h.observe(late)
		h.observe(late)
		h.observe(groundedAnswer())
		h.observeAt("unknown", bareAnswer())
	}
	h.recorder.warn(t.Context())
	require.Equal(t, []string{
		`level=WARN msg="many records of a topic had malformed fields" topic=in answers=90 malformed=60 share=0.67 malformed_fields=occurred_at ` +
			`remedy="correct them in the producer: docs/interaction.md has the types; for times without a zone set kafka.inputs[].time_zone"`,
	}, h.lines())
}

// A filter that skips every record is reported, although no answer was evaluated.
func TestSkippedTopicIsWarnedOf(t *testing.T) {
	h := newHarness(t, labels.Options{})
	skipped := map[string]uint64{"in": 19}
	h.recorder.options.Skipped = func(topic string) uint64 { return skipped[topic] }
	h.recorder.warn(t.Context())
	require.Empty(t, h.log.String(), "fewer than the minimum")
	skipped["in"] = 20
	h.recorder.warn(t.Context())
	require.Equal(t, []string{`level=WARN msg="every record of a topic was skipped" topic=in skipped=20 ` +
		"remedy=\"compare kafka.inputs[].where with a record: `confab check --input TOPIC FILE` shows what it selects\""}, h.lines())
	h.observe(groundedAnswer())
	h.recorder.warn(t.Context())
	require.Len(t, h.lines(), 1, "it selects something")
}

// A run shorter than the first step warns at its end.
func TestWarningAtTheEnd(t *testing.T) {
	h := newHarness(t, labels.Options{})
	for range 20 {
		h.observe(bareAnswer())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, h.recorder.Run(ctx))
	require.Len(t, h.lines(), 1)
	require.Contains(t, h.log.String(), "many answers of a topic had nothing to check")
}

// lines are those of the log, without their time.
func (h *harness) lines() []string {
	var lines []string
	for line := range strings.Lines(h.log.String()) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), " ")
		lines = append(lines, line)
	}
	return lines
}

// Answers of a model that the calibration does not know, or that only other models have a baseline for, are counted.
func TestUncalibratedModels(t *testing.T) {
	h := newHarness(t, labels.Options{Allowed: []string{"old", "new"}})
	tally := NewTally(func(model string) bool { return model != "new" })
	for model, n := range map[string]int{"old": 3, "new": 2, "": 1} {
		for range n {
			in := groundedAnswer()
			in.Model = model
			h.observe(in)
			e := h.evaluator.Suite.Evaluate(t.Context(), in)
			tally.Add(e)
			e.Release()
		}
	}
	const name = "confab_uncalibrated_interactions_total"
	sum, _ := h.metric(name)
	require.InDelta(t, 2, sum, 0)
	sum, _ = h.metric(name, "model", "new")
	require.InDelta(t, 2, sum, 0)
	s := tally.Summary()
	require.Equal(t, []FieldCount{{"new", 2}}, s.NewModels)

	require.True(t, hasStaleBaseline([]detectors.Reading{{Outcome: schemas.Clear}, {Outcome: schemas.NotCheckable, Reason: calibration.StaleBaseline}}))
	require.False(t, hasStaleBaseline([]detectors.Reading{{Outcome: schemas.NotCheckable, Reason: calibration.NoBaseline}}))
}

func TestTally(t *testing.T) {
	h := newHarness(t, labels.Options{})
	tally := NewTally(nil)
	for _, in := range []*schemas.Interaction{groundedAnswer(), bareAnswer(), bareAnswer(), malformedAnswer()} {
		e := h.evaluator.Suite.Evaluate(t.Context(), in)
		tally.Add(e)
		e.Release()
	}
	s := tally.Summary()
	require.Equal(t, uint64(4), s.Answers)
	require.Equal(t, uint64(3), s.Unchecked)
	require.Equal(t, uint64(2), s.NoSources, "malformed sources are not absent")
	require.Equal(t, "no_sources 2, malformed_field 1", s.ReasonText())
	require.Equal(t, "contexts, question, other", s.UnknownText())
	require.Equal(t, "invented, sources", s.MalformedText())
	require.InDelta(t, 0.75, s.Share(), 0)
	require.Contains(t, s.Remedy(), "docs/existing-topics.md")
}

// Every reason has a remedy of its own.
func TestRemedies(t *testing.T) {
	seen := map[string]bool{}
	for r := range reasons {
		s := Summary{}
		s.Reasons[r] = 3
		s.Reasons[EmptyAnswer]++
		require.NotEmpty(t, s.Remedy())
		require.False(t, seen[s.Remedy()], r)
		seen[s.Remedy()] = true
	}
	require.Zero(t, (&Summary{}).Share())
	many := Summary{}
	for i := range 20 {
		many.Unknown = append(many.Unknown, FieldCount{fmt.Sprint("f", i), 1})
	}
	require.True(t, strings.HasSuffix(many.UnknownText(), "f7, and 12 more"), many.UnknownText())
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
		NewRecorder(Options{Traffic: labels.NewTraffic(names, names), Registry: reg, Logger: slog.New(slog.DiscardHandler)})
		close(made)
		<-scraped
	}
}
