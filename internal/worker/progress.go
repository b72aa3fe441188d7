package worker

import (
	"context"
	"time"

	dto "github.com/prometheus/client_model/go"

	"confab/internal/worker/config"
)

// Intervals of the line in the log that says what was evaluated: it is due after the first, and comes again after the second.
const (
	firstProgress = 10 * time.Second
	progressEvery = time.Minute
)

// progress is what a worker has done.
type progress struct{ records, flagged, alerts, deadLetters float64 }

// logProgress logs until ctx ends what was done since the line before; nothing where nothing was.
func (w *worker) logProgress(ctx context.Context) error {
	tick := time.NewTicker(firstProgress)
	defer tick.Stop()
	last, at := progress{}, time.Time{}
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		done := w.progress()
		if done == last || w.Now().Sub(at) < progressEvery {
			continue
		}
		w.Logger.InfoContext(ctx, "evaluated records", "records", done.records-last.records, "flagged", done.flagged-last.flagged,
			"alerts_sent", done.alerts-last.alerts, "dead_letters", done.deadLetters-last.deadLetters)
		last, at = done, w.Now()
	}
}

// progress reads the counters. Those that cannot be read are zero.
func (w *worker) progress() (p progress) {
	families, _ := w.Registry.Gather()
	for _, f := range families {
		for _, m := range f.GetMetric() {
			n := m.GetCounter().GetValue()
			switch f.GetName() {
			case "confab_events_processed_total":
				if label(m, "role") == string(config.RoleDetect) {
					p.records += n
				}
				if label(m, "outcome") == outcomeFlagged {
					p.flagged += n
				}
			case "confab_notifications_total":
				p.alerts += n
			case "confab_dlq_records_total":
				p.deadLetters += n
			}
		}
	}
	return p
}

// label is the value of a label; "" for none.
func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
