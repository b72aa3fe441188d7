package feedback

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/schemas"
)

// Values of the label detector in addition to the names of detectors.
const (
	anyDetector   = "any"   // every labelled incident, once
	otherDetector = "other" // unknown detectors
)

// Limits of memory. The oldest labels are dropped.
const (
	maxLabelledIncidents = 100_000
	maxLabellers         = 8 // of one incident
)

type feedbackWindow struct {
	name string
	span time.Duration
}

func feedbackWindows() []feedbackWindow {
	const day = 24 * time.Hour
	return []feedbackWindow{{"7d", 7 * day}, {"30d", 30 * day}}
}

// Metrics count labels and export the precision of alerts: the share of incidents labelled within a window that was
// confirmed. An incident counts once, with its last verdict. It is safe for concurrent use.
type Metrics struct {
	now         func() time.Time
	detectors   map[string]struct{}
	labelsTotal *prometheus.CounterVec
	precision   *prometheus.Desc
	labels      *prometheus.Desc

	mu        sync.Mutex
	incidents map[string]*labelledIncident
	limit     int
}

// labelledIncident is an incident with the last verdict of each user.
type labelledIncident struct {
	fired   []string // labels detector that count it
	verdict schemas.HumanVerdict
	at      time.Time
	users   map[string]userVerdict
}

type userVerdict struct {
	verdict schemas.HumanVerdict
	at      time.Time
}

// NewMetrics registers the metrics with reg. Other detectors than those given are counted as other.
func NewMetrics(reg prometheus.Registerer, detectors []string, now func() time.Time) *Metrics {
	m := &Metrics{
		now: now, detectors: map[string]struct{}{}, incidents: map[string]*labelledIncident{}, limit: maxLabelledIncidents,
		labelsTotal: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_feedback_labels_total",
			Help: "Labels received while this worker ran, without repeated verdicts; any: each label once; other: detectors unknown here.",
		}, []string{"detector", "verdict"}),
		precision: prometheus.NewDesc("confab_feedback_precision",
			"Share of confirmed incidents among those labelled within the window on which the detector fired; any: among all labelled ones.", []string{"detector", "window"}, nil),
		labels: prometheus.NewDesc("confab_feedback_window_labels",
			"Incidents labelled within the window on which the detector fired, by their last verdict.", []string{"detector", "verdict", "window"}, nil),
	}
	for _, name := range slices.Concat(detectors, []string{otherDetector, anyDetector}) {
		m.detectors[name] = struct{}{}
		for _, v := range schemas.HumanVerdicts() {
			m.labelsTotal.WithLabelValues(name, string(v))
		}
	}
	reg.MustRegister(m)
	return m
}

// Observe records a label. One that is not live, because it is read again after a start, only counts in the windows.
func (m *Metrics) Observe(f schemas.Feedback, live bool) {
	if !slices.Contains(schemas.HumanVerdicts(), f.Verdict) {
		return
	}
	now := m.now()
	if f.At.After(now) { // from a clock that is ahead
		f.At = now
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fired, changed := m.countedBy(f.Detectors), true
	if now.Sub(f.At) < feedbackWindows()[len(feedbackWindows())-1].span {
		changed = m.record(&f, fired)
	}
	if !live || !changed {
		return
	}
	for _, name := range fired {
		m.labelsTotal.WithLabelValues(name, string(f.Verdict)).Inc()
	}
}

// countedBy are the values of the label detector that count an incident, sorted.
func (m *Metrics) countedBy(detectors []string) []string {
	out := []string{anyDetector}
	for _, name := range detectors {
		if _, known := m.detectors[name]; !known || name == anyDetector {
			name = otherDetector
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// record stores the label and reports whether it changes the verdict of its user.
func (m *Metrics) record(f *schemas.Feedback, fired []string) (changed bool) {
	in := m.incidents[f.IncidentID]
	if in == nil {
		m.evict()
		in = &labelledIncident{users: make(map[string]userVerdict, 1)}
		m.incidents[f.IncidentID] = in
	}
	in.fired = append(in.fired, fired...)
	slices.Sort(in.fired)
	in.fired = slices.Compact(in.fired)
	if !f.At.Before(in.at) {
		in.verdict, in.at = f.Verdict, f.At
	}
	had, known := in.users[f.User]
	if known && f.At.Before(had.at) {
		return false // the user has a later label
	}
	if known || len(in.users) < maxLabellers {
		in.users[f.User] = userVerdict{f.Verdict, f.At}
	}
	return had.verdict != f.Verdict
}

// evict removes incidents outside all windows when the limit is reached, and if that is too little the oldest quarter.
func (m *Metrics) evict() {
	if len(m.incidents) < m.limit {
		return
	}
	m.expire(m.now())
	if len(m.incidents) < m.limit {
		return
	}
	ids := make([]string, 0, len(m.incidents))
	for id := range m.incidents {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(m.incidents[a].at.Compare(m.incidents[b].at), cmp.Compare(a, b))
	})
	for _, id := range ids[:len(ids)/4+1] {
		delete(m.incidents, id)
	}
}

func (m *Metrics) expire(now time.Time) {
	windows := feedbackWindows()
	for id, in := range m.incidents {
		if now.Sub(in.at) >= windows[len(windows)-1].span {
			delete(m.incidents, id)
		}
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.precision
	ch <- m.labels
}

// Collect implements prometheus.Collector. A detector without a label in the window has no series.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, w := range feedbackWindows() {
		confirmed, all := m.tally(w.span)
		for name, n := range all {
			ch <- prometheus.MustNewConstMetric(m.precision, prometheus.GaugeValue, confirmed[name]/n, name, w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, confirmed[name], name, string(schemas.Confirmed), w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, n-confirmed[name], name, string(schemas.FalsePositive), w.name)
		}
	}
}

// tally counts the incidents whose last label is younger than span, by detector.
func (m *Metrics) tally(span time.Duration) (confirmed, all map[string]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.expire(now)
	confirmed, all = map[string]float64{}, map[string]float64{}
	for _, in := range m.incidents {
		if now.Sub(in.at) >= span {
			continue
		}
		for _, name := range in.fired {
			all[name]++
			if in.verdict == schemas.Confirmed {
				confirmed[name]++
			}
		}
	}
	return confirmed, all
}
