package buildinfo

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// RegisterMetric registers the metric of the build.
func RegisterMetric(reg prometheus.Registerer) {
	promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
		Name: "confab_build_info", Help: "Always 1; the labels say which build runs.",
	}, []string{"version"}).WithLabelValues(Version()).Set(1)
}

// NewRegistry returns a registry with the metrics of the Go runtime and of the process.
func NewRegistry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}
