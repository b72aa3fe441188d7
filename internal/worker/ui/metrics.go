package ui

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// pageMetrics count requests, labels and what is read.
type pageMetrics struct {
	requests, labels *prometheus.CounterVec
	unreadable       prometheus.Counter
}

// newMetrics registers the metrics of the page; size says how much it holds.
func newMetrics(reg prometheus.Registerer, size func() int) *pageMetrics {
	p := promauto.With(reg)
	p.NewGaugeFunc(prometheus.GaugeOpts{Name: "confab_ui_flags", Help: "Flags that the page holds in memory."}, func() float64 { return float64(size()) })
	return &pageMetrics{
		requests:   p.NewCounterVec(prometheus.CounterOpts{Name: "confab_ui_requests_total", Help: "Requests to the page, by page and status code."}, []string{"page", "code"}),
		labels:     p.NewCounterVec(prometheus.CounterOpts{Name: "confab_ui_labels_total", Help: "Labels that people gave on the page."}, []string{"verdict"}),
		unreadable: p.NewCounter(prometheus.CounterOpts{Name: "confab_ui_unreadable_records_total", Help: "Records that the page could not read and passed over."}),
	}
}

// NewMetrics registers all metrics of the page, for their documentation.
func NewMetrics(reg prometheus.Registerer) { newMetrics(reg, new(store).size) }
