package worker

import (
	"context"
	"time"

	"confab/internal/worker/config"
)

// Intervals of the line in the log that says what was evaluated: it is due after the first, and comes again after the second.
const (
	firstProgress = 10 * time.Second
	progressEvery = time.Minute
)

// logProgress logs until ctx ends, and then, what was done since the line before; nothing where nothing was.
func (w *worker) logProgress(ctx context.Context) error {
	tick := time.NewTicker(firstProgress)
	defer tick.Stop()
	last, at := [4]float64{}, time.Time{}
	for stopped := false; !stopped; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			stopped = true
		}
		if done := w.progress(); done != last && (stopped || w.Now().Sub(at) >= progressEvery) {
			w.Logger.InfoContext(ctx, "evaluated records", "records", done[0]-last[0], "flagged", done[1]-last[1], "alerts_sent", done[2]-last[2], "dead_letters", done[3]-last[3])
			last, at = done, w.Now()
		}
	}
	return nil
}

// progress counts the records that were evaluated, those flagged, the alerts sent, and the dead letters.
func (w *worker) progress() (counts [4]float64) {
	families, _ := w.Registry.Gather() // what cannot be read is zero
	for _, f := range families {
		for _, m := range f.GetMetric() {
			n, labels := m.GetCounter().GetValue(), m.GetLabel() // by their names
			switch f.GetName() {
			case "confab_events_processed_total":
				if labels[1].GetValue() != string(config.RoleDetect) {
					continue
				}
				if counts[0] += n; labels[0].GetValue() == outcomeFlagged {
					counts[1] += n
				}
			case "confab_notifications_total":
				counts[2] += n
			case "confab_dlq_records_total":
				counts[3] += n
			}
		}
	}
	return counts
}
