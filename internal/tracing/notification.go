package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"confab/schemas"
)

// StartNotification starts a span for one attempt to deliver an alert. It links to the traces of the incidents whose evidence
// the message shows. With a nil tracer it returns the context and a span that does nothing.
func StartNotification(ctx context.Context, tracer trace.Tracer, name string, alert *schemas.Alert) (context.Context, trace.Span) {
	if tracer == nil {
		return ctx, noop.Span{}
	}
	ctx, span := tracer.Start(ctx, name, trace.WithAttributes(
		attribute.String("confab.group", alert.Group),
		attribute.String("confab.incident_id", alert.Flag.IncidentID),
		attribute.Int64("confab.incidents", alert.Count),
		attribute.String("confab.severity", string(alert.Severity)),
	))
	if !span.IsRecording() {
		return ctx, span
	}
	linked := map[string]bool{}
	link := func(f *schemas.Flag) {
		if l, ok := LinkTo(f.TraceID, f.SpanID); ok && !linked[f.TraceID+f.SpanID] {
			linked[f.TraceID+f.SpanID] = true
			span.AddLink(l)
		}
	}
	link(&alert.Flag)
	for i := range alert.Riskiest {
		link(&alert.Riskiest[i])
	}
	return ctx, span
}
