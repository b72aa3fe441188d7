package dispatch

import (
	"context"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/alerting"
	"confab/internal/histogram"
	"confab/internal/tracing"
	"confab/schemas"
)

// Metrics count notifications. Every series exists from the start, so that rates over it are never empty.
type Metrics struct {
	vectors // of one receiver

	ambiguous  prometheus.Counter
	duration   prometheus.Histogram
	registerer prometheus.Registerer
	all        *vectors // of all receivers

	totals atomic.Pointer[func() totals] // of the dispatcher; nil before there is one
}

// vectors are the metrics with the label receiver.
type vectors struct {
	sent       *prometheus.CounterVec
	failed     *prometheus.CounterVec
	suppressed *prometheus.CounterVec
	edits      *prometheus.CounterVec
	digests    *prometheus.CounterVec
}

// defaultReceiver is the receiver label of a dispatcher without a name.
const defaultReceiver = "default"

// NewMetrics registers the metrics of a dispatcher with reg. They are those of the receiver default.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	m := &Metrics{
		registerer: reg, all: newVectors(auto),
		ambiguous: auto.NewCounter(prometheus.CounterOpts{
			Name: "confab_slack_ambiguous_total",
			Help: "Incidents notified again because an earlier attempt may or may not have been accepted.",
		}),
		duration: auto.NewHistogram(histogram.Options(
			"confab_notification_duration_seconds",
			"Time of one attempt to notify, pacing included.",
			[]float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30})),
	}
	return m.ForReceiver(defaultReceiver)
}

func newVectors(auto promauto.Factory) *vectors {
	vec := func(name, label, help string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"receiver", label})
	}
	return &vectors{
		sent:       vec("confab_notifications_total", "sink", "Alerts that a sink has accepted."),
		failed:     vec("confab_notifications_failed_total", "reason", "Attempts to notify that failed, by reason. Every one is retried."),
		suppressed: vec("confab_notifications_suppressed_total", "reason", "Alerting flags without a message of their own, by reason: already_notified, labelled, no_edit, silenced, state_limit."),
		edits:      vec("confab_alert_edits_total", "sink", "Edits of messages that a sink has accepted."),
		digests:    vec("confab_alert_digests_total", "cause", "Digests that a sink has accepted, by cause: daily_limit, stale, throttled."),
	}
}

// ForReceiver returns the metrics of the dispatcher of a receiver. Call it once for each name.
func (m *Metrics) ForReceiver(name string) *Metrics {
	label := prometheus.Labels{"receiver": name}
	own := &Metrics{registerer: m.registerer, all: m.all, ambiguous: m.ambiguous, duration: m.duration}
	own.sent, own.failed = m.all.sent.MustCurryWith(label), m.all.failed.MustCurryWith(label)
	own.suppressed, own.edits = m.all.suppressed.MustCurryWith(label), m.all.edits.MustCurryWith(label)
	own.digests = m.all.digests.MustCurryWith(label)
	own.registerGauges(promauto.With(m.registerer), label)
	for _, c := range []schemas.DigestCause{schemas.DigestStale, schemas.DigestThrottled, schemas.DigestDailyLimit} {
		own.digests.WithLabelValues(string(c))
	}
	for _, r := range alerting.Reasons() {
		own.failed.WithLabelValues(string(r))
	}
	for _, s := range suppressions() {
		own.suppressed.WithLabelValues(string(s))
	}
	return own
}

// registerGauges registers the gauges that read the totals of the dispatcher.
func (m *Metrics) registerGauges(auto promauto.Factory, labels prometheus.Labels) {
	for _, g := range []struct {
		name, help string
		of         func(s totals) float64
	}{
		{
			"confab_alert_groups", "Groups in memory, once for each partition that has incidents of them.",
			func(s totals) float64 { return float64(s.groups) },
		},
		{
			"confab_alert_pending_incidents", "Incidents that are in a group and that no message shows yet.",
			func(s totals) float64 { return float64(s.pending) },
		},
		{
			"confab_alert_oldest_pending_seconds", "Age of the oldest incident that is due and whose group has no message yet.",
			func(s totals) float64 { return s.oldestPending },
		},
	} {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help, ConstLabels: labels}, func() float64 {
			if now := m.totals.Load(); now != nil {
				return g.of((*now)())
			}
			return 0
		})
	}
}

// measure makes one attempt at the sink, with a span, and observes its duration.
func (d *Dispatcher) measure(ctx context.Context, operation string, alert *schemas.Alert, attempt func(context.Context) error) error {
	ctx, span := tracing.StartNotification(ctx, d.Tracer, operation+" "+d.Sink, alert)
	defer tracing.End(span)
	start := d.Now()
	err := attempt(ctx)
	histogram.Observe(ctx, d.Metrics.duration, d.Now().Sub(start).Seconds())
	if err != nil {
		tracing.Fail(span, string(alerting.AsError(err).Reason))
	}
	return err
}
