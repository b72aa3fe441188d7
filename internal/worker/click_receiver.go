package worker

import (
	"context"

	"confab/alerting"
	"confab/alerting/slack/interactions"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// clickPublisher writes clicks to Kafka. Its methods return once the brokers have acknowledged the write.
type clickPublisher struct {
	producer   *kafka.Producer
	topics     config.Topics
	partitions int                   // of the topic of alerts
	onSilence  func(schemas.Silence) // called at once; other processes follow the topic
}

func (b *clickPublisher) publish(ctx context.Context, f schemas.Feedback) error {
	value, err := json.AppendFeedback(nil, &f)
	if err != nil {
		return err
	}
	return b.producer.ProduceSync(ctx, kafka.Message{
		Topic: b.topics.Feedback, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value,
	})
}

// silence writes to every partition: each owner reads only its own.
func (b *clickPublisher) silence(ctx context.Context, s schemas.Silence) error {
	value, err := json.AppendAlertState(nil, &schemas.AlertState{
		Status: schemas.AlertSilence, Until: s.Until, UpdatedAt: s.From, Silence: &s,
	})
	if err != nil {
		return err
	}
	messages := make([]kafka.Message, b.partitions)
	for p := range messages {
		messages[p] = kafka.Message{Topic: b.topics.Alerts, Partition: int32(p), Key: []byte(s.ID), Value: value}
	}
	if err := b.producer.ProduceSync(ctx, messages...); err != nil {
		return err
	}
	b.onSilence(s)
	return nil
}

// newClickReceiver returns a function that receives clicks until its context ends; nil if messages have no buttons.
func (w *worker) newClickReceiver(n alerting.Notifier, silenced func(schemas.Silence)) (func(ctx context.Context) error, error) {
	s := &w.Config.Alerting.Slack
	if !s.Buttons() {
		return nil, nil //nolint:nilnil // buttons are optional
	}
	log := w.Logger.With("role", string(config.RoleAlert))
	publisher := &clickPublisher{
		producer: w.producer, topics: w.Config.Kafka.Topics, partitions: w.partitions[w.Config.Kafka.Topics.Alerts],
		onSilence: silenced,
	}
	metrics := interactions.NewMetrics(w.Registry)
	editor, _ := n.(interactions.Editor)
	handler := interactions.NewHandler(interactions.HandlerOptions{
		Publish: publisher.publish, Silence: publisher.silence, Editor: editor, Metrics: metrics, Logger: log,
	})
	socket, err := interactions.NewSocket(interactions.SocketOptions{AppToken: s.AppToken, APIURL: s.APIURL, Handler: handler, Metrics: metrics, Logger: log})
	if err != nil {
		return nil, err
	}
	return socket.Run, nil
}
