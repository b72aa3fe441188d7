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
	detectors   []string // by bit of labelledIncident.fired
	bits        map[string]uint64
	labelsTotal *prometheus.CounterVec
	precision   *prometheus.Desc
	labels      *prometheus.Desc

	mu        sync.Mutex
	incidents map[string]*labelledIncident
	limit     int
}

// labelledIncident is an incident with the last verdict of each user.
type labelledIncident struct {
	fired   uint64
	verdict schemas.HumanVerdict
	at      time.Time
	users   []userVerdict
}

type userVerdict struct {
	user    string
	verdict schemas.HumanVerdict
	at      time.Time
}

// NewMetrics registers the metrics with reg. Other detectors than those given are counted as other.
func NewMetrics(reg prometheus.Registerer, detectors []string, now func() time.Time) *Metrics {
	const maxNamed = 62 // bits, without any and other
	names := slices.Compact(slices.Sorted(slices.Values(detectors)))
	names = append(names[:min(len(names), maxNamed):min(len(names), maxNamed)], otherDetector, anyDetector)
	m := &Metrics{
		now: now, detectors: names, bits: make(map[string]uint64, len(names)), incidents: map[string]*labelledIncident{},
		limit: maxLabelledIncidents,
		labelsTotal: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_feedback_labels_total",
			Help: "Labels received while this worker ran, without repeated verdicts; any: each label once; other: detectors unknown here.",
		}, []string{"detector", "verdict"}),
		precision: prometheus.NewDesc("confab_feedback_precision",
			"Share of confirmed incidents among those labelled within the window on which the detector fired; any: among all labelled ones.", []string{"detector", "window"}, nil),
		labels: prometheus.NewDesc("confab_feedback_window_labels",
			"Incidents labelled within the window on which the detector fired, by their last verdict.", []string{"detector", "verdict", "window"}, nil),
	}
	for bit, name := range names {
		m.bits[name] = 1 << bit
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
	fired, changed := m.firedBits(f.Detectors), true
	if now.Sub(f.At) < feedbackWindows()[len(feedbackWindows())-1].span {
		changed = m.record(&f, fired)
	}
	if !live || !changed {
		return
	}
	for bit, name := range m.detectors {
		if fired&(1<<bit) != 0 {
			m.labelsTotal.WithLabelValues(name, string(f.Verdict)).Inc()
		}
	}
}

func (m *Metrics) firedBits(detectors []string) uint64 {
	fired := m.bits[anyDetector]
	for _, name := range detectors {
		bit, known := m.bits[name]
		if !known || name == anyDetector {
			bit = m.bits[otherDetector]
		}
		fired |= bit
	}
	return fired
}

// record stores the label and reports whether it changes the verdict of its user.
func (m *Metrics) record(f *schemas.Feedback, fired uint64) (changed bool) {
	in := m.incidents[f.IncidentID]
	if in == nil {
		m.evict()
		in = &labelledIncident{}
		m.incidents[f.IncidentID] = in
	}
	in.fired |= fired
	if !f.At.Before(in.at) {
		in.verdict, in.at = f.Verdict, f.At
	}
	for i := range in.users {
		u := &in.users[i]
		if u.user != f.User {
			continue
		}
		if f.At.Before(u.at) {
			return false // the user has a later label
		}
		changed = u.verdict != f.Verdict
		u.verdict, u.at = f.Verdict, f.At
		return changed
	}
	if len(in.users) < maxLabellers {
		in.users = append(in.users, userVerdict{f.User, f.Verdict, f.At})
	}
	return true
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
		confirmed, rejected := m.tally(w.span)
		for bit, name := range m.detectors {
			n := confirmed[bit] + rejected[bit]
			if n == 0 {
				continue
			}
			ch <- prometheus.MustNewConstMetric(m.precision, prometheus.GaugeValue, confirmed[bit]/n, name, w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, confirmed[bit], name, string(schemas.Confirmed), w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, rejected[bit], name, string(schemas.FalsePositive), w.name)
		}
	}
}

// tally counts the incidents whose last label is younger than span, by bit.
func (m *Metrics) tally(span time.Duration) (confirmed, rejected []float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.expire(now)
	confirmed, rejected = make([]float64, len(m.detectors)), make([]float64, len(m.detectors))
	for _, in := range m.incidents {
		if now.Sub(in.at) >= span {
			continue
		}
		count := rejected
		if in.verdict == schemas.Confirmed {
			count = confirmed
		}
		for bit := range m.detectors {
			if in.fired&(1<<bit) != 0 {
				count[bit]++
			}
		}
	}
	return confirmed, rejected
}
