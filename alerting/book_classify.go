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
func (pl *planner) catchUp(ch *channel, now time.Time) {
	if !pl.book.nextSilence.IsZero() && !now.Before(pl.book.nextSilence) {
		pl.book.silencesChanged(now)
	}
	a := pl.index(ch)
	for w, ok := a.groupTimes.first(); ok && !now.Before(w.due); w, ok = a.groupTimes.first() {
		a.groupTimes.remove(w)
		ch.changedGroups[w.group] = struct{}{}
	}
	for x, ok := a.messageTimes.first(); ok && !now.Before(x.due); x, ok = a.messageTimes.first() {
		a.messageTimes.remove(x)
		x.msg.changed()
	}
	for len(ch.changedGroups)+len(ch.changedMessages) > 0 {
		for g := range ch.changedGroups {
			delete(ch.changedGroups, g)
			pl.classifyGroup(a, g, now)
		}
		for m := range ch.changedMessages {
			delete(ch.changedMessages, m)
			pl.classifyMessage(a, m, now)
		}
	}
}

// classifyGroup finds where a group waits for a message, if it does.
func (pl *planner) classifyGroup(a *dueIndex, g *group, now time.Time) {
	a.visits++
	a.withdraw(g)
	if _, waiting := a.channel.waiting[g]; !waiting {
		return
	}
	portions, since := g.unattached()
	w := a.wait(g, since)
	if m := g.live; m != nil && pl.joinable(m, now) {
		w.joins = m
		a.action(m).joining[g] = struct{}{}
		m.changed()
		return
	}
	if end := pl.book.allSilenced(portions, now); !end.IsZero() {
		w.due = end
		a.groupTimes.add(w)
		return
	}
	cause, until := pl.digestCause(g, portions, now)
	if !until.IsZero() {
		w.due = until
		a.groupTimes.add(w)
	}
	w.queue = a.queue(digestKey{pool: g.pool, lane: g.lane, cause: cause})
	w.queue.add(w)
}

// joinable reports that waiting portions of its groups are attached to the message.
func (pl *planner) joinable(m *notice, now time.Time) bool {
	return !m.told || pl.book.edits && pl.book.open(m, now)
}

// digestCause says whether the incidents are told in a digest, quiet hours of now and limits apart, and until when that
// holds; zero for ever.
func (pl *planner) digestCause(g *group, portions map[*portion]struct{}, now time.Time) (schemas.DigestCause, time.Time) {
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
		if _, quiet := pl.book.policy.Quiet(g.labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}
		}
	}
	if again && !pl.book.edits { // they had to wait for the repeat interval
		return causeNone, time.Time{}
	}
	if now.Sub(last) > pl.book.opts.StaleAfter {
		return schemas.DigestStale, time.Time{}
	}
	return causeNone, last.Add(pl.book.opts.StaleAfter + 1)
}

// classifyMessage finds what is to be done for a message, and when it is to be asked again.
func (pl *planner) classifyMessage(a *dueIndex, m *notice, now time.Time) {
	a.visits++
	if x := a.actions[m]; x != nil {
		a.ready.remove(x)
		a.messageTimes.remove(x)
	}
	if _, exists := a.channel.messages[m]; !exists {
		a.forget(m)
		return
	}
	x := a.action(m)
	if !m.told {
		a.untold[m] = struct{}{}
		return
	}
	delete(a.untold, m)
	if m.kind == schemas.AlertDigest {
		a.addDigest(x)
	}
	if !pl.joinable(m, now) {
		for g := range x.joining {
			a.channel.changedGroups[g] = struct{}{}
		}
	}
	c := choice{now: now}
	pl.offerTold(&c, a, x)
	if x.urgency, x.since = c.best.urgency, c.best.since; c.best.urgency != nothing {
		a.ready.add(x)
	}
	if !c.wake.IsZero() {
		x.due = c.wake
		a.messageTimes.add(x)
	}
}

// addDigest notes a digest that is posted.
func (a *dueIndex) addDigest(x *nextAction) {
	k := x.msg.digestKey()
	if x.digest != nil && *x.digest == k {
		return
	}
	a.removeDigest(x)
	x.digest = &k
	a.digests[k] = append(a.digests[k], x.msg)
}

// removeDigest takes a message out of the digests.
func (a *dueIndex) removeDigest(x *nextAction) {
	if x.digest == nil {
		return
	}
	k := *x.digest
	x.digest = nil
	a.digests[k] = slices.DeleteFunc(a.digests[k], func(m *notice) bool { return m == x.msg })
	if len(a.digests[k]) == 0 {
		delete(a.digests, k)
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
func (pl *planner) offerTold(c *choice, a *dueIndex, x *nextAction) {
	m := x.msg
	if m.torn || pl.repeatDue(c, m) {
		c.offer(candidate{urgency: part, msg: m}, c.now)
		return
	}
	if pl.book.edits && (m.behind() || m.urgent || m.unsure) {
		c.offer(candidate{urgency: editUrgency(m), since: m.lastTold, msg: m}, pl.editDue(m))
	}
	pl.offerJoining(c, a, x)
}

// repeatDue reports that the incidents that the message does not show get a new one, since the repeat interval is over. If
// that is only a matter of time, it sets when to ask again.
func (pl *planner) repeatDue(c *choice, m *notice) bool {
	if !m.behind() {
		return false
	}
	if repeat := m.opened.Add(pl.book.opts.Repeat); c.now.Before(repeat) {
		c.wake = earliest(c.wake, repeat)
		return false
	}
	if m.unsure { // it is edited first
		return false
	}
	end, quiet := pl.quiet(m, c.now)
	if quiet {
		c.wake = earliest(c.wake, end)
	}
	return !quiet
}

// offerJoining offers the edit that attaches waiting groups to the message, and sets when the message stops accepting them.
func (pl *planner) offerJoining(c *choice, a *dueIndex, x *nextAction) {
	m := x.msg
	if len(x.joining) == 0 || !pl.joinable(m, c.now) {
		return
	}
	for g := range x.joining {
		c.offer(candidate{urgency: editUrgency(m), since: a.waits[g].since, msg: m}, pl.editDue(m))
	}
	c.wake = earliest(c.wake, m.opened.Add(pl.book.opts.Repeat))
	if end := m.touched().Add(pl.book.opts.Resolve); !m.behind() && c.now.Before(end) {
		c.wake = earliest(c.wake, end)
	}
}
