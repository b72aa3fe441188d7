package detectors

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/labels"
	"confab/schemas"
)

// Metrics counts the outcomes of each rule. It is made once per process and shared by all suites: a reloaded calibration
// makes a new suite with the same metrics.
type Metrics struct {
	runs     *prometheus.CounterVec
	duration *prometheus.HistogramVec
	score    *prometheus.HistogramVec
	skipped  *prometheus.CounterVec
	cut      []prometheus.Counter // by the bit of cutPart
}

// NewMetrics registers the metrics with reg and creates a series for every detector and outcome. reg may be nil.
func NewMetrics(reg prometheus.Registerer, names []string) *Metrics {
	factory := promauto.With(reg)
	m := &Metrics{
		runs: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_detector_runs_total", Help: "Rules applied to an interaction, by outcome.",
		}, []string{"detector", "outcome"}),
		duration: factory.NewHistogramVec(labels.Histogram(
			"confab_detector_duration_seconds",
			"Time a detector took for one interaction.",
			prometheus.ExponentialBuckets(1e-6, 4, 10)), []string{"detector"}),
		score: factory.NewHistogramVec(labels.Histogram(
			"confab_detector_score",
			"Scores of a detector, 0 to 1, higher is worse.",
			prometheus.LinearBuckets(0.1, 0.1, 10)), []string{"detector"}),
		skipped: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_detector_skipped_total", Help: "Rules that were skipped to save time, by reason: budget (an interaction cost too much counted work), deadline (too much time).",
		}, []string{"detector", "reason"}),
	}
	truncated := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_truncated_total", Help: "Interactions of which a part is longer than what is measured, by part: answer, sources.",
	}, []string{"part"})
	for _, part := range [...]string{"answer", "sources"} {
		m.cut = append(m.cut, truncated.WithLabelValues(part))
	}
	for _, name := range names {
		m.seriesOf(name)
	}
	return m
}

// ruleMetrics are the series of one detector, looked up once.
type ruleMetrics struct {
	runs     map[schemas.Outcome]prometheus.Counter
	duration prometheus.Observer
	score    prometheus.Observer
	skipped  map[string]prometheus.Counter // by reason
}

func (m *Metrics) seriesOf(name string) ruleMetrics {
	r := ruleMetrics{
		runs:     map[schemas.Outcome]prometheus.Counter{},
		duration: m.duration.WithLabelValues(name),
		score:    m.score.WithLabelValues(name),
		skipped:  map[string]prometheus.Counter{},
	}
	for _, o := range schemas.Outcomes() {
		r.runs[o] = m.runs.WithLabelValues(name, string(o))
	}
	for _, reason := range [...]string{ReasonBudget, ReasonDeadline} {
		r.skipped[reason] = m.skipped.WithLabelValues(name, reason)
	}
	return r
}

// countCut counts an interaction once for each part that was cut.
func (m *Metrics) countCut(parts cutPart) {
	for i, counter := range m.cut {
		if parts>>i&1 != 0 {
			counter.Inc()
		}
	}
}
