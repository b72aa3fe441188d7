package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"confab/consumer"
	"confab/internal/kafka"
)

// value has the ids of an interaction's span.
type value struct{ trace, span string }

func traceOf(v value) (traceID, spanID string) { return v.trace, v.span }

// handlerFunc is a handler.
type handlerFunc func(ctx context.Context, batch []consumer.Record[value]) error

func (f handlerFunc) Handle(ctx context.Context, batch []consumer.Record[value], _ consumer.Producer) error {
	return f(ctx, batch)
}

func quiet(_ context.Context, batch []consumer.Record[value]) error {
	for i := range batch {
		batch[i].Outcome = "quiet"
	}
	return nil
}

// handleTraced handles a batch and returns its span.
func handleTraced(t *testing.T, next handlerFunc, batch []consumer.Record[value], opts ...sdktrace.TracerProviderOption) (tracetest.SpanStubs, error) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(append(opts, sdktrace.WithSyncer(exporter))...)
	h := traceBatches[value](next, batchTraceOptions[value]{Tracer: provider.Tracer("test"), Role: "detect", Group: "confab-detect", TraceOf: traceOf})
	err := h.Handle(t.Context(), batch, nil)
	return exporter.GetSpans(), err
}

func id(n, digits int) string { return fmt.Sprintf("%0*x", digits, n) }

func record(offset int64, index int, v value, headers ...kafka.Header) consumer.Record[value] {
	return consumer.Record[value]{Topic: "llm.interactions", Partition: 3, Offset: offset, Index: index, Value: v, Headers: headers, Raw: []byte("canary"), Key: []byte("canary")}
}

func TestTraceBatches(t *testing.T) {
	header := func(n int) kafka.Header {
		return kafka.Header{Key: "traceparent", Value: []byte("00-" + id(n, 32) + "-" + id(n, 16) + "-01")}
	}
	spans, err := handleTraced(t, quiet, []consumer.Record[value]{
		record(7, 0, value{id(1, 32), id(1, 16)}),
		record(7, 1, value{id(1, 32), id(2, 16)}),            // another span of the trace
		record(7, 2, value{id(1, 32), id(2, 16)}),            // the same again
		record(8, 0, value{}, header(5)),                     // the header
		record(9, 0, value{id(6, 32), id(6, 16)}, header(7)), // the value wins
		record(10, 0, value{trace: id(8, 32)}),               // the trace only
		record(11, 0, value{}),
		record(12, 0, value{"canary", "canary"}, kafka.Header{Key: "traceparent", Value: []byte("canary")}),
	})
	require.NoError(t, err)
	require.Len(t, spans, 1)
	s := spans[0]
	require.Equal(t, "process llm.interactions", s.Name)
	require.Equal(t, trace.SpanKindConsumer, s.SpanKind)
	require.False(t, s.Parent.IsValid(), "a batch has many traces, so it starts its own")
	var links []string
	for _, l := range s.Links {
		links = append(links, l.SpanContext.TraceID().String()[31:]+"/"+l.SpanContext.SpanID().String()[15:])
	}
	require.Equal(t, []string{"1/1", "1/2", "5/5", "6/6", "8/0"}, links)
	got := map[string]any{}
	for _, a := range s.Attributes {
		got[string(a.Key)] = a.Value.AsInterface()
	}
	require.Equal(t, map[string]any{
		"messaging.system": "kafka", "messaging.operation.name": "process", "messaging.operation.type": "process",
		"messaging.destination.name": "llm.interactions", "messaging.destination.partition.id": "3", "messaging.consumer.group.name": "confab-detect",
		"messaging.kafka.offset": int64(7), "messaging.batch.message_count": int64(6), "confab.interactions": int64(8), "confab.role": "detect",
		"confab.outcome.quiet": int64(8),
	}, got)
	require.NotContains(t, fmt.Sprintf("%+v", s), "canary")
}

func TestLinksAreBounded(t *testing.T) {
	var batch []consumer.Record[value]
	for i := range 2000 {
		batch = append(batch, record(int64(i), 0, value{id(i+1, 32), id(i+1, 16)}))
	}
	spans, err := handleTraced(t, quiet, batch)
	require.NoError(t, err)
	require.Len(t, spans[0].Links, maxLinks)
	require.Zero(t, spans[0].DroppedLinks)
}

func TestFailedBatch(t *testing.T) {
	batch := []consumer.Record[value]{record(1, 0, value{})}
	broken := errors.New("canary")
	spans, err := handleTraced(t, func(context.Context, []consumer.Record[value]) error { return broken }, batch)
	require.ErrorIs(t, err, broken)
	require.Equal(t, codes.Error, spans[0].Status.Code)
	require.NotContains(t, fmt.Sprintf("%+v", spans[0]), "canary")
}

// The handler's context has the batch's span.
func TestSpanIsInContext(t *testing.T) {
	var seen trace.SpanContext
	spans, err := handleTraced(t, func(ctx context.Context, _ []consumer.Record[value]) error {
		seen = trace.SpanContextFromContext(ctx)
		return nil
	}, []consumer.Record[value]{record(1, 0, value{})})
	require.NoError(t, err)
	require.Equal(t, spans[0].SpanContext.SpanID(), seen.SpanID())
	require.True(t, seen.IsSampled())
}

func TestNoTracer(t *testing.T) {
	h := &countingHandler{}
	same := traceBatches[value](h, batchTraceOptions[value]{Role: "detect"})
	require.Same(t, h, same)
	batch := []consumer.Record[value]{record(1, 0, value{strings.Repeat("a", 32), strings.Repeat("b", 16)})}
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = same.Handle(ctx, batch, nil) }))
}

func TestUnsampledBatch(t *testing.T) {
	spans, err := handleTraced(t, quiet, []consumer.Record[value]{record(1, 0, value{})}, sdktrace.WithSampler(sdktrace.NeverSample()))
	require.NoError(t, err)
	require.Empty(t, spans)
}

type countingHandler struct{ batches int }

func (c *countingHandler) Handle(context.Context, []consumer.Record[value], consumer.Producer) error {
	c.batches++
	return nil
}
