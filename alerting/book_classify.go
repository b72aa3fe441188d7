package alerting

import (
	"slices"
	"time"

	"confab/schemas"
)

// causeNone and causeBroken are the queues of groups that may have messages of their own.
const (
	causeNone   schemas.DigestCause = ""
	causeBroken schemas.DigestCause = "broken" // never that of a digest
)

// catchUp classifies what has changed or has reached its time. Its cost is that of the changes.
func (b *book) catchUp(ch *channel, now time.Time) {
	if !b.nextSilence.IsZero() && !now.Before(b.nextSilence) {
		b.silencesChanged(now)
	}
	a := &ch.due
	for g, ok := a.groupTimes.first(); ok && !now.Before(g.wait.due); g, ok = a.groupTimes.first() {
		a.groupTimes.remove(g)
		a.groups[g] = struct{}{}
	}
	for m, ok := a.messageTimes.first(); ok && !now.Before(m.action.due); m, ok = a.messageTimes.first() {
		a.messageTimes.remove(m)
		m.changed()
	}
	for len(a.groups)+len(a.messages) > 0 {
		for g := range a.groups {
			delete(a.groups, g)
			b.classifyGroup(ch, g, now)
		}
		for m := range a.messages {
			delete(a.messages, m)
			b.classifyMessage(ch, m, now)
		}
	}
}

// classifyGroup finds where a group waits for a message, if it does.
func (b *book) classifyGroup(ch *channel, g *group, now time.Time) {
	a := &ch.due
	a.visits++
	a.withdraw(g)
	if _, waiting := ch.waiting[g]; !waiting {
		return
	}
	w := &g.wait
	portions, since := g.unattached()
	w.since = since
	if m := g.live; m != nil && b.joinable(m, now) {
		w.joins = m
		if m.joining == nil {
			m.joining = make(map[*group]struct{})
		}
		m.joining[g] = struct{}{}
		m.changed()
		return
	}
	if end := b.allSilenced(portions, now); !end.IsZero() {
		w.due = end
		a.groupTimes.add(g)
		return
	}
	cause, until := b.digestCause(g, portions, now)
	if !until.IsZero() {
		w.due = until
		a.groupTimes.add(g)
	}
	w.queue = a.queue(digestKey{g.pool, g.lane, cause})
	w.queue.add(g)
}

// joinable reports that waiting portions of its groups are attached to the message.
func (b *book) joinable(m *notice, now time.Time) bool { return !m.told || b.edits && b.open(m, now) }

// digestCause says whether the incidents are told in a digest, quiet hours of now and limits apart, and until when that
// holds; zero for ever.
func (b *book) digestCause(g *group, portions map[*portion]struct{}, now time.Time) (schemas.DigestCause, time.Time) {
	if g.detector != "" {
		return causeBroken, time.Time{}
	}
	var first, last time.Time
	again := false
	for p := range portions {
		again = again || p.rec.Group.Base > 0
		first, last = earliest(first, p.since), latest(last, p.rec.Group.Last)
	}
	if g.lane == schemas.LaneNormal {
		if _, quiet := b.policy.Quiet(g.labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}
		}
	}
	if again && !b.edits { // they had to wait for the repeat interval
		return causeNone, time.Time{}
	}
	if now.Sub(last) > b.opts.StaleAfter {
		return schemas.DigestStale, time.Time{}
	}
	return causeNone, last.Add(b.opts.StaleAfter + 1)
}

// classifyMessage finds what is to be done for a message, and when it is to be asked again.
func (b *book) classifyMessage(ch *channel, m *notice, now time.Time) {
	a := &ch.due
	a.visits++
	a.ready.remove(m)
	a.messageTimes.remove(m)
	if _, exists := ch.messages[m]; !exists {
		return
	}
	if !m.told {
		a.untold[m] = struct{}{}
		return
	}
	delete(a.untold, m)
	if m.kind == schemas.AlertDigest {
		a.addDigest(m)
	}
	if !b.joinable(m, now) {
		for g := range m.joining {
			a.groups[g] = struct{}{}
		}
	}
	c := choice{now: now}
	b.offerTold(&c, m)
	if m.action.urgency, m.action.since = c.best.urgency, c.best.since; c.best.urgency != nothing {
		a.ready.add(m)
	}
	if !c.wake.IsZero() {
		m.action.due = c.wake
		a.messageTimes.add(m)
	}
}

// addDigest notes a digest that is posted.
func (a *dueIndex) addDigest(m *notice) {
	k := m.digestKey()
	if !slices.Contains(a.digests[k], m) {
		a.digests[k] = append(a.digests[k], m)
	}
}

// lastDigest is the digest of a key that was posted last, nil when none stands.
func (a *dueIndex) lastDigest(k digestKey) (last *notice) {
	for _, m := range a.digests[k] {
		if m.told && (last == nil || m.opened.After(last.opened)) {
			last = m
		}
	}
	return last
}

// offerTold offers what there is to do for a message that stands, and sets when to ask again.
func (b *book) offerTold(c *choice, m *notice) {
	if m.torn || b.repeatDue(c, m) {
		c.offer(candidate{urgency: part, msg: m}, c.now)
		return
	}
	if b.edits && (m.behind() || m.urgent || m.unsure) {
		c.offer(candidate{urgency: editUrgency(m), since: m.lastTold, msg: m}, b.editDue(m))
	}
	b.offerJoining(c, m)
}

// repeatDue reports that the incidents that the message does not show get a new one, since the repeat interval is over. If
// that is only a matter of time, it sets when to ask again.
func (b *book) repeatDue(c *choice, m *notice) bool {
	if !m.behind() {
		return false
	}
	if repeat := m.opened.Add(b.opts.Repeat); c.now.Before(repeat) {
		c.wake = earliest(c.wake, repeat)
		return false
	}
	if m.unsure { // it is edited first
		return false
	}
	end, quiet := b.quiet(m, c.now)
	if quiet {
		c.wake = earliest(c.wake, end)
	}
	return !quiet
}

// offerJoining offers the edit that attaches waiting groups to the message, and sets when the message stops accepting them.
func (b *book) offerJoining(c *choice, m *notice) {
	if len(m.joining) == 0 || !b.joinable(m, c.now) {
		return
	}
	for g := range m.joining {
		c.offer(candidate{urgency: editUrgency(m), since: g.wait.since, msg: m}, b.editDue(m))
	}
	c.wake = earliest(c.wake, m.opened.Add(b.opts.Repeat))
	if end := m.touched().Add(b.opts.Resolve); !m.behind() && c.now.Before(end) {
		c.wake = earliest(c.wake, end)
	}
}
