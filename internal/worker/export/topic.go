package export

import (
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
)

// evaluationsTopic is the destination llm.evaluations: one record per flag, which the loop makes durable.
type evaluationsTopic struct {
	name    string
	encoder encoder
}

func (t *evaluationsTopic) write(flags []*schemas.Flag, out consumer.Producer) error {
	for i, f := range flags {
		value, err := t.encoder.logs(flags[i : i+1])
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		out.Produce(kafka.Message{
			Topic: t.name, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value, Headers: recordHeaders(f),
		})
	}
	return nil
}

// recordHeaders are the content type and the CloudEvents attributes in binary mode.
func recordHeaders(f *schemas.Flag) []kafka.Header {
	h := []kafka.Header{
		{Key: "content-type", Value: []byte("application/x-protobuf")},
		{Key: "ce_specversion", Value: []byte("1.0")},
		{Key: "ce_id", Value: []byte(f.IncidentID + "/" + string(f.Pass))},
		{Key: "ce_source", Value: []byte("/confab/export")},
		{Key: "ce_type", Value: []byte("confab.evaluation")},
		{Key: "ce_time", Value: []byte(f.DetectedAt.UTC().Format(time.RFC3339Nano))},
	}
	if parent := traceparent(f); parent != "" {
		h = append(h, kafka.Header{Key: "traceparent", Value: []byte(parent)})
	}
	return h
}
