package worker

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

type feedbackHarness struct {
	*feedbackMetrics
	reg *prometheus.Registry
	at  time.Time
}

func newFeedbackHarness() *feedbackHarness {
	r := &feedbackHarness{reg: prometheus.NewRegistry(), at: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	r.feedbackMetrics = newFeedbackMetrics(r.reg, []string{"schema", "citation"}, func() time.Time { return r.at })
	return r
}

// label returns a label given days ago.
func (r *feedbackHarness) label(id, user string, v schemas.HumanVerdict, days float64, detectors ...string) schemas.Feedback {
	at := r.at.Add(-time.Duration(days * 24 * float64(time.Hour)))
	return schemas.Feedback{IncidentID: id, User: user, Verdict: v, At: at, Detectors: detectors, Source: schemas.FromSlack}
}

func (r *feedbackHarness) gather(t *testing.T, name string) map[string]float64 {
	t.Helper()
	families, err := r.reg.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			out[strings.Join(labels, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return out
}

func TestJudgesAgreeWithLabels(t *testing.T) {
	r := newFeedbackHarness()
	judged := func(f schemas.Feedback, model string, wrong bool) schemas.Feedback {
		f.Judge = &schemas.Judged{Model: model, Prompt: "faults-1", Wrong: wrong}
		return f
	}
	for _, f := range []schemas.Feedback{
		judged(r.label("a", "ann", schemas.Wrong, 2), "large", true),
		judged(r.label("b", "ann", schemas.Wrong, 2), "large", true),
		judged(r.label("b", "ann", schemas.Fine, 1), "large", true), // changed
		judged(r.label("c", "ann", schemas.Fine, 2), "large", false),
		judged(r.label("d", "ann", schemas.Wrong, 20), "large", false),
		judged(r.label("e", "ann", schemas.Wrong, 2), "small", false),
		r.label("f", "ann", schemas.Wrong, 2),
	} {
		r.Observe(f)
	}
	require.Equal(t, map[string]float64{"large faults-1 7d": 2.0 / 3, "large faults-1 30d": .5, "small faults-1 7d": 0, "small faults-1 30d": 0}, r.gather(t, "confab_judge_agreement"))
}

func TestPrecisionCountsIncidentsOnce(t *testing.T) {
	r := newFeedbackHarness()
	for _, f := range []schemas.Feedback{
		r.label("a", "ann", schemas.Fine, 3, "citation", "schema"),
		r.label("a", "ann", schemas.Wrong, 2, "citation", "schema"), // changed
		r.label("a", "ann", schemas.Wrong, 2, "citation", "schema"), // read again
		r.label("b", "ann", schemas.Wrong, 2, "citation"),
		r.label("b", "bob", schemas.Fine, 1, "citation"),  // is the last label
		r.label("b", "ann", schemas.Wrong, 4, "citation"), // late, and older than the last
		r.label("c", "ann", schemas.Fine, 20, "schema"),
		r.label("d", "ann", schemas.Wrong, 31, "schema"), // outside both windows
		r.label("e", "ann", schemas.Wrong, 1, "retired", "any"),
		r.label("f", "ann", schemas.HumanVerdict("maybe"), 1, "schema"), // not a verdict
	} {
		r.Observe(f)
	}
	require.Equal(t, map[string]float64{
		"any 7d": 2. / 3, "any 30d": .5, "citation 7d": .5, "citation 30d": .5, "other 7d": 1, "other 30d": 1, "schema 7d": 1, "schema 30d": .5,
	}, r.gather(t, "confab_feedback_precision"))
	labels := r.gather(t, "confab_feedback_window_labels")
	require.Equal(t, []float64{1, 1, 2}, []float64{labels["citation wrong 7d"], labels["citation fine 7d"], labels["any fine 30d"]})

	r.at = r.at.Add(7 * 24 * time.Hour)
	require.NotContains(t, r.gather(t, "confab_feedback_precision"), "any 7d", "labels leave the window")
	r.at = r.at.Add(30 * 24 * time.Hour)
	require.Empty(t, r.gather(t, "confab_feedback_precision"))
}

func TestFutureLabelsCountAsNow(t *testing.T) {
	r := newFeedbackHarness()
	r.Observe(r.label("a", "ann", schemas.Wrong, -4000, "schema"))
	r.at = r.at.Add(31 * 24 * time.Hour)
	require.Empty(t, r.gather(t, "confab_feedback_precision"))
}

func TestMemoryIsBounded(t *testing.T) {
	r := newFeedbackHarness()
	r.incidents.Resize(100)
	for i := range 1000 {
		r.Observe(r.label(strconv.Itoa(i), "ann", schemas.Wrong, 10-float64(i)/100, "schema"))
	}
	require.Equal(t, 100, r.incidents.Len())
	require.True(t, r.incidents.Contains("999"), "the newest are kept")
	require.False(t, r.incidents.Contains("100"))
}

func TestMetricsAreWellFormed(t *testing.T) {
	r := newFeedbackHarness()
	r.Observe(r.label("a", "ann", schemas.Wrong, 0, "schema"))
	problems, err := testutil.GatherAndLint(r.reg)
	require.NoError(t, err)
	require.Empty(t, problems)
}
