package tracing

import (
	"context"
	"net/http"
	"strconv"

	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

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
