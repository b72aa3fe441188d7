package tracing

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Observe records a value. If the context has a sampled span, its ids become the value's exemplar.
func Observe(ctx context.Context, o prometheus.Observer, value float64) {
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		if e, ok := o.(prometheus.ExemplarObserver); ok {
			e.ObserveWithExemplar(value, prometheus.Labels{"trace_id": span.TraceID().String(), "span_id": span.SpanID().String()})
			return
		}
	}
	o.Observe(value)
}
