package sampling

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// NotJudged says why a deep look did not take place, or not with a verdict: the label of a metric and the reason of a
// signal, from a closed set.
type NotJudged string

// The reasons.
const (
	NotJudgedBudget      NotJudged = "budget"            // a limit of tokens is reached
	NotJudgedError       NotJudged = "error"             // the server or the books could not be used, or an evaluation ended first
	NotJudgedOptOut      NotJudged = "opt_out"           // the tenant's texts must not leave
	NotJudgedCompromised NotJudged = "judge_compromised" // the judge failed its control question
)

// NotJudgedReasons lists every reason.
func NotJudgedReasons() []NotJudged {
	return []NotJudged{NotJudgedBudget, NotJudgedError, NotJudgedOptOut, NotJudgedCompromised}
}

// NotJudgedMetrics counts deep looks without a verdict. Every series exists from the start.
type NotJudgedMetrics struct{ total *prometheus.CounterVec }

// NewNotJudgedMetrics registers confab_not_judged_total{reason} with reg.
func NewNotJudgedMetrics(reg prometheus.Registerer) *NotJudgedMetrics {
	m := &NotJudgedMetrics{promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_not_judged_total", Help: "Sampled interactions without a verdict of a deep detector, by reason: budget, error, judge_compromised, opt_out.",
	}, []string{"reason"})}
	for _, r := range NotJudgedReasons() {
		m.total.WithLabelValues(string(r))
	}
	return m
}

// Inc counts one.
func (m *NotJudgedMetrics) Inc(reason NotJudged) { m.total.WithLabelValues(string(reason)).Inc() }
