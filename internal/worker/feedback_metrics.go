package worker

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/prometheus/client_golang/prometheus"

	"confab/internal/labels"
	"confab/schemas"
)

// Values of the label detector in addition to the names of detectors.
const (
	anyDetector   = "any"   // every labelled incident, once
	otherDetector = "other" // unknown detectors
)

// maxLabelledIncidents is how many incidents are remembered: those labelled last.
const maxLabelledIncidents = 100_000

// maxJudges is how many models and versions of prompts have labels of their own.
const maxJudges = 20

type feedbackWindow struct {
	name string
	span time.Duration
}

func feedbackWindows() []feedbackWindow {
	const day = 24 * time.Hour
	return []feedbackWindow{{"7d", 7 * day}, {"30d", 30 * day}}
}

// feedbackMetrics export the precision of alerts: the share of incidents labelled within a window whose answer is wrong. An incident
// counts once, with its last verdict. It is safe for concurrent use.
type feedbackMetrics struct {
	now       func() time.Time
	detectors []string
	judges    *labels.Names
	precision *prometheus.Desc
	labels    *prometheus.Desc
	agreement *prometheus.Desc

	mu        sync.Mutex
	incidents *simplelru.LRU[string, labelledIncident]
}

// labelledIncident is an incident with its last verdict.
type labelledIncident struct {
	fired   []string // labels detector that count it
	verdict schemas.HumanVerdict
	at      time.Time
	judge   schemas.Judged // the last one; the zero value: none
}

// newFeedbackMetrics registers the metrics with reg. Other detectors than those given are counted as other.
func newFeedbackMetrics(reg prometheus.Registerer, detectors []string, now func() time.Time) *feedbackMetrics {
	incidents, _ := simplelru.NewLRU[string, labelledIncident](maxLabelledIncidents, nil) // the size is valid
	m := &feedbackMetrics{
		now: now, detectors: detectors, incidents: incidents, judges: labels.NewNames(labels.Options{Max: maxJudges}),
		agreement: prometheus.NewDesc("confab_judge_agreement",
			"Share of the judged incidents labelled within the window of which the judge said what the label says, by its model and version of the prompt.", []string{"model", "prompt", "window"}, nil),
		precision: prometheus.NewDesc("confab_feedback_precision",
			"Share of wrong answers among the incidents labelled within the window on which the detector fired; any: among all labelled ones.", []string{"detector", "window"}, nil),
		labels: prometheus.NewDesc("confab_feedback_window_labels",
			"Incidents labelled within the window on which the detector fired, by their last verdict.", []string{"detector", "verdict", "window"}, nil),
	}
	reg.MustRegister(m)
	return m
}

// Observe counts a label. A label that is read again changes nothing.
func (m *feedbackMetrics) Observe(f schemas.Feedback) {
	if !slices.Contains(schemas.HumanVerdicts(), f.Verdict) {
		return
	}
	if now := m.now(); f.At.After(now) { // from a clock that is ahead
		f.At = now
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	in, _ := m.incidents.Get(f.IncidentID)
	in.fired = append(m.countedBy(f.Detectors), in.fired...)
	slices.Sort(in.fired)
	in.fired = slices.Compact(in.fired)
	if j := f.Judge; j != nil {
		in.judge = schemas.Judged{Model: m.judges.Label(j.Model), Prompt: m.judges.Label(j.Prompt), Wrong: j.Wrong}
	}
	if !f.At.Before(in.at) {
		in.verdict, in.at = f.Verdict, f.At
	}
	m.incidents.Add(f.IncidentID, in)
}

// countedBy are the values of the label detector that count an incident.
func (m *feedbackMetrics) countedBy(detectors []string) []string {
	out := []string{anyDetector}
	for _, name := range detectors {
		if !slices.Contains(m.detectors, name) {
			name = otherDetector
		}
		out = append(out, name)
	}
	return out
}

// Describe implements prometheus.Collector.
func (m *feedbackMetrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.precision
	ch <- m.labels
	ch <- m.agreement
}

// Collect implements prometheus.Collector. A detector without a label in the window has no series.
func (m *feedbackMetrics) Collect(ch chan<- prometheus.Metric) {
	for _, w := range feedbackWindows() {
		m.collectJudges(ch, w)
		wrong, all := m.tally(w.span)
		for name, n := range all {
			ch <- prometheus.MustNewConstMetric(m.precision, prometheus.GaugeValue, wrong[name]/n, name, w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, wrong[name], name, string(schemas.Wrong), w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, n-wrong[name], name, string(schemas.Fine), w.name)
		}
	}
}

// collectJudges collects how judges agree with the labels of a window.
func (m *feedbackMetrics) collectJudges(ch chan<- prometheus.Metric, w feedbackWindow) {
	agreed, all := map[schemas.Asked]float64{}, map[schemas.Asked]float64{}
	m.mu.Lock()
	for _, in := range m.incidents.Values() {
		if in.judge.Prompt == "" || m.now().Sub(in.at) >= w.span {
			continue
		}
		by := schemas.Asked{Model: in.judge.Model, Prompt: in.judge.Prompt}
		if all[by]++; in.judge.Wrong == (in.verdict == schemas.Wrong) {
			agreed[by]++
		}
	}
	m.mu.Unlock()
	for by, n := range all {
		ch <- prometheus.MustNewConstMetric(m.agreement, prometheus.GaugeValue, agreed[by]/n, by.Model, by.Prompt, w.name)
	}
}

// tally counts the incidents whose last label is younger than span, by detector.
func (m *feedbackMetrics) tally(span time.Duration) (wrong, all map[string]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	wrong, all = map[string]float64{}, map[string]float64{}
	for _, in := range m.incidents.Values() {
		if now.Sub(in.at) >= span {
			continue
		}
		for _, name := range in.fired {
			all[name]++
			if in.verdict == schemas.Wrong {
				wrong[name]++
			}
		}
	}
	return wrong, all
}
