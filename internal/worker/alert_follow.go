package worker

import (
	"context"
	"log/slog"
	"time"

	"confab/internal/kafka"
	"confab/internal/retry"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	// silenceOverlap is how far back silences are read at the start. Older ones are loaded with the partitions.
	silenceOverlap = time.Hour
	// labelAge is how far back labels are read at the start, the longest window of their metrics.
	labelAge = 30 * 24 * time.Hour
)

// silencer applies silences; a dispatcher.
type silencer interface{ Silence(s schemas.Silence) }

// followSilences passes new silences to the dispatcher until ctx ends. Every partition holds every silence, so it reads
// one.
func (w *worker) followSilences(ctx context.Context, d silencer) error {
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

// labelFollower reads people's labels from llm.feedback.
type labelFollower struct {
	dispatcher labelRecorder
	metrics    *feedbackMetrics
	log        *slog.Logger
}

// labelRecorder stores labels in the alert state; a dispatcher.
type labelRecorder interface {
	Label(ctx context.Context, label schemas.Feedback) error
}

// follow reads labels until ctx ends.
func (l *labelFollower) follow(ctx context.Context, w *worker) error {
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: w.kafka, Topic: w.Config.Kafka.Topics.Feedback, Logger: w.Logger,
		Start: kafka.Position{Kind: kafka.PositionTime, Time: w.Now().Add(-labelAge)},
	}, func(r *kafka.FetchedRecord) {
		var f schemas.Feedback
		if err := json.DecodeFeedback(r.Value, &f); err != nil {
			l.log.WarnContext(ctx, "skipped feedback record: it is not a label",
				slog.Int("partition", int(r.Partition)), slog.Int64("offset", r.Offset), slog.Any("error", err))
			return
		}
		l.metrics.Observe(f)
		l.record(ctx, f)
	})
}

// The attempts to store a label, and the time between them. A label that fails is read again at the next start.
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
		_ = retry.Sleep(ctx, labelPause)
	}
}
