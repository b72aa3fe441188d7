package schemaregistry

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// clientMetrics count lookups. Answers from the cache are not counted.
type clientMetrics struct {
	lookups *prometheus.CounterVec
	since   atomic.Int64 // Unix nanoseconds of the first failure in a row, 0 after a success
	now     func() time.Time
}

func newClientMetrics(reg prometheus.Registerer, now func() time.Time) *clientMetrics {
	m := &clientMetrics{now: now}
	f := promauto.With(reg)
	m.lookups = f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_registry_lookups_total", Help: "Schemas asked for at the registry, by result: found, unknown or error.",
	}, []string{"result"})
	for _, result := range []string{"found", "unknown", "error"} {
		m.lookups.WithLabelValues(result)
	}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_registry_stall_seconds", Help: "For how long the registry has not answered lookups; 0 when it does.",
	}, m.stallSeconds)
	return m
}

func (m *clientMetrics) stallSeconds() float64 {
	since := m.since.Load()
	if since == 0 {
		return 0
	}
	return max(0, m.now().Sub(time.Unix(0, since)).Seconds())
}

// observeLookup counts a lookup, unless its context ended.
func (m *clientMetrics) observeLookup(ctx context.Context, err error) {
	switch {
	case err == nil:
		m.lookups.WithLabelValues("found").Inc()
	case errors.Is(err, ErrUnknownSchema):
		m.lookups.WithLabelValues("unknown").Inc()
	case ctx.Err() != nil:
		return
	default:
		m.lookups.WithLabelValues("error").Inc()
		m.since.CompareAndSwap(0, m.now().UnixNano())
		return
	}
	m.since.Store(0)
}
