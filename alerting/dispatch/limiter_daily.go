package dispatch

import (
	"context"
	"errors"

	"confab/alerting"
	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/dailylimit"
	"confab/alerting/dispatch/state"
)

// countMessage writes that a new message counts for the daily limit, before it is announced. It reports false if the message
// must not be posted: then it is dissolved, or the error says that the caller tries again.
func (d *Dispatcher) countMessage(ctx context.Context, m *state.Message) (bool, *alerting.Error) {
	var p *state.Partition
	var write *dailylimit.Write
	due := false
	d.locked(func() {
		if p, write, due = d.planner.daily.Plan(m, d.Now()); due && p == nil {
			d.store.Dissolve(m)
		}
	})
	if !due || p == nil {
		return !due, nil
	}
	err := p.Exclusive(ctx, func() error {
		if p.Revoked() {
			return alertlog.ErrNotOwned
		}
		if err := p.Put(ctx, alertlog.Entry{Key: dailylimit.Key, State: &write.Record}); err != nil {
			return err
		}
		d.locked(func() { d.planner.daily.Apply(write) })
		return nil
	})
	if errors.Is(err, alertlog.ErrNotOwned) {
		return false, &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	}
	return err == nil, d.logWriteError(ctx, err)
}
