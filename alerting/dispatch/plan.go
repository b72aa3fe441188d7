package dispatch

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"confab/schemas"
)

// planner decides what a channel does next: advance gives every group that waits a message, then next finds the message whose
// turn it is. The caller owns the lock and the clock.
type planner struct {
	store    *store
	limiters map[limiterKey]*rate.Limiter // of new messages; a missing one is full
}

// limiterKey names the new messages that share a token bucket.
type limiterKey struct {
	pool     string
	severity schemas.Severity
}

// priority is the kind of the next work of a channel, in the order of doing.
type priority int

const (
	noWork         priority = iota
	detachMessage           // parts leave a message that is not edited any more; no request to the sink
	postHighDigest          // first notification of many groups at once
	editHighDigest          // likewise, in the digest that was posted
	postHigh
	postNormal
	postDigest
	editHigh
	editNormal
)

const (
	// downFailures in a row make the sink seem down.
	downFailures = 2
	// maxPendingGroups is how many groups of a severity may wait in a channel for messages of their own. A channel takes one
	// message a second.
	maxPendingGroups = 10
	// highDigestInterval is the longest time between edits of a digest of high severity.
	highDigestInterval = 10 * time.Second
)

// advance brings the state of a channel up to now. wake is when a silence ends that holds a group back; zero for none.
func (pl *planner) advance(ch *channel, now time.Time) (wake time.Time) {
	pl.store.attachLoaded(now)
	free := map[schemas.Severity]int{schemas.SeverityHigh: maxPendingGroups, schemas.SeverityNormal: maxPendingGroups}
	for m := range ch.messages {
		pl.refresh(m, now)
		if m.phase != closed && !m.phase.isSent() && m.kind == schemas.AlertGroup {
			free[m.severity]--
		}
	}
	waiting := make([]waitingGroup, 0, len(ch.waitingGroups))
	for g := range ch.waitingGroups {
		w := waitingGroup{group: g}
		for _, part := range g.parts {
			if !part.unassigned() {
				continue
			}
			if end := pl.store.partSilencedUntil(part, now); !end.IsZero() {
				wake = earliest(wake, end)
				continue
			}
			w.parts, w.since = append(w.parts, part), earliest(w.since, part.pendingSince)
		}
		if len(w.parts) > 0 {
			waiting = append(waiting, w)
		}
	}
	slices.SortFunc(waiting, func(a, b waitingGroup) int { // the longest waiting get messages of their own
		return cmp.Or(a.since.Compare(b.since), strings.Compare(a.key, b.key))
	})
	for _, w := range waiting {
		m := pl.messageFor(w, free, now)
		for _, part := range w.parts {
			pl.store.attach(part, m)
		}
	}
	return wake
}

// waitingGroup is a group with those of its parts that get a message now.
type waitingGroup struct {
	*group
	parts []*groupPart
	since time.Time
}

// refresh takes out of a message that was not sent what is to be sent in another way or later.
func (pl *planner) refresh(m *message, now time.Time) {
	if m.phase != planned {
		if m.phase.isDissolving() {
			pl.store.dissolve(m)
		}
		return
	}
	for part := range m.parts {
		if !pl.store.partSilencedUntil(part, now).IsZero() || m.kind == schemas.AlertGroup && pl.isStale([]*groupPart{part}, now) {
			pl.store.detach(part)
		}
	}
}

// messageFor finds or plans the message of a waiting group: the one that shows it, one of its own, or a digest.
func (pl *planner) messageFor(w waitingGroup, free map[schemas.Severity]int, now time.Time) *message {
	if m := w.open; m != nil && (!m.phase.isSent() || pl.store.canEdit && pl.store.acceptsMore(m, now)) {
		return m
	}
	switch {
	case pl.isStale(w.parts, now):
		return pl.digestFor(w.group, schemas.DigestStale, now)
	case free[w.severity] <= 0 || !pl.takeToken(limiterKey{w.pool, w.severity}, now):
		return pl.digestFor(w.group, schemas.DigestThrottled, now)
	}
	free[w.severity]--
	return pl.plan(w.group, schemas.AlertGroup, "", now)
}

// plan makes a message that is still to be posted.
func (pl *planner) plan(g *group, kind schemas.AlertKind, cause schemas.DigestCause, now time.Time) *message {
	m := pl.store.newMessage(pl.store.newID(), g, kind, cause)
	m.plannedAt = now
	return m
}

