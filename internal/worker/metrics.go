package worker

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/alerting"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/labels"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/sampling"
	"confab/schemas"
)

// roleMetrics are the metrics of the roles themselves. Other packages register their own.
type roleMetrics struct {
	age       prometheus.Histogram
	sampled   *prometheus.CounterVec
	notCopied *prometheus.CounterVec
	records   *records.Metrics
	traffic   *labels.Traffic
	grounding *coverage.GroundingChecks // nil until a role needs it
}

// maxNames is the number of services, and of models, with a label while their list is empty. A name gets one when it is frequent,
// and keeps it until the process ends.
const maxNames = 20

// newMetrics registers the metrics with reg.
func (w *worker) newMetrics(reg prometheus.Registerer) *roleMetrics {
	f := promauto.With(reg)
	traffic := labels.NewTraffic(
		labels.Options{Allowed: w.Config.Metrics.Services, Max: maxNames}, labels.Options{Allowed: w.Config.Metrics.Models, Max: maxNames})
	buildinfo.RegisterMetric(reg)
	m := &roleMetrics{
		traffic: traffic,
		age: f.NewHistogram(labels.Histogram(
			"confab_event_age_seconds",
			"Time from an interaction's occurrence, or its record's timestamp, to its measurement.",
			prometheus.ExponentialBuckets(0.01, 4, 10))),
		sampled: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_sampled_total", Help: "Interactions forwarded for the deep evaluation.",
		}, []string{"reason"}),
		notCopied: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_not_sampled_total", Help: "Interactions that were sampled and not forwarded, by reason: too_large for the sampled topic, not_encoded.",
		}, []string{"reason"}),
		records: records.NewMetrics(reg, traffic, w.flaggingDetectors()),
	}
	for _, reason := range sampling.Reasons() {
		m.sampled.WithLabelValues(string(reason))
	}
	m.notCopied.WithLabelValues(reasonCopyTooLarge)
	m.notCopied.WithLabelValues(reasonCopyFailed)
	return m
}

// groundingChecks is the counter that detect and serve share.
func (w *worker) groundingChecks(policy *alerting.Policy) *coverage.GroundingChecks {
	if w.metrics.grounding == nil {
		w.metrics.grounding = coverage.NewGroundingChecks(w.Registry, w.metrics.traffic, policy.Actions())
	}
	return w.metrics.grounding
}

// createSeries creates the series whose topics depend on the configuration.
func (w *worker) createSeries() {
	c, topics := w.Config, []string{}
	for _, role := range w.activeRoles() {
		topics = append(topics, resources.RoleTopics(c, role)...)
		switch role {
		case config.RoleAlert:
			w.metrics.records.CreateTopics(c.Kafka.Topics.Alerts)
		case config.RoleDetect, config.RoleSample:
			w.metrics.records.CreateTopics(c.Kafka.Topics.Incidents)
		case config.RoleServe:
			w.metrics.records.CreateTopics(topics...)
		case config.RoleExport, config.RoleUI: // it shortens nothing
		}
	}
}

// flaggingDetectors are the detectors that flags of the active roles may name, by pass.
func (w *worker) flaggingDetectors() map[schemas.Pass][]string {
	fast := w.Config.FastDetectors()
	by := map[schemas.Pass][]string{}
	roles := w.activeRoles()
	if slices.Contains(roles, config.RoleDetect) || slices.Contains(roles, config.RoleServe) {
		by[schemas.PassFast] = fast
	}
	if slices.Contains(roles, config.RoleSample) {
		deep := w.Config.SelectDetectors(standard.Deep(standard.Dependencies{}))
		by[schemas.PassDeep] = slices.Concat(fast, detectors.Names(deep))
	}
	return by
}

// Bounds of a plausible age: producers' clocks differ, and topics are read again.
const (
	maxAge   = 366 * 24 * time.Hour
	maxAhead = time.Hour
)

// observeAge records how old an interaction is. A producer's clock may be wrong in either direction: an age below zero
// counts as zero, and a time that cannot be true is left out.
func (m *roleMetrics) observeAge(in *schemas.Interaction, recorded, now time.Time) {
	occurred := in.OccurredAt
	if occurred.IsZero() {
		occurred = recorded
	}
	age := now.Sub(occurred)
	if -maxAhead <= age && age <= maxAge {
		m.age.Observe(max(0, age.Seconds()))
	}
}
