package dispatch

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/alerting"
	"confab/internal/labels"
)

// Metrics count notifications. Every series exists from the start, so that rates over it are never empty.
type Metrics struct {
	sent, failed, suppressed *prometheus.CounterVec

	ambiguous, cleared, unconfirmed prometheus.Counter
	duration                        prometheus.Histogram

	totals atomic.Pointer[func() totals] // of the dispatcher; nil before there is one
}

// NewMetrics registers the metrics of a dispatcher with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	vec := func(name, label, help string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	m := &Metrics{
		sent:       vec("confab_notifications_total", "sink", "Alerts that a sink has accepted."),
		failed:     vec("confab_notifications_failed_total", "reason", "Attempts to notify that failed, by reason. Every one is retried."),
		suppressed: vec("confab_notifications_suppressed_total", "reason", "Alerting flags without a message of their own, by reason: already_notified, cleared, digest, labelled, no_edit, silenced, state_limit."),
		ambiguous: auto.NewCounter(prometheus.CounterOpts{
			Name: "confab_slack_ambiguous_total",
			Help: "Incidents notified again because an earlier attempt may or may not have been accepted.",
		}),
		cleared: auto.NewCounter(prometheus.CounterOpts{
			Name: "confab_alerts_cleared_total", Help: "Alerts that were not sent because the judge found the answer fine.",
		}),
		unconfirmed: auto.NewCounter(prometheus.CounterOpts{
			Name: "confab_alerts_unconfirmed_total", Help: "Alerts sent without the second opinion that was due: it was late, or the judge gave none.",
		}),
		duration: auto.NewHistogram(labels.Histogram(
			"confab_notification_duration_seconds",
			"Time of one attempt to notify, pacing included.",
			[]float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30})),
	}
	m.registerGauges(auto)
	for _, r := range alerting.Reasons() {
		m.failed.WithLabelValues(string(r))
	}
	for _, s := range suppressions() {
		m.suppressed.WithLabelValues(string(s))
	}
	return m
}

// registerGauges registers the gauges that read the totals of the dispatcher.
func (m *Metrics) registerGauges(auto promauto.Factory) {
	gauge := func(name, help string, of func(totals) float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if now := m.totals.Load(); now != nil {
				return of((*now)())
			}
			return 0
		})
	}
	gauge("confab_alert_groups", "Groups in memory, once for each partition that has incidents of them.", func(t totals) float64 { return float64(t.groups) })
	gauge("confab_alert_waiting_incidents", "Alerts that wait for a second opinion.", func(t totals) float64 { return float64(t.waiting) })
	gauge("confab_alert_pending_incidents", "Incidents that are in a group and that no message shows yet.", func(t totals) float64 { return float64(t.pending) })
	gauge("confab_alert_oldest_pending_seconds", "Age of the oldest incident that is due and whose group has no message yet.",
		func(t totals) float64 { return t.oldestPending })
}

// measure makes one attempt at the sink, and observes its duration.
func (d *Dispatcher) measure(attempt func() error) error {
	start := d.Now()
	err := attempt()
	d.Metrics.duration.Observe(d.Now().Sub(start).Seconds())
	return err
}
