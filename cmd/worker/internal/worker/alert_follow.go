package worker

import (
	"context"
	"log/slog"
	"time"

	"confab/alerting/dispatch"
	alertfeedback "confab/alerting/feedback"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	// silenceOverlap is how far back silences are followed at the start: what is older comes with the partitions.
	silenceOverlap = time.Hour
	// labelAge is how far back labels are read at the start, the longest window of their metrics.
	labelAge = 30 * 24 * time.Hour
)

// followSilences hands on silences as they are made. Each stands in every partition, so one of them tells all.
func (w *worker) followSilences(ctx context.Context, d *dispatch.Dispatcher) error {
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: w.kafka, Topic: w.Config.Kafka.Topics.Alerts, Partitions: []int32{0}, Logger: w.Logger,
		Start: kafka.Position{Kind: kafka.PositionTime, Time: w.Now().Add(-silenceOverlap)},
	}, func(r *kafka.FetchedRecord) {
		var s schemas.AlertState
		if r.Value != nil && json.DecodeAlertState(r.Value, &s) == nil && s.Silence != nil {
			d.Silence(*s.Silence)
		}
	})
}

// labelFollower are what people say about incidents, as llm.feedback tells it.
type labelFollower struct {
	dispatcher labelRecorder
	metrics    *alertfeedback.Metrics
	log        *slog.Logger

	live bool // what comes now was not there at the start
}

// labelRecorder takes note of labels; an [alerting.Dispatcher].
type labelRecorder interface {
	Label(ctx context.Context, label schemas.Feedback) error
}

// follow takes labels until ctx ends.
func (l *labelFollower) follow(ctx context.Context, w *worker) error {
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: w.kafka, Topic: w.Config.Kafka.Topics.Feedback, Logger: w.Logger,
		Start:    kafka.Position{Kind: kafka.PositionTime, Time: w.Now().Add(-labelAge)},
		CaughtUp: func() { l.live = true },
	}, func(r *kafka.FetchedRecord) {
		var f schemas.Feedback
		if err := json.DecodeFeedback(r.Value, &f); err != nil {
			l.log.WarnContext(ctx, "skipped feedback record: it is not a label",
				slog.Int("partition", int(r.Partition)), slog.Int64("offset", r.Offset), slog.Any("error", err))
			return
		}
		l.metrics.Observe(f, l.live)
		l.record(ctx, f)
	})
}

// The attempts to take note of a label, and the time between them. What fails comes again at the next start.
const (
	labelAttempts = 5
	labelPause    = time.Second
)

func (l *labelFollower) record(ctx context.Context, f schemas.Feedback) {
	for attempt := 1; ; attempt++ {
		err := l.dispatcher.Label(ctx, f)
		if err == nil || ctx.Err() != nil {
			return
		}
		if attempt == labelAttempts {
			l.log.WarnContext(ctx, "write label to alert state failed",
				slog.String("incident_id", f.IncidentID), slog.Any("error", err))
			return
		}
		select {
		case <-time.After(labelPause):
		case <-ctx.Done():
			return
		}
	}
}
