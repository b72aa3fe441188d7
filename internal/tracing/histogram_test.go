package tracing_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"confab/internal/tracing"
)

func TestObserve(t *testing.T) {
	span := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}
	unsampled := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(span))
	span.TraceFlags = trace.FlagsSampled
	sampled := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(span))
	for _, tc := range []struct {
		name string
		ctx  context.Context
		want map[string]string
	}{
		{"no span", t.Context(), nil},
		{"unsampled", unsampled, nil},
		{"sampled", sampled, map[string]string{"trace_id": "01000000000000000000000000000000", "span_id": "0200000000000000"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := prometheus.NewHistogram(tracing.HistogramOptions("seconds", "A test.", []float64{1, 2}))
			registry := prometheus.NewRegistry()
			registry.MustRegister(h)
			tracing.Observe(tc.ctx, h, 1.5)
			families, err := registry.Gather()
			require.NoError(t, err)
			m := families[0].GetMetric()[0]
			require.EqualValues(t, 1, m.GetHistogram().GetSampleCount())
			var got map[string]string
			for _, b := range m.GetHistogram().GetBucket() {
				for _, l := range b.GetExemplar().GetLabel() {
					if got == nil {
						got = map[string]string{}
					}
					got[l.GetName()] = l.GetValue()
				}
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestObserveWithoutSpanAllocatesNothing(t *testing.T) {
	h := prometheus.NewHistogram(tracing.HistogramOptions("seconds", "A test.", []float64{1, 2}))
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() { tracing.Observe(ctx, h, 1.5) }))
}

// A scrape in the text format has the same bytes with and without exemplars.
func TestTextFormatHasNoExemplars(t *testing.T) {
	scrape := func(ctx context.Context, accept string) string {
		h := prometheus.NewHistogram(tracing.HistogramOptions("seconds", "A test.", []float64{1, 2}))
		registry := prometheus.NewRegistry()
		registry.MustRegister(h)
		tracing.Observe(ctx, h, 1.5)
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil)
		req.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, req)
		return w.Body.String()
	}
	sampled := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled,
	}))
	for _, accept := range []string{"", "*/*", "text/plain; version=0.0.4"} {
		require.Equal(t, scrape(t.Context(), accept), scrape(sampled, accept), accept)
	}
	require.Contains(t, scrape(sampled, "application/openmetrics-text; version=1.0.0"), `trace_id="01`)
}
