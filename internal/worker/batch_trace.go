package worker

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"confab/consumer"
	"confab/internal/tracing"
)

// maxLinks bounds the links of a batch's span. The SDK keeps as many.
const maxLinks = 128

// batchTraceOptions describe the handler of a role.
type batchTraceOptions[T any] struct {
	Tracer  trace.Tracer // nil: the handler is returned as it is
	Role    string
	Group   string
	TraceOf func(value T) (traceID, spanID string) // of the interaction, in hexadecimal; may be empty
}

// traceBatches adds a consumer span for each batch that the handler processes, with links to the traces of its interactions.
// A span for each record would cost more than evaluating a small one.
func traceBatches[T any](next consumer.Handler[T], o batchTraceOptions[T]) consumer.Handler[T] {
	if o.Tracer == nil {
		return next
	}
	return &batchTracer[T]{next: next, batchTraceOptions: o}
}

type batchTracer[T any] struct {
	next consumer.Handler[T]
	batchTraceOptions[T]
}

// Handle implements consumer.Handler.
func (b *batchTracer[T]) Handle(ctx context.Context, batch []consumer.Record[T], out consumer.Producer) error {
	if len(batch) == 0 {
		return b.next.Handle(ctx, batch, out)
	}
	ctx, span := b.Tracer.Start(ctx, "process "+batch[0].Topic, trace.WithSpanKind(trace.SpanKindConsumer))
	defer tracing.End(span)
	if !span.IsRecording() {
		return b.next.Handle(ctx, batch, out)
	}
	b.describe(span, batch) //nolint:contextcheck // a link is read from the record, not from the context
	err := b.next.Handle(ctx, batch, out)
	if err != nil && ctx.Err() == nil {
		tracing.Fail(span, "handler") // the log has the error
	}
	outcomes := map[string]int{}
	for i := range batch {
		if batch[i].Outcome != "" {
			outcomes[batch[i].Outcome]++
		}
	}
	for outcome, n := range outcomes {
		span.SetAttributes(attribute.Int("confab.outcome."+outcome, n))
	}
	return err
}

// describe adds where the records come from, and links to their traces.
func (b *batchTracer[T]) describe(span trace.Span, batch []consumer.Record[T]) {
	type target struct {
		trace trace.TraceID
		span  trace.SpanID
	}
	records, links := 0, map[target]bool{}
	for i := range batch {
		r := &batch[i]
		if i == 0 || r.Offset != batch[i-1].Offset {
			records++
		}
		if len(links) == maxLinks {
			continue
		}
		link, ok := tracing.LinkTo(b.TraceOf(r.Value))
		if !ok {
			link, ok = tracing.LinkFromHeader(r.Header("traceparent"))
		}
		to := target{link.SpanContext.TraceID(), link.SpanContext.SpanID()}
		if ok && !links[to] {
			links[to] = true
			span.AddLink(link)
		}
	}
	first := &batch[0]
	span.SetAttributes(
		semconv.MessagingSystemKafka, semconv.MessagingOperationName("process"), semconv.MessagingOperationTypeProcess,
		semconv.MessagingDestinationName(first.Topic), semconv.MessagingDestinationPartitionID(strconv.Itoa(int(first.Partition))),
		semconv.MessagingConsumerGroupName(b.Group), semconv.MessagingKafkaOffset(int(first.Offset)),
		semconv.MessagingBatchMessageCount(records), attribute.Int("confab.interactions", len(batch)), attribute.String("confab.role", b.Role),
	)
}
