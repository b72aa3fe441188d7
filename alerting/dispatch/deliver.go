package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"confab/alerting"
	"confab/internal/retry"
	"confab/schemas"
)

// perform does the work of a channel. It logs and counts a failure; the caller waits before the next attempt.
func (d *Dispatcher) perform(ctx context.Context, todo *workItem) *alerting.Error {
	switch todo.priority {
	case noWork:
		return nil
	case detachMessage:
		return d.detachParts(ctx, todo.msg)
	case editHighDigest, editHigh, editNormal:
		return d.editMessage(ctx, todo.msg)
	default:
		return d.postMessage(ctx, todo.msg)
	}
}

// postMessage writes that the message is announced, posts it, and writes that it is sent.
func (d *Dispatcher) postMessage(ctx context.Context, m *message) *alerting.Error {
	if err := d.writeChange(ctx, m, m.announceChange(d.Now()), nil); err != nil {
		return d.logWriteError(ctx, err)
	}
	var alert schemas.Alert
	var shown displayedCounts
	first := false
	d.locked(func() {
		alert, shown = d.store.alert(m)
		first = len(shown) > 0 && alert.PossiblyDuplicated && !m.duplicateCounted
		m.duplicateCounted = m.duplicateCounted || first
	})
	if len(shown) == 0 { // its partitions were revoked
		return nil
	}
	if first {
		d.Metrics.ambiguous.Inc()
	}
	graceful, stop := withShutdownGrace(ctx)
	var receipt schemas.Receipt
	err := d.measure(func() (err error) {
		receipt, err = d.Notifier.Notify(graceful, alert)
		return err
	})
	stop()
	if err != nil {
		return d.noteFailure(ctx, m, &alert, err)
	}
	d.Metrics.sent.WithLabelValues(d.Sink).Inc()
	var sent recordChange
	d.locked(func() {
		sent = d.store.markSent(m, &alert, shown, receipt, d.Now())
		d.countDigest(m, shown)
	})
	return d.recordSent(ctx, m, sent)
}

// detachParts takes all parts out of a sent message.
func (d *Dispatcher) detachParts(ctx context.Context, m *message) *alerting.Error {
	err := d.writeChange(ctx, m, m.detachChange(d.Now()), func(parts []*groupPart) { d.store.detachParts(m, parts) })
	return d.logWriteError(ctx, err)
}

// editMessage shows in a sent message what has come since.
func (d *Dispatcher) editMessage(ctx context.Context, m *message) *alerting.Error {
	if err := d.writeChange(ctx, m, m.adoptChange(d.Now()), nil); err != nil {
		return d.logWriteError(ctx, err)
	}
	var alert schemas.Alert
	var shown displayedCounts
	var receipt schemas.Receipt
	due := false
	d.locked(func() {
		if m.phase.takesParts() { // without a lost part it would show less than before
			due = m.phase == editDue
			m.handle(editStarted)
			alert, shown = d.store.alert(m)
			receipt = m.receipt
		}
	})
	editor, ok := d.Notifier.(alerting.Editor)
	if !ok || len(shown) == 0 {
		return nil
	}
	err := d.measure(func() error { return editor.Edit(ctx, alert, receipt) })
	d.locked(func() {
		if m.lastSent = d.Now(); err == nil {
			d.countDigest(m, shown)
		} else if due {
			m.handle(editRequested)
		}
	})
	if err != nil {
		e := d.noteFailure(ctx, m, &alert, err)
		if e.Reason == alerting.ReasonGone { // what it showed was delivered
			return d.detachParts(ctx, m)
		}
		return e
	}
	if err := d.writeChange(ctx, m, m.editChange(shown, d.Now()), nil); err != nil {
		d.locked(func() { m.handle(editRequested) }) // before parts leave it: it shows more than the log has
		return d.logWriteError(ctx, err)
	}
	return nil
}

// countDigest counts the incidents that a digest newly shows. The caller holds the lock.
func (d *Dispatcher) countDigest(m *message, shown displayedCounts) {
	if m.kind != schemas.AlertDigest {
		return
	}
	for part, n := range shown {
		d.Metrics.suppressed.WithLabelValues(string(inDigest)).Add(float64(max(0, n-part.record.Group.DisplayedCount)))
	}
}

// noteFailure notes, counts and logs a failure of the sink.
func (d *Dispatcher) noteFailure(ctx context.Context, m *message, alert *schemas.Alert, err error) *alerting.Error {
	e := alerting.AsError(err)
	if ctx.Err() != nil {
		return e
	}
	d.Metrics.failed.WithLabelValues(string(e.Reason)).Inc()
	d.locked(func() { m.markFailed(e, d.Now()) })
	d.logFailure(ctx, "notify", alert.Flag.IncidentID, e, e)
	return e
}

// logWriteError logs a failed write of the state, and returns it as a retryable error.
func (d *Dispatcher) logWriteError(ctx context.Context, err error) *alerting.Error {
	if err == nil {
		return nil
	}
	e := &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	if ctx.Err() == nil {
		d.logFailure(ctx, "write state", "", e, err)
	}
	return e
}

// logFailure logs a failure that is tried again.
func (d *Dispatcher) logFailure(ctx context.Context, operation, incident string, e *alerting.Error, err error) {
	attrs := []slog.Attr{slog.String("operation", operation), slog.String("sink", d.Sink), slog.Any("error", err)}
	if incident != "" {
		attrs = append(attrs, slog.String("incident_id", incident))
	}
	level := slog.LevelWarn
	if e.Class == alerting.Operator {
		level = slog.LevelError // a person must fix it
	}
	d.Logger.LogAttrs(ctx, level, "deliver alerts failed, retrying", attrs...)
}

// recordSent writes that a message was sent, and tries until it succeeds: a later attempt to post would repeat the message.
// After the end of ctx it makes one attempt, for recordTimeout at most.
func (d *Dispatcher) recordSent(ctx context.Context, m *message, ch recordChange) *alerting.Error {
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
		_ = retry.Sleep(ctx, d.pauseAfter(e, attempt))
	}
}

// writeChange writes a change of the message's parts to each of their partitions and applies it there. It calls then for
// the changed parts, with the lock held. It skips revoked partitions: their next owner reads the log.
func (d *Dispatcher) writeChange(ctx context.Context, m *message, ch recordChange, then func([]*groupPart)) error {
	var partitions []*partition
	d.locked(func() { partitions = m.partitions() })
	for _, p := range partitions {
		err := p.exclusive(ctx, func() error { return d.writePartition(ctx, p, m, ch, then) })
		if err != nil && !errors.Is(err, alerting.ErrNotOwned) {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) writePartition(ctx context.Context, p *partition, m *message, ch recordChange, then func([]*groupPart)) error {
	var all []*groupPart
	d.locked(func() { all = m.partsIn(p) })
	for len(all) > 0 {
		some := all[:min(len(all), maxWrite)]
		all = all[len(some):]
		var entries []alerting.StateEntry
		var apply func()
		d.locked(func() { entries, apply = d.store.records(m, some, ch) })
		if p.isRevoked() {
			return alerting.ErrNotOwned
		}
		if len(entries) > 0 {
			if err := p.put(ctx, entries...); err != nil && p.isRevoked() {
				return alerting.ErrNotOwned
			} else if err != nil {
				return err
			}
		}
		d.locked(func() {
			apply()
			if then != nil && !p.isRevoked() {
				then(some)
			}
		})
	}
	return nil
}
