package ui

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// pageMetrics count requests, labels and what is read.
type pageMetrics struct {
	requests            *prometheus.CounterVec
	labels              *prometheus.CounterVec
	records, unreadable prometheus.Counter
	newest              prometheus.Gauge
}

// newMetrics registers the metrics of the page; size says how much it holds.
func newMetrics(reg prometheus.Registerer, size func() (flags int, bytes int64)) *pageMetrics {
	p := promauto.With(reg)
	p.NewGaugeFunc(prometheus.GaugeOpts{Name: "confab_ui_flags", Help: "Flags that the page holds in memory."}, func() float64 {
		n, _ := size()
		return float64(n)
	})
	p.NewGaugeFunc(prometheus.GaugeOpts{Name: "confab_ui_bytes", Help: "About the memory of the flags, labels and alert states that the page holds."}, func() float64 {
		_, n := size()
		return float64(n)
	})
	return &pageMetrics{
		requests:   p.NewCounterVec(prometheus.CounterOpts{Name: "confab_ui_requests_total", Help: "Requests to the page, by page and status code."}, []string{"page", "code"}),
		labels:     p.NewCounterVec(prometheus.CounterOpts{Name: "confab_ui_labels_total", Help: "Labels that people gave on the page."}, []string{"verdict"}),
		records:    p.NewCounter(prometheus.CounterOpts{Name: "confab_ui_records_total", Help: "Records that the page read from its topics."}),
		unreadable: p.NewCounter(prometheus.CounterOpts{Name: "confab_ui_unreadable_records_total", Help: "Records that the page could not read and passed over."}),
		newest:     p.NewGauge(prometheus.GaugeOpts{Name: "confab_ui_newest_record_timestamp_seconds", Help: "Time of the last record that was read."}),
	}
}

func (m *pageMetrics) countRequest(page string, code int) {
	m.requests.WithLabelValues(page, strconv.Itoa(code)).Inc()
}

// NewMetrics registers all metrics of the page, for their documentation.
func NewMetrics(reg prometheus.Registerer) { newMetrics(reg, new(store).size) }
