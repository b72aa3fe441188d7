package tracing

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// HistogramOptions are the options of a histogram with the given buckets, which is a native histogram for servers that scrape these.
func HistogramOptions(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

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
