package app

import (
	"context"
	"errors"

	"confab/consumer"
	"confab/internal/kafka"
)

// NewSampleCheck returns what tells whether the worker would understand a record of an input topic: nil when it would,
// else why not, without any of the record's text.
func NewSampleCheck(c *Config) func(ctx context.Context, r *kafka.Read) error {
	codec := newInteractionCodec(c.Kafka.Inputs, "", int(c.Kafka.MaxRecordBytes))
	return func(ctx context.Context, r *kafka.Read) error {
		found, err := codec.Decode(ctx, &consumer.Raw{
			Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
			Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp,
		}, nil)
		for _, in := range found {
			codec.Release(in)
		}
		if bad, ok := errors.AsType[*consumer.PoisonError](err); ok {
			return errors.New(bad.Reason)
		}
		return err
	}
}
