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

// perform carries out what a channel does next. A failure is logged and counted; its delay is the caller's business.
func (d *Dispatcher) perform(ctx context.Context, todo *workItem) *alerting.Error {
	switch todo.priority {
	case noWork:
		return nil
	case detachMessage:
		return d.detachParts(ctx, todo.msg)
	case editHighDigest, editHigh, editNormal:
		return d.editMessage(ctx, todo.msg)
	case addReply:
		d.addReply(ctx, &todo.reply)
		return nil
	default:
		return d.postMessage(ctx, todo.msg)
	}
}

// postMessage announces the attempt durably, posts, and remembers durably.
func (d *Dispatcher) postMessage(ctx context.Context, m *state.Message) *alerting.Error {
	if err := d.writeChange(ctx, m, m.AnnounceChange(d.Now()), nil); err != nil {
		return d.logWriteError(ctx, err)
	}
	d.mu.Lock()
	alert, shown := d.store.Alert(m)
	d.mu.Unlock()
	if len(shown) == 0 { // its partitions have been taken away
		return nil
	}
	if alert.PossiblyDuplicated && m.CountDuplicate() {
		d.Metrics.ambiguous.Inc()
	}
	start := d.Now()
	lingering, stop := withShutdownGrace(ctx)
	receipt, err := d.Notifier.Notify(lingering, alert)
	stop()
	d.Metrics.duration.Observe(d.Now().Sub(start).Seconds())
	if err != nil {
		return d.noteFailure(ctx, m, &alert, err)
	}
	d.Metrics.sent.WithLabelValues(d.Sink).Inc()
	if m.Kind == schemas.AlertDigest {
		d.Metrics.digests.WithLabelValues(string(m.Cause)).Inc()
	}
	d.mu.Lock()
	posted := d.store.MarkSent(m, &alert, shown, receipt, d.Now())
	d.mu.Unlock()
	return d.recordSent(ctx, m, posted)
}

// detachParts has the portions leave their message.
func (d *Dispatcher) detachParts(ctx context.Context, m *state.Message) *alerting.Error {
	e := d.logWriteError(ctx, d.writeChange(ctx, m, m.LeaveChange(d.Now()), func(some []*state.GroupPart) { d.store.DetachParts(m, some) }))
	d.mu.Lock()
	d.store.RequestShrink()
	d.mu.Unlock()
	return e
}

// editMessage shows in a message what has come since.
func (d *Dispatcher) editMessage(ctx context.Context, m *state.Message) *alerting.Error {
	if err := d.writeChange(ctx, m, m.AdoptChange(d.Now()), nil); err != nil {
		return d.logWriteError(ctx, err)
	}
	d.mu.Lock()
	alert, shown, urgent := d.store.StartEdit(m)
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
		e := d.noteFailure(ctx, m, &alert, err)
		if e.Reason == alerting.ReasonGone { // what it showed has been told all the same
			return d.detachParts(ctx, m)
		}
		return e
	}
	d.Metrics.edits.WithLabelValues(d.Sink).Inc()
	if err := d.writeChange(ctx, m, m.EditChange(shown, d.Now()), nil); err != nil {
		return d.logWriteError(ctx, err)
	}
	d.correctCount(ctx, editor, alert, m, shown)
	d.mu.Lock()
	m.MarkSynced()
	d.mu.Unlock()
	return nil
}

// correctCount edits once more what has just been edited, if portions were taken away meanwhile: their next owner knows only
// what the log had of them, and tells the rest. A failure leaves incidents that are counted twice, never none.
func (d *Dispatcher) correctCount(ctx context.Context, editor alerting.Editor, alert schemas.Alert, m *state.Message, shown state.DisplayedCounts) {
	d.mu.Lock()
	over := shown.Lost()
	receipt := m.Receipt
	d.mu.Unlock()
	if over == 0 {
		return
	}
	alert.Count -= over
	if err := editor.Edit(ctx, alert, receipt); err != nil {
		_ = d.noteFailure(ctx, m, &alert, err) // logged and counted
	}
}

// addReply adds details below a message, if that works at the first attempt: nobody waits for them.
func (d *Dispatcher) addReply(ctx context.Context, r *state.Reply) {
	d.mu.Lock()
	alert, shown := d.store.Alert(r.Message)
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

// noteFailure notes a failure of the sink.
func (d *Dispatcher) noteFailure(ctx context.Context, m *state.Message, alert *schemas.Alert, err error) *alerting.Error {
	e := alerting.AsError(err)
	if ctx.Err() != nil {
		return e
	}
	d.Metrics.failed.WithLabelValues(string(e.Reason)).Inc()
	d.mu.Lock()
	m.MarkFailed(e, d.Now())
	d.mu.Unlock()
	d.logFailure(ctx, "a notification failed and is tried again", alert.Flag.IncidentID, e, e)
	return e
}

// logWriteError makes a failure of the log one that is tried again.
func (d *Dispatcher) logWriteError(ctx context.Context, err error) *alerting.Error {
	if err == nil {
		return nil
	}
	e := &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	if ctx.Err() == nil {
		d.logFailure(ctx, "state was not written and is tried again", "", e, err)
	}
	return e
}

// logFailure logs one line a minute at most.
func (d *Dispatcher) logFailure(ctx context.Context, what, incident string, e *alerting.Error, err error) {
	now := d.Now()
	d.mu.Lock()
	quiet := !d.lastLogged.IsZero() && now.Sub(d.lastLogged) < logInterval
	if !quiet {
		d.lastLogged = now
	}
	d.mu.Unlock()
	if quiet {
		return
	}
	attrs := []slog.Attr{slog.String("detail", what), slog.String("sink", d.Sink), slog.Any("error", err)}
	if incident != "" {
		attrs = append(attrs, slog.String("incident_id", incident))
	}
	d.Logger.LogAttrs(ctx, logLevel(e), "deliver alerts failed, retrying", attrs...)
}

// recordSent remembers what was posted. It keeps trying where post would post again: a state that cannot be written must not
// become a message a minute. It gets one bounded chance even when ctx has ended.
func (d *Dispatcher) recordSent(ctx context.Context, m *state.Message, ch state.Change) *alerting.Error {
	for attempt := 0; ; attempt++ {
		err := func() error {
			detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
			defer cancel()
			return d.writeChange(detached, m, ch, nil)
		}()
		e := d.logWriteError(ctx, err)
		if e == nil || ctx.Err() != nil {
			return e
		}
		sleep(ctx, retryDelay(e, attempt, d.Jitter()))
	}
}

// writeChange makes a change durable in every partition that has portions of the message, and applies it there; then is called
// for the portions, with the lock held. What has been revoked is left to its next owner.
func (d *Dispatcher) writeChange(ctx context.Context, m *state.Message, ch state.Change, then func([]*state.GroupPart)) error {
	d.mu.Lock()
	shelves := m.Partitions()
	d.mu.Unlock()
	for _, s := range shelves {
		if err := d.writePartition(ctx, s, m, ch, then); err != nil && !errors.Is(err, alertlog.ErrNotOwned) {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) writePartition(ctx context.Context, s *state.Partition, m *state.Message, ch state.Change, then func([]*state.GroupPart)) error {
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
		entries, apply := d.store.Records(m, some, ch)
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
