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

// The names that stand beside those of the detectors.
const (
	anyDetector   = "any"   // every labelled incident, once
	otherDetector = "other" // detectors that this worker does not know
)

// What is kept in memory. Labels beyond it are those of the longest ago.
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

// Metrics show what people say about alerts: labels as they are given, and which share of the incidents that were
// labelled lately was confirmed. An incident counts once, with the verdict that was given last. It is safe for
// concurrent use.
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

// labelledIncident is what is remembered of an incident. Users are those who labeled it, with their last words.
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

// NewMetrics registers the metrics of labels with reg. Detectors are the values that the label may have; others
// are counted as other.
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

// Observe takes a label. Live says that it was given just now; one that is read again after a start is not counted,
// only held for the windows.
func (m *Metrics) Observe(f schemas.Feedback, live bool) {
	if !slices.Contains(schemas.HumanVerdicts(), f.Verdict) {
		return
	}
	now := m.now()
	if f.At.After(now) { // a clock that is ahead must not stay in the window for ever
		f.At = now
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fired, news := m.firedBits(f.Detectors), true
	if now.Sub(f.At) < feedbackWindows()[len(feedbackWindows())-1].span {
		news = m.record(&f, fired)
	}
	if !live || !news {
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

// record puts the label to its incident and says whether its giver had said something else, or nothing.
func (m *Metrics) record(f *schemas.Feedback, fired uint64) (news bool) {
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
			return false // read late: they have said something since
		}
		news = u.verdict != f.Verdict
		u.verdict, u.at = f.Verdict, f.At
		return news
	}
	if len(in.users) < maxLabellers {
		in.users = append(in.users, userVerdict{f.User, f.Verdict, f.At})
	}
	return true
}

// evict makes room: the incidents that no window reaches go, and where that is too little the oldest quarter.
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

// Collect implements prometheus.Collector. A detector without a label in the window has no series there: a precision of
// nothing is no number.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, w := range feedbackWindows() {
		confirmed, fine := m.tally(w.span)
		for bit, name := range m.detectors {
			n := confirmed[bit] + fine[bit]
			if n == 0 {
				continue
			}
			ch <- prometheus.MustNewConstMetric(m.precision, prometheus.GaugeValue, confirmed[bit]/n, name, w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, confirmed[bit], name, string(schemas.Confirmed), w.name)
			ch <- prometheus.MustNewConstMetric(m.labels, prometheus.GaugeValue, fine[bit], name, string(schemas.FalsePositive), w.name)
		}
	}
}

// tally counts the incidents whose last label is younger than span, by bit.
func (m *Metrics) tally(span time.Duration) (confirmed, fine []float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.expire(now)
	confirmed, fine = make([]float64, len(m.detectors)), make([]float64, len(m.detectors))
	for _, in := range m.incidents {
		if now.Sub(in.at) >= span {
			continue
		}
		count := fine
		if in.verdict == schemas.Confirmed {
			count = confirmed
		}
		for bit := range m.detectors {
			if in.fired&(1<<bit) != 0 {
				count[bit]++
			}
		}
	}
	return confirmed, fine
}
