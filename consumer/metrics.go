package consumer

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the counters of all loops of a process.
type Metrics struct{}

// NewMetrics registers the metrics of loops with reg. Call it once per registry.
func NewMetrics(reg prometheus.Registerer) *Metrics { return &Metrics{} }
