package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"confab/schemas"
)

// Scope is the name of the instrumentation scope of all spans.
const Scope = "confab"

// StartChild starts a child of the context's span. Without a recording span there it returns the context and a span that does
// nothing. The caller ends the span with [End].
func StartChild(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, noop.Span{}
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, opts...)
}

// End ends a span. Deferred, it keeps the value of a panic out of the span, which span.End would record: it may quote a text.
func End(span trace.Span) { span.End() }

// Fail marks a span as failed with an error type, one of few values.
func Fail(span trace.Span, errorType string) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(semconv.ErrorTypeKey.String(errorType))
}

// LinkTo returns a link to the span of an interaction, whose ids are in hexadecimal, or to its trace if the span is not
// known. It returns false if there is no trace id.
func LinkTo(traceID, spanID string) (trace.Link, bool) {
	id, err := trace.TraceIDFromHex(traceID)
	if err != nil {
		return trace.Link{}, false
	}
	of := trace.SpanContextConfig{TraceID: id, Remote: true}
	if of.SpanID, err = trace.SpanIDFromHex(spanID); err != nil {
		// A link without a span id is kept only with an attribute.
		return trace.Link{
			SpanContext: trace.NewSpanContext(of), Attributes: []attribute.KeyValue{attribute.String("confab.link", "trace")},
		}, true
	}
	return trace.Link{SpanContext: trace.NewSpanContext(of)}, true
}

// LinkFromHeader returns a link to the span that a W3C traceparent header names. It returns false for any other header.
func LinkFromHeader(traceparent []byte) (trace.Link, bool) {
	carrier := propagation.MapCarrier{"traceparent": string(traceparent)}
	of := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !of.IsValid() {
		return trace.Link{}, false
	}
	return trace.Link{SpanContext: of.WithTraceFlags(0)}, true
}

// WithoutSpan returns a context in which no span is active. Without a recording span it returns ctx.
func WithoutSpan(ctx context.Context) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, noop.Span{})
}

// RecordFlag adds a child of the batch's span for the evaluation that led to a flag, from its start until now. It links to
// the interaction's own trace.
func RecordFlag(batch trace.Span, began time.Time, f *schemas.Flag) {
	if !batch.IsRecording() {
		return
	}
	opts := []trace.SpanStartOption{
		trace.WithTimestamp(began),
		trace.WithAttributes(
			attribute.String("confab.incident_id", f.IncidentID),
			attribute.String("confab.interaction_id", f.InteractionID),
			attribute.String("confab.pass", string(f.Pass)),
			attribute.StringSlice("confab.fired", f.Fired),
			attribute.Bool("confab.alert", f.Alert),
			attribute.String("confab.recommendation", string(f.Recommendation)),
			attribute.String("confab.tenant", f.Tenant),
		),
	}
	if link, ok := LinkTo(f.TraceID, f.SpanID); ok {
		opts = append(opts, trace.WithLinks(link))
	}
	_, span := StartChild(trace.ContextWithSpan(context.Background(), batch), "evaluate", opts...)
	End(span)
}
