package alerting

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Suppression is a named reason why an alert was not posted.
type Suppression string

// The suppressions.
const (
	AlreadyTold Suppression = "already_told" // the incident was told before, by this pass or a better one
	NoEdit      Suppression = "no_edit"      // a deep flag of a told incident: the message is not edited, the state moves on
	Labelled    Suppression = "labelled"     // a person has judged the incident already
)

// Metrics count what became of alerts. Every series exists from the start, so that a rate over it is never empty.
type Metrics struct {
	sent       *prometheus.CounterVec
	failed     *prometheus.CounterVec
	suppressed *prometheus.CounterVec
	ambiguous  prometheus.Counter
	duration   prometheus.Histogram
}

// NewMetrics registers the metrics of notifications with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	m := &Metrics{
		sent: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_notifications_total",
			Help: "Alerts that a sink has accepted.",
		}, []string{"sink"}),
		failed: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_notifications_failed_total",
			Help: "Attempts to notify that failed, by reason. Every one is retried.",
		}, []string{"reason"}),
		suppressed: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_notifications_suppressed_total",
			Help: "Alerting flags for which nothing was posted, by reason.",
		}, []string{"reason"}),
		ambiguous: auto.NewCounter(prometheus.CounterOpts{
			Name: "confab_slack_ambiguous_total",
			Help: "Incidents told again because an earlier attempt may or may not have been accepted.",
		}),
		duration: auto.NewHistogram(prometheus.HistogramOpts{
			Name:                            "confab_notification_duration_seconds",
			Help:                            "Time of one attempt to notify, pacing included.",
			Buckets:                         []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	for _, r := range Reasons() {
		m.failed.WithLabelValues(string(r))
	}
	for _, s := range []Suppression{AlreadyTold, NoEdit, Labelled} {
		m.suppressed.WithLabelValues(string(s))
	}
	return m
}
