package dispatch

import (
	"time"

	"confab/alerting/dispatch/indexheap"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// advance brings the state and the index of the channel up to now: loaded parts get their messages, changed and due groups
// and messages are classified, and unsent messages dissolve that are to be sent in another way. It does nothing before the
// state is loaded.
func (pl *workPlanner) advance(ch *state.Channel, now time.Time) {
	if !pl.store.Ready() {
		return
	}
	pl.setClock(now)
	pl.reclassify(ch, now)
	pl.dissolveUnsent(ch, now)
	for again := true; again; again = pl.refreshReady(ch, now) {
		pl.reclassify(ch, now)
	}
}

// setClock attaches loaded parts to their messages and notes the time, see state.Store.SetClock.
func (pl *workPlanner) setClock(now time.Time) {
	if !pl.store.SetClock(now, pl.store.AttachLoaded(now)) {
		return
	}
	pl.daily.CorrectTimes(now)
	for _, l := range pl.limiters {
		l.AllowN(now, 0) // nothing waits for a time of the former clock
	}
}

// dissolveUnsent dissolves messages that have lost a part, have become stale or fell into quiet hours. A digest and an
// unconfirmed message keep their ids as long as they have all parts.
func (pl *workPlanner) dissolveUnsent(ch *state.Channel, now time.Time) {
	for m := range pl.index(ch).unsent {
		switch {
		case m.Phase.IsDissolving():
			pl.store.Dissolve(m)
		case m.Phase == state.Planned && m.Kind != schemas.AlertDigest && !pl.isSingle(m.Parts, now):
			pl.store.Dissolve(m)
		}
	}
}

// isSingle reports that the parts of a group get a message of their own now: neither a digest nor a silence or quiet hours
// apply.
func (pl *workPlanner) isSingle(parts map[*state.GroupPart]struct{}, now time.Time) bool {
	if !pl.store.AllSilencedUntil(parts, now).IsZero() {
		return false
	}
	var g *state.Group
	for p := range parts {
		g = p.Group
	}
	if g.Severity == schemas.SeverityNormal {
		if _, quiet := pl.store.Policy.Quiet(g.Labels.Tenant, now); quiet {
			return false
		}
	}
	cause, _ := pl.digestCause(g, parts, now)
	return cause == causeNone || cause == causeBroken
}

// refreshReady classifies the most urgent sent message again, since quiet hours may have begun. It reports whether that has
// changed anything.
func (pl *workPlanner) refreshReady(ch *state.Channel, now time.Time) bool {
	index := pl.index(ch)
	x, ok := index.ready.First()
	if !ok {
		return false
	}
	was := x.priority
	pl.classifyMessage(index, x.msg, now)
	return x.readyAt == indexheap.Absent || x.priority != was || len(ch.ChangedGroups)+len(ch.ChangedMessages) > 0
}
