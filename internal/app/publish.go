package app

import (
	"context"
	"fmt"
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
)

// The event types of llm.incidents. A quiet flag, written under emit: all, carries none.
const (
	eventDetected          = "HALLUCINATION_DETECTED"
	eventDetectedStreaming = "HALLUCINATION_DETECTED_STREAMING"
)

// publisher writes flags.
type publisher struct {
	topics  Topics
	flags   *flagEncoder // nil: JSON
	metrics *metrics
}

// publish writes the verdict as a flag.
func (p *publisher) publish(ctx context.Context, f *schemas.Flag, r *consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	value, err := p.flags.encode(ctx, f)
	if err != nil {
		return fmt.Errorf("encode flag: %w", err)
	}
	p.metrics.countFlag(f)
	out.Produce(kafka.Message{
		Topic: p.topics.Incidents, Partition: kafka.AnyPartition,
		Key: []byte(f.IncidentID), Value: value, Headers: p.headers(f, r),
	})
	return nil
}

// headers are the headers of a flag's record: the trace it belongs to, what its value is, and the CloudEvents
// attributes in binary mode.
func (p *publisher) headers(f *schemas.Flag, r *consumer.Record[*schemas.Interaction]) []kafka.Header {
	h := make([]kafka.Header, 0, 9)
	add := func(key, value string) { h = append(h, kafka.Header{Key: key, Value: []byte(value)}) }
	add("content-type", p.flags.contentType())
	add("ce_specversion", "1.0")
	add("ce_id", f.IncidentID+"/"+string(f.Pass))
	add("ce_source", "/confab/"+f.Origin.Topic)
	add("ce_type", "confab.flag")
	add("ce_subject", f.InteractionID)
	add("ce_time", f.DetectedAt.UTC().Format(time.RFC3339Nano))
	if len(f.Fired) > 0 {
		event := eventDetected
		if r.Value.Streamed {
			event = eventDetectedStreaming
		}
		add("confab-event-type", event)
	}
	if traceparent := r.Header("traceparent"); len(traceparent) > 0 {
		h = append(h, kafka.Header{Key: "traceparent", Value: traceparent})
	}
	return h
}
