package records

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/schemas"
)

// The event types of llm.incidents. A quiet flag, written under emit: all, carries none.
const (
	eventDetected          = "HALLUCINATION_DETECTED"
	eventDetectedStreaming = "HALLUCINATION_DETECTED_STREAMING"
)

// EventType is the type of the event that the flag of an interaction is, "" for a quiet one.
func EventType(f *schemas.Flag, in *schemas.Interaction) string {
	switch {
	case len(f.Fired) == 0:
		return ""
	case in.Streamed:
		return eventDetectedStreaming
	}
	return eventDetected
}

// Publisher writes flags.
type Publisher struct {
	Topics  config.Topics
	Flags   *FlagEncoder      // nil: JSON
	Limits  *kafka.SizeLimits // nil: none is known
	Metrics *Metrics          // nil: nothing is counted
}

// Publish writes the flag, shortened as far as its topic requires. A flag that does not fit in its shortest form is written
// whole, and the broker rejects it as too large.
func (p *Publisher) Publish(ctx context.Context, f *schemas.Flag, r *consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	m := kafka.Message{
		Topic: p.Topics.Incidents, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Headers: p.headers(f, r),
	}
	m, level, err := fit(shortenAll, m, p.Limits, func(l shortenLevel) ([]byte, error) {
		slim := l.apply(f)
		return p.Flags.encode(ctx, &slim)
	})
	if err != nil {
		return fmt.Errorf("encode flag: %w", err)
	}
	p.Metrics.countShortened(m.Topic, level)
	p.Metrics.countFlag(f)
	out.Produce(m)
	return nil
}

// headers are the headers of a flag's record: trace, content type and the CloudEvents attributes in binary mode.
func (p *Publisher) headers(f *schemas.Flag, r *consumer.Record[*schemas.Interaction]) []kafka.Header {
	h := make([]kafka.Header, 0, 9)
	values := make([]byte, 0, 320) // one memory for all of them
	add := func(key string, parts ...string) {
		from := len(values)
		for _, part := range parts {
			values = append(values, part...)
		}
		h = append(h, kafka.Header{Key: key, Value: values[from:len(values):len(values)]})
	}
	add("content-type", p.Flags.contentType())
	add("ce_specversion", "1.0")
	add("ce_id", f.IncidentID, "/", string(f.Pass))
	add("ce_source", "/confab/", headerText(f.Origin.Topic))
	add("ce_type", "confab.flag")
	add("ce_subject", headerText(f.InteractionID))
	add("ce_time", f.DetectedAt.UTC().Format(time.RFC3339Nano))
	if event := EventType(f, r.Value); event != "" {
		add("confab-event-type", event)
	}
	traceparent := r.Header("traceparent")
	if trace, _ := schemas.ReadTraceparent(string(traceparent)); trace != "" {
		h = append(h, kafka.Header{Key: "traceparent", Value: traceparent})
	}
	return h
}

// maxHeaderText bounds a header whose text comes from a payload, in UTF-16 code units.
const maxHeaderText = 256

// headerText keeps the visible characters of a payload's text on one line, cut at maxHeaderText.
func headerText(s string) string {
	if len(s) <= maxHeaderText && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return s
	}
	units := 0
	s = redact.Visible(s, maxHeaderText)
	for i, r := range s {
		if units += max(1, utf16.RuneLen(r)); units > maxHeaderText {
			return s[:i]
		}
	}
	return s
}
