package tracing

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// WithCaller returns the request with the trace of its W3C trace context headers, so that what is measured for it has
// exemplars. No span of Confab becomes part of that trace. Without valid headers it returns the request.
func WithCaller(req *http.Request) *http.Request {
	if req.Header.Get("Traceparent") == "" {
		return req
	}
	return req.WithContext(propagation.TraceContext{}.Extract(req.Context(), propagation.HeaderCarrier(req.Header)))
}

// StartRequest starts a client span for an HTTP request, as a child of its context's span. It has the server's name and no
// URL: that of a webhook is a secret.
func StartRequest(req *http.Request) (context.Context, trace.Span) {
	ctx, span := StartChild(req.Context(), req.Method, trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(semconv.HTTPRequestMethodKey.String(req.Method), semconv.ServerAddress(req.URL.Hostname()))
		if port, err := strconv.Atoi(req.URL.Port()); err == nil {
			span.SetAttributes(semconv.ServerPort(port))
		}
	}
	return ctx, span
}

// SetResponse adds the result of a request: its HTTP status, or that there is none.
func SetResponse(span trace.Span, resp *http.Response, err error) {
	switch {
	case !span.IsRecording():
		return
	case err != nil:
		Fail(span, "connection")
		return
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(resp.StatusCode))
	if resp.StatusCode >= http.StatusBadRequest {
		Fail(span, strconv.Itoa(resp.StatusCode))
	}
}
