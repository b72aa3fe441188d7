package dispatch

import (
	"context"
	"errors"
	"strings"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// waiting is an alert that waits for a second opinion. The log has it.
type waiting struct {
	flag  *schemas.Flag // reduced to what messages show
	until time.Time
}

// mustWait reports whether a new alert waits for its second opinion: one was asked for, and the state has room.
func (s *store) mustWait(p *partition, f *schemas.Flag) bool {
	return s.policy.NeedsConfirm(f) && f.Sampled && len(p.waiting) < s.maxParts
}

// wait plans that the alert waits.
func (s *store) wait(p *partition, f *schemas.Flag, now time.Time) update {
	flag, id := trimFlag(f), strings.Clone(f.IncidentID)
	w := waiting{&flag, now.Add(s.options.ConfirmWithin)}
	return update{outcome: Waiting, entries: []alerting.StateEntry{w.entry(id, now)}, apply: func() {
		p.waiting[id] = w
		notify(s.newWaiting)
	}}
}

func (w waiting) entry(incident string, now time.Time) alerting.StateEntry {
	return alerting.StateEntry{Key: incident, State: &schemas.AlertState{
		Status: schemas.AlertWaiting, Pass: w.flag.Pass, Until: w.until, UpdatedAt: now, Waiting: w.flag,
	}}
}

// dropCleared plans that nothing follows from the incident: the second opinion has cleared it.
func (s *store) dropCleared(f *schemas.Flag, now time.Time) update {
	rec := schemas.AlertState{Status: schemas.AlertCleared, Pass: normalPass(f), UpdatedAt: now}
	return update{outcome: Cleared, entries: []alerting.StateEntry{{Key: strings.Clone(f.IncidentID), State: &rec}}, apply: func() {}}
}

// endWait adds to what follows from a waiting incident that it waits no longer, by the same write.
func (p *partition) endWait(incident string, out update) update {
	if len(out.entries) == 0 || out.entries[len(out.entries)-1].Key != incident {
		out.entries = append(out.entries, alerting.StateEntry{Key: incident})
	}
	then := out.apply
	out.apply = func() {
		if delete(p.waiting, incident); then != nil {
			then()
		}
	}
	return out
}

// unconfirmed is the flag with the mark that it has no second opinion, if one was due.
func (s *store) unconfirmed(f *schemas.Flag) *schemas.Flag {
	if !s.policy.NeedsConfirm(f) {
		return f
	}
	marked := *f
	marked.ConfirmedBy = schemas.NotConfirmed
	return &marked
}

// expire sends the alerts whose second opinion is late, and returns when the next one will be; zero if none waits. A failure is
// tried again at that time.
func (d *Dispatcher) expire(ctx context.Context) (next time.Time) {
	type late struct {
		partition *partition
		waiting
	}
	var due []late
	d.locked(func() {
		for _, p := range d.store.partitions {
			for _, w := range p.waiting {
				if !d.Now().Before(w.until) {
					due = append(due, late{p, w})
				} else {
					next = earliest(next, w.until)
				}
			}
		}
	})
	for _, w := range due {
		_, err := d.update(ctx, w.partition, func() update { return d.store.expireWait(w.partition, w.flag.IncidentID, d.Now()) })
		if err != nil && !errors.Is(err, alerting.ErrNotOwned) {
			d.logFailure(ctx, "send unconfirmed alert", w.flag.IncidentID, &alerting.Error{Class: alerting.Retryable}, err)
			next = earliest(next, d.Now().Add(retryExpired))
		}
	}
	return next
}

// retryExpired is the pause after a failed write.
const retryExpired = time.Second

// expireWait plans what follows from a waiting incident whose time is over.
func (s *store) expireWait(p *partition, incident string, now time.Time) update {
	w, waits := p.waiting[incident]
	if !waits {
		return update{} // it was confirmed, cleared or labelled meanwhile
	}
	marked := *w.flag
	marked.ConfirmedBy = schemas.NotConfirmed
	if k := s.kindOf(&marked); s.isSilenced(k.key(), labelsOf(&marked), now) {
		return p.endWait(incident, suppress(silenced))
	}
	return p.endWait(incident, s.addMember(p, &marked, false, now))
}
