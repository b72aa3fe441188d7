package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// WithTrace returns a context in which measured values have the trace of an interaction as their exemplar; ctx without valid ids,
// which are in hexadecimal.
func WithTrace(ctx context.Context, traceID, spanID string) context.Context {
	of, err := trace.TraceIDFromHex(traceID)
	if err != nil {
		return ctx
	}
	span, err := trace.SpanIDFromHex(spanID)
	if err != nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: of, SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// WithCaller returns the request with the trace of its W3C trace context headers, so that what is measured for it has
// exemplars. No span of Confab becomes part of that trace. Without valid headers it returns the request.
func WithCaller(req *http.Request) *http.Request {
	if req.Header.Get("Traceparent") == "" {
		return req
	}
	return req.WithContext(propagation.TraceContext{}.Extract(req.Context(), propagation.HeaderCarrier(req.Header)))
}
