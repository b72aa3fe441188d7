package ui

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/worker/ui/feed"
)

// pageMetrics count requests and labels.
type pageMetrics struct {
	requests *prometheus.CounterVec
	labels   *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *pageMetrics {
	return &pageMetrics{
		requests: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_ui_requests_total", Help: "Requests to the page, by page and status code.",
		}, []string{"page", "code"}),
		labels: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_ui_labels_total", Help: "Labels that people gave on the page.",
		}, []string{"verdict"}),
	}
}

func (m *pageMetrics) countRequest(page string, code int) {
	m.requests.WithLabelValues(page, strconv.Itoa(code)).Inc()
}

// NewMetrics registers all metrics of the page, for their documentation.
func NewMetrics(reg prometheus.Registerer) {
	newMetrics(reg)
	feed.NewMetrics(reg, nil)
}
