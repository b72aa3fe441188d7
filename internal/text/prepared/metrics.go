package prepared

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Register registers the metrics of the cache: zero for a nil one.
func (c *Cache) Register(reg prometheus.Registerer) {
	f := promauto.With(reg)
	for result, count := range map[string]func(Stats) uint64{
		"hit":  func(s Stats) uint64 { return s.Hits },
		"miss": func(s Stats) uint64 { return s.Misses },
	} {
		f.NewCounterFunc(prometheus.CounterOpts{
			Name: "confab_source_cache_lookups_total", ConstLabels: prometheus.Labels{"result": result},
			Help: "Sources that were looked up in the cache of sources, by result: hit, miss. Sources under 128 bytes are not.",
		}, func() float64 { return float64(count(c.Stats())) })
	}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_source_cache_bytes", Help: "Memory of the cache of sources.",
	}, func() float64 { return float64(c.Stats().Bytes) })
}
