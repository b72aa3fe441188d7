package tuning

import (
	"context"
	"log/slog"
	"time"

	"confab/alerting"
	"confab/internal/kafka"
	"confab/schemas"
)

// Teller tells on-call what refits did, through the sink of alerts, once for each. A crash between the message and the record of it,
// or an answer of the sink that is lost, may repeat the message.
type Teller struct {
	Versions *Follower
	Notifier alerting.Notifier
	Producer *kafka.Producer
	Logger   *slog.Logger
	Now      func() time.Time
	Lease

	notBefore time.Time // after a failure
	told      time.Time // by this process
}

const tellEvery = 5 * time.Second

// Run tells until ctx ends.
func (t *Teller) Run(ctx context.Context) error {
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.look(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

func (t *Teller) look(ctx context.Context) {
	s := t.Versions.State()
	last := s.Refit
	news := last.Outcome == Applied || last.Outcome == Proposed
	if !news || last.At.Equal(s.Told) || last.At.Equal(t.told) || t.Now().Before(t.notBefore) {
		return
	}
	held, release, ok := t.hold(ctx)
	if !ok {
		return
	}
	defer release()
	title := "Confab has tuned itself: calibration " + last.Version + " is in force"
	if last.Outcome == Proposed {
		title = "Confab proposes calibration " + last.Version
	}
	_, err := t.Notifier.Notify(held, schemas.Alert{
		Kind: schemas.AlertNotice, Message: "tuning " + last.Version, Severity: schemas.SeverityNormal, First: last.At, Last: last.At,
		Notice: append([]string{title}, last.Words...),
	})
	if err != nil {
		e := alerting.AsError(err)
		t.notBefore = t.Now().Add(max(e.After, time.Minute))
		if held.Err() == nil {
			t.Logger.WarnContext(ctx, "notice of a refit was not delivered, it is tried again", "version", last.Version, "error", e)
		}
		return
	}
	t.told = last.At
	m, err := record(t.Versions.o.Topic, keyTold, last.At)
	if err == nil {
		err = t.Producer.ProduceSync(held, m)
	}
	if err != nil {
		t.Logger.WarnContext(ctx, "record of a notice was not written: after a restart it is sent again", "version", last.Version, "error", err)
	}
}
