package app

import (
	"context"
	"errors"

	"confab/consumer"
	"confab/internal/finding"
	"confab/internal/kafka"
	"confab/schemas"
)

// ExamineRegistry asks the schema registry, where one is configured, for the schemas that the worker needs of it. It
// registers nothing.
func ExamineRegistry(ctx context.Context, c *Config) []finding.Finding {
	unnamed := finding.Report{Check: checkRegistry}
	r, err := c.OpenRegistry(nil)
	switch {
	case err != nil:
		unnamed.Fail(err.Error(), "correct schema_registry")
		return unnamed.Findings
	case r == nil:
		unnamed.OK("none configured: only JSON is read")
		return unnamed.Findings
	}
	defer r.Close()
	subject := kafka.Subject(c.Kafka.Inputs[0].Topic)
	report := finding.Report{Check: checkRegistry, Subject: subject}
	switch _, err := r.Lookup(ctx, subject, schemas.InteractionAvro()); {
	case errors.Is(err, kafka.ErrUnknownSchema):
		report.OK("the registry answers; Confab's schema of interactions is not there, which only `confab produce --format avro` needs")
	case err != nil:
		report.Fail(err.Error(), "correct schema_registry, or see to the registry: until it answers, Avro records wait")
		return report.Findings
	default:
		report.OK("the registry answers; Confab's schema of interactions is registered")
	}
	if c.SchemaRegistry.Output == OutputAvro {
		report.Subject = kafka.Subject(c.Kafka.Topics.Incidents)
		if _, err := r.Lookup(ctx, report.Subject, schemas.FlagAvro()); err != nil {
			report.Fail(err.Error(), "`confab schema register` registers it: until then no flag can be written")
		} else {
			report.OK("the schema of flags is registered")
		}
	}
	return report.Findings
}

const checkRegistry = "schema registry"

// NewSampleCheck returns what tells whether the worker would understand a record of an input topic: nil when it would,
// else why not, without any of the record's text; and what ends it.
func NewSampleCheck(c *Config) (check func(ctx context.Context, r *kafka.Read) error, end func()) {
	codec := newInteractionCodec(c.Kafka.Inputs, "", int(c.Kafka.MaxRecordBytes))
	end = func() {}
	if registry, err := c.OpenRegistry(nil); err == nil && registry != nil { // ExamineRegistry tells of the error
		codec.writers, end = newWriters(registry), registry.Close
	}
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
		if _, ok := errors.AsType[*kafka.PendingError](err); ok {
			return errors.New(reasonUnknownSchema)
		}
		return err
	}, end
}
