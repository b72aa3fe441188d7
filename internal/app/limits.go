package app

import (
	"context"
	"slices"
	"time"

	"confab/internal/kafka"
)

// limitsEvery is how often the limits of topics are read again.
const limitsEvery = 5 * time.Minute

// writtenTopics are the topics whose limits the active roles' writes are held against.
func (w *worker) writtenTopics() []string {
	t, roles := w.Config.Kafka.Topics, w.activeRoles()
	var topics []string
	if w.writesFlags() {
		topics = append(topics, t.Incidents)
	}
	if slices.Contains(roles, RoleDetect) && w.Config.SamplingOn() {
		topics = append(topics, t.Sampled)
	}
	if slices.Contains(roles, RoleAlert) {
		topics = append(topics, t.Alerts)
	}
	return topics
}

// readLimits reads max.message.bytes of the topics that are written, before the producer is made. A limit that cannot be
// read keeps nobody from starting: what is too large is then found out by the broker's refusal.
func (w *worker) readLimits(ctx context.Context, admin *kafka.Admin) {
	limits, err := admin.MaxMessageBytes(ctx, w.writtenTopics()...)
	if err != nil {
		w.Logger.WarnContext(ctx, "read topic limits failed, flags too large for their topic become dead letters: grant DESCRIBE_CONFIGS",
			"error", err)
	}
	t := w.Config.Kafka.Topics
	w.limits = kafka.NewSizeLimits(w.kafka, limits, t.Incidents, t.Alerts)
	w.kafka.Limits = w.limits
}

// followLimits keeps the limits up to date until ctx ends. What cannot be read stays as it was.
func (w *worker) followLimits(ctx context.Context) error {
	admin, err := kafka.NewAdmin(w.kafka)
	if err != nil {
		return err
	}
	defer admin.Close()
	tick := time.NewTicker(limitsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if limits, err := admin.MaxMessageBytes(ctx, w.writtenTopics()...); err == nil {
			w.limits.Update(limits)
		}
	}
}
