package worker

import (
	"cmp"
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"confab/internal/tracing"
	"confab/internal/worker/buildinfo"
)

// traceOptions are the dependencies of startSpanExport. All are required.
type traceOptions struct {
	Env    []string // NAME=value; the SDK itself reads the process's environment
	Logger *slog.Logger
}

// spanExport exports spans. The zero value and nil export nothing.
type spanExport struct {
	provider *sdktrace.TracerProvider // nil: off
	cut      context.CancelFunc       // ends exports in progress
	log      *slog.Logger
}

// startSpanExport begins to export spans if the environment asks for it. Values that cannot be used are logged.
func startSpanExport(ctx context.Context, o traceOptions) *spanExport {
	s := readSettings(o.Env)
	if s.problem != "" {
		o.Logger.WarnContext(ctx, "ignored OpenTelemetry setting", "variable", s.problem, "remedy", s.remedy)
	}
	if !s.enabled {
		return nil
	}
	useLogger(o.Logger)
	next, err := newExporter(ctx, s.protocol)
	if err != nil {
		o.Logger.ErrorContext(ctx, "start export of spans failed, none is exported", "error", err, "remedy", "check OTEL_EXPORTER_OTLP_*")
		return nil
	}
	life, cut := context.WithCancel(context.WithoutCancel(ctx))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(cutExporter{next, life}), sdktrace.WithResource(newResource(ctx, o.Logger)))
	o.Logger.InfoContext(ctx, "export spans of the worker", "protocol", cmp.Or(s.protocol, "http/protobuf"))
	return &spanExport{provider: provider, cut: cut, log: o.Logger}
}

// cutExporter ends exports in progress, with their retries, when life ends.
type cutExporter struct {
	sdktrace.SpanExporter

	life context.Context //nolint:containedctx // its end cuts exports short
}

// ExportSpans implements sdktrace.SpanExporter.
func (e cutExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)() //nolint:contextcheck // the process's life ends the export, too
	return e.SpanExporter.ExportSpans(ctx, spans)
}

func newExporter(ctx context.Context, protocol string) (sdktrace.SpanExporter, error) {
	if protocol == protocolGRPC {
		return otlptracegrpc.New(ctx)
	}
	return otlptracehttp.New(ctx)
}

// newResource describes this process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
func newResource(ctx context.Context, log *slog.Logger) *resource.Resource {
	r, err := resource.New(ctx,
		resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName("confab"), semconv.ServiceVersion(buildinfo.Version())),
		resource.WithFromEnv(),
	)
	if err != nil {
		log.WarnContext(ctx, "ignored OpenTelemetry setting", "variable", "OTEL_RESOURCE_ATTRIBUTES", "remedy", "write name=value,name=value; other parts are ignored")
	}
	return r
}

// Tracer returns the tracer of spans without a parent; nil if nothing is exported.
func (t *spanExport) Tracer() trace.Tracer {
	if t == nil || t.provider == nil {
		return nil
	}
	return t.provider.Tracer(tracing.Scope)
}

// Shutdown exports what is left until ctx ends, and drops the rest. Spans that are started later are lost.
func (t *spanExport) Shutdown(ctx context.Context) {
	if t == nil || t.provider == nil {
		return
	}
	err := t.provider.Shutdown(ctx)
	t.cut()
	if err != nil {
		t.log.WarnContext(ctx, "export of the last spans did not end in time", "error", err)
	}
}
