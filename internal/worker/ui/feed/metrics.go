package feed

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/worker/ui/store"
)

// Metrics count what is read.
type Metrics struct {
	records, unreadable prometheus.Counter
	newest              prometheus.Gauge
}

// NewMetrics registers the metrics of a feed and of its store.
func NewMetrics(reg prometheus.Registerer, s *store.Store) *Metrics {
	size := func(name, help string, of func(st store.Stats) float64) {
		promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			st, err := s.Stats()
			if err != nil {
				return 0
			}
			return of(st)
		})
	}
	size("confab_ui_store_flags", "Flags in the store of the page.", func(st store.Stats) float64 { return float64(st.Flags) })
	size("confab_ui_store_bytes", "Size of the file of the page's store.", func(st store.Stats) float64 { return float64(st.File) })
	return &Metrics{
		records:    promauto.With(reg).NewCounter(prometheus.CounterOpts{Name: "confab_ui_records_total", Help: "Records that were read into the store of the page."}),
		unreadable: promauto.With(reg).NewCounter(prometheus.CounterOpts{Name: "confab_ui_unreadable_records_total", Help: "Records that the page could not read and passed over."}),
		newest:     promauto.With(reg).NewGauge(prometheus.GaugeOpts{Name: "confab_ui_newest_record_timestamp_seconds", Help: "Time of the last record that was stored."}),
	}
}

func (m *Metrics) countRecords(b *batch) {
	m.records.Add(float64(b.records))
	m.unreadable.Add(float64(b.unreadable))
	if !b.newest.IsZero() {
		m.newest.Set(float64(b.newest.UnixMilli()) / 1000)
	}
}