// isStale reports that incidents could not be sent for a long time. Those that had to wait for the repeat interval are not.
func (pl *planner) isStale(parts []*groupPart, now time.Time) bool {
	var last time.Time
	for _, part := range parts {
		if part.record.Group.CountOffset > 0 && !pl.store.canEdit {
			return false
		}
		last = latest(last, part.record.Group.Last)
	}
	return now.Sub(last) > pl.store.options.StaleAfter
}

// takeToken reports whether a new message is allowed, and counts it.
func (pl *planner) takeToken(k limiterKey, now time.Time) bool {
	l, ok := pl.limiters[k]
	if !ok {
		o := pl.store.options.NewMessages
		l = rate.NewLimiter(rate.Every(o.Every), o.Burst)
		pl.limiters[k] = l
	}
	return l.AllowN(now, 1)
}

// digestFor finds or plans the digest of a group. A new one waits for a while after the last.
func (pl *planner) digestFor(g *group, cause schemas.DigestCause, now time.Time) *message {
	unsent, last := g.channel.digests(digestKey{g.pool, g.severity, cause})
	switch {
	case unsent != nil:
		return unsent
	case last != nil && pl.store.canEdit && pl.store.acceptsMore(last, now):
		return last
	}
	m := pl.plan(g, schemas.AlertDigest, cause, now)
	if last != nil {
		m.notBefore = last.sentAt.Add(pl.store.options.Interval)
	}
	return m
}

// digests are the digest of a key that is still to be sent, and the last one that was.
func (ch *channel) digests(k digestKey) (unsent, last *message) {
	for m := range ch.messages {
		switch {
		case m.kind != schemas.AlertDigest || k != digestKey{m.tenant, m.severity, m.cause} || !m.phase.takesParts():
		case !m.phase.isSent():
			unsent = m
		case last == nil || m.sentAt.After(last.sentAt):
			last = m
		}
	}
	return unsent, last
}

// next finds the next work of a channel, or when there will be some; zero for never. It changes nothing.
func (pl *planner) next(ch *channel, now time.Time) (best workItem, wake time.Time) {
	if !pl.store.ready() {
		return best, wake
	}
	down := ch.failures >= downFailures
	for m := range ch.messages {
		p, due := pl.workOf(m, now)
		switch x := (workItem{priority: p, msg: m}); {
		case p == noWork:
		case now.Before(due):
			wake = earliest(wake, due)
		case best.priority == noWork || x.compare(best, down) < 0:
			best = x
		}
	}
	return best, wake
}

// workItem is what a channel does next.
type workItem struct {
	priority priority
	msg      *message
}

// compare orders the work on messages. An unconfirmed message costs more requests than others: the others go first, unless
// the sink seems to be down, when few messages should become unconfirmed.
func (w workItem) compare(o workItem, down bool) int {
	unconfirmed := func(m *message) int {
		if m.phase.isUnconfirmed() != down {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(w.priority, o.priority), cmp.Compare(unconfirmed(w.msg), unconfirmed(o.msg)),
		w.msg.waitsSince().Compare(o.msg.waitsSince()), strings.Compare(w.msg.id, o.msg.id),
	)
}

// workOf is the next work on a message, and when it is due.
func (pl *planner) workOf(m *message, now time.Time) (priority, time.Time) {
	o := &pl.store.options
	switch {
	case m.phase == detaching:
		return detachMessage, now
	case !m.phase.isSent():
		return m.priority(), m.notBefore
	case !m.hasPending() && m.phase != editDue:
		return noWork, now
	}
	repeat, edit := m.sentAt.Add(o.Repeat), m.lastSent
	if m.phase != editDue {
		edit = edit.Add(o.Interval)
		if m.severity == schemas.SeverityHigh && m.kind == schemas.AlertDigest {
			edit = m.lastSent.Add(min(o.Interval, highDigestInterval))
		}
	}
	edit = latest(edit, m.notBefore)
	if m.phase != editDue && (!pl.store.canEdit || !now.Before(repeat) || repeat.Before(edit)) {
		return detachMessage, repeat // what it does not show gets a new message
	}
	return m.priority(), edit
}

// waitsSince is when the message was last sent, or planned.
func (m *message) waitsSince() time.Time { return latest(m.plannedAt, m.lastSent) }

// priority is that of a post, if the message was not sent, or of an edit.
func (m *message) priority() priority {
	high, digest := m.severity == schemas.SeverityHigh, m.kind == schemas.AlertDigest
	switch edit := m.phase.isSent(); {
	case high && digest && edit:
		return editHighDigest
	case high && digest:
		return postHighDigest
	case high && edit:
		return editHigh
	case edit:
		return editNormal
	case high:
		return postHigh
	case digest:
		return postDigest
	}
	return postNormal
}
