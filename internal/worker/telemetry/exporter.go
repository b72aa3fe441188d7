package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// logEvery is the minimum time between two log lines about failed exports.
const logEvery = time.Minute

// countingExporter counts the spans that it exports, and logs failures at most once per logEvery.
type countingExporter struct {
	next     sdktrace.SpanExporter
	life     context.Context //nolint:containedctx // of exports in progress; its end cuts their retries short
	log      *slog.Logger
	exported prometheus.Counter
	failed   prometheus.Counter
	now      func() time.Time

	busy    sync.Mutex // held during an export
	mu      sync.Mutex
	logged  time.Time // of the last line
	skipped int       // failures since
}

// newSpanCounter registers the counter of spans. It exists also while nothing is exported.
func newSpanCounter(reg prometheus.Registerer) *prometheus.CounterVec {
	spans := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_trace_spans_total", Help: "Spans of Confab itself, by outcome of their export: exported, failed.",
	}, []string{"outcome"})
	spans.WithLabelValues("exported")
	spans.WithLabelValues("failed")
	return spans
}

// ExportSpans implements sdktrace.SpanExporter. It returns nil also after a failure, which is the SDK's to log otherwise.
func (e *countingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.busy.Lock()
	defer e.busy.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)() //nolint:contextcheck // the process's life ends the export, too
	if err := e.next.ExportSpans(ctx, spans); err != nil {
		e.failed.Add(float64(len(spans)))
		e.logFailure(ctx, err)
		return nil
	}
	e.exported.Add(float64(len(spans)))
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e *countingExporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// await returns when no export is in progress.
func (e *countingExporter) await() {
	e.busy.Lock()
	defer e.busy.Unlock()
}

func (e *countingExporter) logFailure(ctx context.Context, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if !e.logged.IsZero() && now.Sub(e.logged) < logEvery {
		e.skipped++
		return
	}
	e.log.WarnContext(ctx, "export spans failed", "error", err, "failures_not_logged", e.skipped,
		"remedy", "check that OTEL_EXPORTER_OTLP_ENDPOINT is an OTLP receiver; interactions are processed as usual")
	e.logged, e.skipped = now, 0
}
