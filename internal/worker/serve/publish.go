package serve

import (
	"context"
	"errors"
	"fmt"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// Publish writes what was checked to Kafka and waits for the acknowledgement. record is the interaction's record under
// serve.publish: all, nil otherwise.
type Publish func(ctx context.Context, f *schemas.Flag, in *schemas.Interaction, record []byte) error

var errTooLarge = errors.New("the record is larger than its topic takes")

// recordOf encodes the interaction as it came, before sources are added, if it is to be published.
func recordOf(c *config.Config, in *schemas.Interaction) ([]byte, error) {
	if c.Serve.Publish != config.PublishAll {
		return nil, nil
	}
	return json.AppendInteraction(nil, in)
}

// NewPublish returns the Publish of the configuration; nil under serve.publish: none.
func NewPublish(c *config.Config, producer *kafka.Producer, flags records.Publisher) Publish {
	switch c.Serve.Publish {
	case config.PublishFlags:
		return func(ctx context.Context, f *schemas.Flag, in *schemas.Interaction, _ []byte) error {
			if len(f.Fired) == 0 && c.Emit != config.EmitAll && f.Pass == schemas.PassFast {
				return nil
			}
			var out messageList
			if err := flags.Publish(ctx, f, &consumer.Record[*schemas.Interaction]{Value: in}, &out); err != nil {
				return err
			}
			return producer.ProduceSync(ctx, out...)
		}
	case config.PublishAll:
		input := c.Kafka.Inputs[0]
		return func(ctx context.Context, _ *schemas.Flag, in *schemas.Interaction, record []byte) error {
			m := kafka.Message{Topic: input.Topic, Partition: kafka.AnyPartition, Key: []byte(in.ID), Value: record}
			if in.ConversationID != "" {
				m.Key = []byte(in.ConversationID)
			}
			if input.TenantFrom == config.TenantHeader {
				m.Headers = append(m.Headers, kafka.Header{Key: input.TenantHeader, Value: []byte(in.Tenant)})
			}
			if !flags.Limits.Fits(&m) {
				return errTooLarge
			}
			if err := producer.ProduceSync(ctx, m); err != nil {
				return fmt.Errorf("publish interaction: %w", err)
			}
			return nil
		}
	}
	return nil
}

// messageList collects what is to be written.
type messageList []kafka.Message

// Produce implements consumer.Producer.
func (m *messageList) Produce(one kafka.Message) { *m = append(*m, one) }
