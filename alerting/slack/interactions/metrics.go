package interactions

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	slacksink "confab/alerting/slack"
	"confab/schemas"
)

// Outcomes of clicks. A failed edit is counted in addition to the "ok" of its click.
const (
	outcomeOK            = "ok"
	outcomeInvalid       = "invalid"
	outcomePublishFailed = "publish_failed"
	outcomeEditFailed    = "edit_failed"
)

// unknownAction is the label of requests without a valid click.
const unknownAction = "unknown"

// Metrics count clicks. All series exist from the start, so that rates are never empty.
type Metrics struct {
	clicks    *prometheus.CounterVec
	connected prometheus.Gauge
}

// NewMetrics registers the metrics with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	m := &Metrics{
		clicks: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_clicks_total",
			Help: "Clicks on buttons in Slack by outcome; edit_failed is counted in addition to ok.",
		}, []string{"action", "outcome"}),
		connected: auto.NewGauge(prometheus.GaugeOpts{
			Name: "confab_slack_socket_connected",
			Help: "1 while Slack can hand clicks to this worker over Socket Mode.",
		}),
	}
	for _, action := range []string{slacksink.ActionWrong, slacksink.ActionFine, slacksink.ActionSilence} {
		for _, outcome := range []string{outcomeOK, outcomeInvalid, outcomePublishFailed, outcomeEditFailed} {
			m.clicks.WithLabelValues(actionLabel(action), outcome)
		}
	}
	m.clicks.WithLabelValues(unknownAction, outcomeInvalid)
	return m
}

func (m *Metrics) count(action, outcome string) { m.clicks.WithLabelValues(action, outcome).Inc() }

// actionLabel returns the metric label of an action id.
func actionLabel(action string) string {
	switch action {
	case slacksink.ActionWrong:
		return string(schemas.Wrong)
	case slacksink.ActionFine:
		return string(schemas.Fine)
	case slacksink.ActionSilence:
		return "silence"
	}
	return unknownAction
}
