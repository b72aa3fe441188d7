package worker

import (
	"context"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/telemetry"
	"confab/consumer"
	"confab/schemas"
)

// traceInteractions adds the spans of a role's batches, if spans are exported.
func (w *worker) traceInteractions(role config.Role, next consumer.Handler[*schemas.Interaction]) consumer.Handler[*schemas.Interaction] {
	return telemetry.TraceBatches(next, telemetry.BatchOptions[*schemas.Interaction]{
		Tracer: w.traces.Tracer(), Role: string(role), Group: w.Config.Group(role),
		TraceOf: func(in *schemas.Interaction) (traceID, spanID string) { return in.TraceID, in.SpanID },
	})
}

// traceFlags adds the spans of a role that reads flags, if spans are exported.
func (w *worker) traceFlags(role config.Role, next consumer.Handler[*schemas.Flag]) consumer.Handler[*schemas.Flag] {
	return telemetry.TraceBatches(next, telemetry.BatchOptions[*schemas.Flag]{
		Tracer: w.traces.Tracer(), Role: string(role), Group: w.Config.Group(role),
		TraceOf: func(f *schemas.Flag) (traceID, spanID string) { return f.TraceID, f.SpanID },
	})
}

// flushTraces exports the last spans within its share of the grace period.
func (w *worker) flushTraces() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime(w.Config))
	defer cancel()
	w.traces.Shutdown(ctx)
}
