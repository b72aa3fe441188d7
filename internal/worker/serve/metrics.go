package serve

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/labels"
)

// Metrics are those of the check server.
type Metrics struct {
	requests  *prometheus.CounterVec
	durations prometheus.Histogram
	decisions *prometheus.CounterVec
	refused   *prometheus.CounterVec
}

// decisions are those of the audit log and of metrics, from the mildest to the strictest.
func decisions() []string {
	return []string{"no_text", "passed", "flagged", "unmeasured_open", "failed_open", "unmeasured_closed", "failed_closed", "blocked"}
}

// NewMetrics registers the metrics of the check server.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	m := &Metrics{
		requests: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_http_requests_total", Help: "Requests to the check server, by path and status.",
		}, []string{"path", "code"}),
		durations: f.NewHistogram(labels.Histogram(
			"confab_http_request_duration_seconds", "Time to answer a request to the check server.",
			prometheus.ExponentialBuckets(0.0005, 2, 14))),
		decisions: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_http_checks_total", Help: "Answers checked on request, by decision: passed, flagged, blocked, unmeasured_open (not measured, or not all of it, and let through), unmeasured_closed (refused), failed_open (late, not published or not readable, and let through), failed_closed, no_text (such as a call of a tool).",
		}, []string{"decision"}),
		refused: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_http_refused_total", Help: "Requests, lines of requests and spans that the check server refused, by the code of the error, such as credentials, rate_limit or syntax.",
		}, []string{"code"}),
	}
	for _, d := range decisions() {
		m.decisions.WithLabelValues(d)
	}
	for _, r := range apiRoutes() {
		m.requests.WithLabelValues(r.path, "200")
	}
	return m
}

func (m *Metrics) observe(path string, status int, took time.Duration) {
	m.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
	m.durations.Observe(took.Seconds())
}
