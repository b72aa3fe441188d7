package export

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics count what an endpoint refuses within accepted requests. Delivered, rejected and skipped flags are outcomes of the
// loop.
type Metrics struct {
	partial *prometheus.CounterVec
}

// NewMetrics registers the metrics with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	return &Metrics{partial: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_export_items_rejected_total",
		Help: "Log records or spans that an OTLP endpoint refused within accepted requests (partial_success).",
	}, []string{"path"})}
}

func (m *Metrics) countPartial(path string, n int64) {
	if m != nil {
		m.partial.WithLabelValues(path).Add(float64(n))
	}
}
