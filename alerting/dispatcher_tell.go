package alerting

import (
	"context"
	"errors"
	"log/slog"

	"confab/schemas"
)

// do carries out what a channel does next. A failure is logged and counted; its delay is the caller's business.
func (d *Dispatcher) do(ctx context.Context, todo *work) *Error {
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
func (d *Dispatcher) post(ctx context.Context, m *notice) *Error {
	if err := d.write(ctx, m, m.announce(d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.mu.Lock()
	alert, shown := d.book.alert(m)
	d.mu.Unlock()
	if len(shown) == 0 { // its partitions have been taken away
		return nil
	}
	if alert.MayRepeat && m.countRepeat() {
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
	if m.kind == schemas.AlertDigest {
		d.Metrics.digests.WithLabelValues(string(m.cause)).Inc()
	}
	d.mu.Lock()
	posted := d.book.accepted(m, &alert, shown, receipt, d.Now())
	d.mu.Unlock()
	return d.settle(ctx, m, posted)
}

// part has the portions leave their message.
func (d *Dispatcher) part(ctx context.Context, m *notice) *Error {
	e := d.unwritten(ctx, d.write(ctx, m, m.parted(d.Now()), func(some []*portion) { d.book.detachFrom(m, some) }))
	d.mu.Lock()
	d.book.shrinkSoon()
	d.mu.Unlock()
	return e
}

// edit shows in a message what has come since.
func (d *Dispatcher) edit(ctx context.Context, m *notice) *Error {
	if err := d.write(ctx, m, m.adopted(d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.mu.Lock()
	alert, shown, urgent := d.book.startEdit(m)
	receipt := m.receipt
	d.mu.Unlock()
	editor, ok := d.Notifier.(Editor)
	if !ok || len(shown) == 0 {
		return nil
	}
	start := d.Now()
	err := editor.Edit(ctx, alert, receipt)
	d.Metrics.duration.Observe(d.Now().Sub(start).Seconds())
	d.mu.Lock()
	m.editTried(d.Now(), urgent && err != nil)
	d.mu.Unlock()
	if err != nil {
		e := d.failed(ctx, m, &alert, err)
		if e.Reason == ReasonGone { // what it showed has been told all the same
			return d.part(ctx, m)
		}
		return e
	}
	d.Metrics.edits.WithLabelValues(d.Sink).Inc()
	if err := d.write(ctx, m, m.edited(shown, d.Now()), nil); err != nil {
		return d.unwritten(ctx, err)
	}
	d.takeBack(ctx, editor, alert, m, shown)
	d.mu.Lock()
	m.editWritten()
	d.mu.Unlock()
	return nil
}

// takeBack edits once more what has just been edited, if portions were taken away meanwhile: their next owner knows only
// what the log had of them, and tells the rest. A failure leaves incidents that are counted twice, never none.
func (d *Dispatcher) takeBack(ctx context.Context, editor Editor, alert schemas.Alert, m *notice, shown showing) {
	d.mu.Lock()
	over := shown.lost()
	receipt := m.receipt
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
func (d *Dispatcher) addDetail(ctx context.Context, r *reply) {
	d.mu.Lock()
	alert, shown := d.book.alert(r.msg)
	receipt := r.msg.receipt
	d.mu.Unlock()
	if receipt.Timestamp == "" || len(shown) == 0 {
		return
	}
	alert.Flag = r.flag
	if err := d.replier.Reply(ctx, alert, receipt); err != nil && ctx.Err() == nil {
		d.Metrics.failed.WithLabelValues(string(failure(err).Reason)).Inc()
	}
}

// failed notes a failure of the sink.
func (d *Dispatcher) failed(ctx context.Context, m *notice, alert *schemas.Alert, err error) *Error {
	e := failure(err)
	if ctx.Err() != nil {
		return e
	}
	d.Metrics.failed.WithLabelValues(string(e.Reason)).Inc()
	d.mu.Lock()
	m.failed(e, d.Now())
	d.mu.Unlock()
	d.complain(ctx, "a notification failed and is tried again", alert.Flag.IncidentID, e, e)
	return e
}

// unwritten makes a failure of the log one that is tried again.
func (d *Dispatcher) unwritten(ctx context.Context, err error) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Class: Retryable, Reason: ReasonUnknown}
	if ctx.Err() == nil {
		d.complain(ctx, "state was not written and is tried again", "", e, err)
	}
	return e
}

// complain logs one line a minute at most.
func (d *Dispatcher) complain(ctx context.Context, what, incident string, e *Error, err error) {
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
func (d *Dispatcher) settle(ctx context.Context, m *notice, ch change) *Error {
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
func (d *Dispatcher) write(ctx context.Context, m *notice, ch change, then func([]*portion)) error {
	d.mu.Lock()
	shelves := m.shelves()
	d.mu.Unlock()
	for _, s := range shelves {
		if err := d.writeIn(ctx, s, m, ch, then); err != nil && !errors.Is(err, ErrNotOwned) {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) writeIn(ctx context.Context, s *shelf, m *notice, ch change, then func([]*portion)) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	d.mu.Lock()
	all := m.in(s)
	d.mu.Unlock()
	for len(all) > 0 {
		some := all[:min(len(all), chunk)]
		all = all[len(some):]
		d.mu.Lock()
		entries, apply := d.book.records(m, some, ch)
		d.mu.Unlock()
		if s.isGone() {
			return ErrNotOwned
		}
		if len(entries) > 0 {
			if err := s.put(ctx, entries...); err != nil && s.isGone() {
				return ErrNotOwned
			} else if err != nil {
				return err
			}
		}
		d.mu.Lock()
		apply()
		if then != nil && !s.isGone() {
			then(some)
		}
		d.mu.Unlock()
	}
	return nil
}
