package llm

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/labels"
)

// Metrics count the requests of all endpoints of a process. Label values are the configured models and fixed codes.
type Metrics struct {
	models   []string
	requests *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

// NewMetrics registers the metrics with reg. Other model names than models are counted as other.
func NewMetrics(reg prometheus.Registerer, models ...string) *Metrics {
	auto := promauto.With(reg)
	m := &Metrics{
		models: models,
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_llm_requests_total",
			Help: "Requests to language models and verifiers, each attempt by its HTTP status or what came instead.",
		}, []string{"model", "code"}),
		tokens: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_llm_tokens_total",
			Help: "Tokens of requests that were answered, as the server counts them or estimated, by kind: prompt, completion.",
		}, []string{"kind"}),
		duration: auto.NewHistogramVec(labels.Histogram(
			"confab_llm_request_duration_seconds",
			"Time of one attempt, from the request to the end of the reply.",
			[]float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}), []string{"model"}),
	}
	for _, model := range models {
		for _, code := range []string{"200", "429", "500", "503", codeTimeout, codeConnection, codeBadReply} {
			m.requests.WithLabelValues(model, code)
		}
		m.duration.WithLabelValues(model)
	}
	for _, kind := range []string{"prompt", "completion"} {
		m.tokens.WithLabelValues(kind)
	}
	return m
}

// Words of the label code: what came instead of a status.
const (
	codeTimeout    = "timeout"
	codeCanceled   = "canceled"
	codeConnection = "connection"
	codeBadReply   = "bad_reply"
	codeOther      = "other"
)

func (m *Metrics) observe(ctx context.Context, model string, failure *Error, took time.Duration) {
	if !slices.Contains(m.models, model) {
		model = "other"
	}
	m.requests.WithLabelValues(model, codeLabel(failure)).Inc()
	m.duration.WithLabelValues(model).Observe(took.Seconds())
}

func (m *Metrics) spent(u Usage) {
	m.tokens.WithLabelValues("prompt").Add(float64(u.Prompt))
	m.tokens.WithLabelValues("completion").Add(float64(u.Completion))
}

// codeLabel returns the metric label of a result: a common status, the class of any other, or a word.
func codeLabel(failure *Error) string {
	if failure == nil {
		return "200"
	}
	switch failure.Status {
	case 0, 400, 401, 403, 404, 408, 413, 422, 429, 500, 501, 502, 503, 504:
		return failure.code
	default:
		if h := failure.Status / 100; h >= 1 && h <= 5 {
			return string(rune('0'+h)) + "xx"
		}
		return codeOther
	}
}
