package sampling

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// NotJudged is the reason for a deep evaluation without a verdict: a metric label and the reason of a signal.
type NotJudged string

// The reasons.
const (
	NotJudgedBudget      NotJudged = "budget"            // a token limit is reached
	NotJudgedError       NotJudged = "error"             // the server or the budget log failed, or the evaluation was cancelled
	NotJudgedOptOut      NotJudged = "opt_out"           // the tenant has opted out
	NotJudgedCompromised NotJudged = "judge_compromised" // the judge accepted the canary statement
	NotJudgedUnreadable  NotJudged = "judge_unreadable"  // the judge's reply does not have the requested form
)

// NotJudgedReasons lists every reason.
func NotJudgedReasons() []NotJudged {
	return []NotJudged{NotJudgedBudget, NotJudgedError, NotJudgedOptOut, NotJudgedCompromised, NotJudgedUnreadable}
}

// NotJudgedMetrics counts deep evaluations without a verdict. Every series exists from the start.
type NotJudgedMetrics struct{ total *prometheus.CounterVec }

// NewNotJudgedMetrics registers confab_not_judged_total{reason} with reg.
func NewNotJudgedMetrics(reg prometheus.Registerer) *NotJudgedMetrics {
	m := &NotJudgedMetrics{promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_not_judged_total", Help: "Sampled interactions without a verdict of a deep detector, by reason: budget, error, judge_compromised, judge_unreadable, opt_out.",
	}, []string{"reason"})}
	for _, r := range NotJudgedReasons() {
		m.total.WithLabelValues(string(r))
	}
	return m
}

// Inc adds one.
func (m *NotJudgedMetrics) Inc(reason NotJudged) { m.total.WithLabelValues(string(reason)).Inc() }
