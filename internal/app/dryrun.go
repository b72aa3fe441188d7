package app

import (
	"context"
	"log/slog"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// dryRun measures as the detect role does and logs the flags that it would write.
type dryRun struct {
	detect *detect
	log    *slog.Logger
}

// Handle implements consumer.Handler.
func (d *dryRun) Handle(ctx context.Context, batch []consumer.Record[*schemas.Interaction], _ consumer.Producer) error {
	return d.detect.Handle(ctx, batch, d)
}

// Produce logs what would be written.
func (d *dryRun) Produce(m kafka.Message) {
	if m.Topic != d.detect.publisher.topics.Incidents {
		d.log.Info("would sample", "interaction_id", string(m.Key))
		return
	}
	var f schemas.Flag
	if err := json.DecodeFlag(m.Value, &f); err != nil {
		d.log.Error("would write a flag that cannot be read", "error", err)
		return
	}
	d.log.Info("would flag", "incident_id", f.IncidentID, "interaction_id", f.InteractionID, "fired", f.Fired, "alert", f.Alert)
}
