package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"confab/alerting"
	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// do carries out what a channel does next. A failure is logged and counted; its delay is the caller's business.
func (d *Dispatcher) do(ctx context.Context, todo *work) *alerting.Error {
	switch todo.urgency {
	case nothing:
		return nil
	case part:
		return d.part(ctx, todo.msg)
	case editHighDigest, editHigh, editNormal:
		return d.edit(ctx, todo.msg)
	case addDetail:
		d.addDetail(ctx, &todo.reply)
		return nil
	default:
		return d.post(ctx, todo.msg)
	}
}

// post announces the attempt durably, posts, and remembers durably.
func (d *Dispatcher) post(ctx context.Context, m *state.Message) *alerting.Error {
	if err := d.write(ctx, m, m.AnnounceChange(d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.mu.Lock()
	alert, shown := d.book.Alert(m)
	d.mu.Unlock()
	if len(shown) == 0 { // its partitions have been taken away
		return nil
	}
	if alert.MayRepeat && m.CountDuplicate() {
		d.Metrics.ambiguous.Inc()
	}
	start := d.Now()
	lingering, stop := linger(ctx)
	receipt, err := d.Notifier.Notify(lingering, alert)
	stop()
	d.Metrics.duration.Observe(d.Now().Sub(start).Seconds())
	if err != nil {
		return d.failed(ctx, m, &alert, err)
	}
	d.Metrics.sent.WithLabelValues(d.Sink).Inc()
	if m.Kind == schemas.AlertDigest {
		d.Metrics.digests.WithLabelValues(string(m.Cause)).Inc()
	}
	d.mu.Lock()
	posted := d.book.MarkSent(m, &alert, shown, receipt, d.Now())
	d.mu.Unlock()
	return d.settle(ctx, m, posted)
}

// part has the portions leave their message.
func (d *Dispatcher) part(ctx context.Context, m *state.Message) *alerting.Error {
	e := d.unwritten(ctx, d.write(ctx, m, m.LeaveChange(d.Now()), func(some []*state.GroupPart) { d.book.DetachParts(m, some) }))
	d.mu.Lock()
	d.book.RequestShrink()
	d.mu.Unlock()
	return e
}

// edit shows in a message what has come since.
func (d *Dispatcher) edit(ctx context.Context, m *state.Message) *alerting.Error {
	if err := d.write(ctx, m, m.AdoptChange(d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.mu.Lock()
	alert, shown, urgent := d.book.StartEdit(m)
	receipt := m.Receipt
	d.mu.Unlock()
	editor, ok := d.Notifier.(alerting.Editor)
	if !ok || len(shown) == 0 {
		return nil
	}
	start := d.Now()
	err := editor.Edit(ctx, alert, receipt)
	d.Metrics.duration.Observe(d.Now().Sub(start).Seconds())
	d.mu.Lock()
	m.FinishEdit(d.Now(), urgent && err != nil)
	d.mu.Unlock()
	if err != nil {
		e := d.failed(ctx, m, &alert, err)
		if e.Reason == alerting.ReasonGone { // what it showed has been told all the same
			return d.part(ctx, m)
		}
		return e
	}
	d.Metrics.edits.WithLabelValues(d.Sink).Inc()
	if err := d.write(ctx, m, m.EditChange(shown, d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.takeBack(ctx, editor, alert, m, shown)
	d.mu.Lock()
	m.MarkSynced()
	d.mu.Unlock()
	return nil
}

// takeBack edits once more what has just been edited, if portions were taken away meanwhile: their next owner knows only
// what the log had of them, and tells the rest. A failure leaves incidents that are counted twice, never none.
func (d *Dispatcher) takeBack(ctx context.Context, editor alerting.Editor, alert schemas.Alert, m *state.Message, shown state.Shown) {
	d.mu.Lock()
	over := shown.Lost()
	receipt := m.Receipt
	d.mu.Unlock()
	if over == 0 {
		return
	}
	alert.Count -= over
	if err := editor.Edit(ctx, alert, receipt); err != nil {
		_ = d.failed(ctx, m, &alert, err) // logged and counted
	}
}

// addDetail adds details below a message, if that works at the first attempt: nobody waits for them.
func (d *Dispatcher) addDetail(ctx context.Context, r *state.Reply) {
	d.mu.Lock()
	alert, shown := d.book.Alert(r.Message)
	receipt := r.Message.Receipt
	d.mu.Unlock()
	if receipt.Timestamp == "" || len(shown) == 0 {
		return
	}
	alert.Flag = r.Flag
	if err := d.replier.Reply(ctx, alert, receipt); err != nil && ctx.Err() == nil {
		d.Metrics.failed.WithLabelValues(string(alerting.AsError(err).Reason)).Inc()
	}
}

// failed notes a failure of the sink.
func (d *Dispatcher) failed(ctx context.Context, m *state.Message, alert *schemas.Alert, err error) *alerting.Error {
	e := alerting.AsError(err)
	if ctx.Err() != nil {
		return e
	}
	d.Metrics.failed.WithLabelValues(string(e.Reason)).Inc()
	d.mu.Lock()
	m.MarkFailed(e, d.Now())
	d.mu.Unlock()
	d.complain(ctx, "a notification failed and is tried again", alert.Flag.IncidentID, e, e)
	return e
}

// unwritten makes a failure of the log one that is tried again.
func (d *Dispatcher) unwritten(ctx context.Context, err error) *alerting.Error {
	if err == nil {
		return nil
	}
	e := &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	if ctx.Err() == nil {
		d.complain(ctx, "state was not written and is tried again", "", e, err)
	}
	return e
}

// complain logs one line a minute at most.
func (d *Dispatcher) complain(ctx context.Context, what, incident string, e *alerting.Error, err error) {
	now := d.Now()
	d.mu.Lock()
	quiet := !d.logged.IsZero() && now.Sub(d.logged) < logEvery
	if !quiet {
		d.logged = now
	}
	d.mu.Unlock()
	if quiet {
		return
	}
	attrs := []slog.Attr{slog.String("detail", what), slog.String("sink", d.Sink), slog.Any("error", err)}
	if incident != "" {
		attrs = append(attrs, slog.String("incident_id", incident))
	}
	d.Logger.LogAttrs(ctx, level(e), "deliver alerts failed, retrying", attrs...)
}

// settle remembers what was posted. It keeps trying where post would post again: a state that cannot be written must not
// become a message a minute. It gets one bounded chance even when ctx has ended.
func (d *Dispatcher) settle(ctx context.Context, m *state.Message, ch state.Change) *alerting.Error {
	for attempt := 0; ; attempt++ {
		err := func() error {
			detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
			defer cancel()
			return d.write(detached, m, ch, nil)
		}()
		e := d.unwritten(ctx, err)
		if e == nil || ctx.Err() != nil {
			return e
		}
		sleep(ctx, delay(e, attempt, d.Jitter()))
	}
}

// write makes a change durable in every partition that has portions of the message, and applies it there; then is called
// for the portions, with the lock held. What has been revoked is left to its next owner.
func (d *Dispatcher) write(ctx context.Context, m *state.Message, ch state.Change, then func([]*state.GroupPart)) error {
	d.mu.Lock()
	shelves := m.Partitions()
	d.mu.Unlock()
	for _, s := range shelves {
		if err := d.writeIn(ctx, s, m, ch, then); err != nil && !errors.Is(err, alertlog.ErrNotOwned) {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) writeIn(ctx context.Context, s *state.Partition, m *state.Message, ch state.Change, then func([]*state.GroupPart)) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	d.mu.Lock()
	all := m.PartsIn(s)
	d.mu.Unlock()
	for len(all) > 0 {
		some := all[:min(len(all), state.MaxWrite)]
		all = all[len(some):]
		d.mu.Lock()
		entries, apply := d.book.Records(m, some, ch)
		d.mu.Unlock()
		if s.Revoked() {
			return alertlog.ErrNotOwned
		}
		if len(entries) > 0 {
			if err := s.Put(ctx, entries...); err != nil && s.Revoked() {
				return alertlog.ErrNotOwned
			} else if err != nil {
				return err
			}
		}
		d.mu.Lock()
		apply()
		if then != nil && !s.Revoked() {
			then(some)
		}
		d.mu.Unlock()
	}
	return nil
}
