package records

import (
	"context"
	"errors"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
)

// RecordReader decodes a record of an input topic or of the sampled topic, as the worker does. A record that cannot be
// decoded is a [consumer.PoisonError]; any other error says that the registry could not be read.
type RecordReader func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, *consumer.Raw, error)

// NewRecordReader is NewRecordDecoder for records of which those that cannot be decoded have no interactions.
func NewRecordReader(c *config.Config, cluster string) (read RecordReader, done func(), err error) {
	decode, done, err := NewRecordDecoder(c, cluster)
	return func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, *consumer.Raw, error) {
		list, raw, err := decode(ctx, r)
		if _, poison := errors.AsType[*consumer.PoisonError](err); poison {
			return nil, raw, nil
		}
		return list, raw, err
	}, done, err
}

// NewRecordDecoder reads records of the configured inputs and of the sampled topic. The cluster's id is part of the ids of
// interactions that have none. Call done after the last read.
func NewRecordDecoder(c *config.Config, cluster string) (decode RecordReader, done func(), err error) {
	codec := NewInteractionCodec(c.Kafka.Inputs, cluster, int(c.Kafka.MaxRecordBytes))
	copies := NewSampledCodec(c.Kafka.Inputs, cluster, int(c.Kafka.MaxRecordBytes))
	references, err := LoadReferences(c)
	if err != nil {
		return nil, nil, err
	}
	codec.UseReferences(references)
	copies.UseReferences(references)
	done = func() {}
	registry, err := c.OpenRegistry(nil)
	if err != nil {
		return nil, nil, err
	}
	if registry != nil {
		codec.writers, done = newWriterSchemas(registry), registry.Close
		copies.writers = codec.writers
	}
	return func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, *consumer.Raw, error) {
		raw := rawOf(r)
		decode := codec.Decode
		if r.Topic == c.Kafka.Topics.Sampled {
			decode = copies.Decode
		} else if _, known := codec.inputs[r.Topic]; !known {
			return nil, raw, nil
		}
		if len(r.Value) > int(c.Kafka.MaxRecordBytes) {
			return nil, raw, &consumer.PoisonError{Stage: stageDecode, Reason: consumer.ReasonTooLarge}
		}
		list, err := decode(ctx, raw, nil)
		return list, raw, err
	}, done, nil
}

func rawOf(r *kafka.FetchedRecord) *consumer.Raw {
	return &consumer.Raw{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
		Key: r.Key, Value: r.Value, Headers: r.Headers,
	}
}

// NewSampleReader returns a function that decodes a record of an input topic as the worker does. Its error is the reason why
// it cannot, without any text of the record. The interactions point into the record. Call end after the last one.
func NewSampleReader(c *config.Config) (read func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, error), end func()) {
	codec := NewInteractionCodec(c.Kafka.Inputs, "", int(c.Kafka.MaxRecordBytes))
	end = func() {}
	if registry, err := c.OpenRegistry(nil); err == nil && registry != nil { // the doctor's check of the registry reports the error
		codec.writers, end = newWriterSchemas(registry), registry.Close
	}
	return func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, error) {
		raw := rawOf(r)
		found, err := codec.Decode(ctx, raw, nil)
		if len(found) == 0 && len(raw.Rejected) > 0 {
			return nil, errors.New(raw.Rejected[0].Err.Reason)
		}
		if bad, ok := errors.AsType[*consumer.PoisonError](err); ok {
			return nil, errors.New(bad.Reason)
		}
		if _, ok := errors.AsType[*schemaregistry.PendingError](err); ok {
			return nil, errors.New(reasonUnknownSchema)
		}
		return found, err
	}, end
}
