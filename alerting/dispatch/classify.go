package dispatch

import (
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// causeNone and causeBroken are the queues of groups that may have messages of their own.
const (
	causeNone   schemas.DigestCause = ""
	causeBroken schemas.DigestCause = "broken" // never that of a digest
)

// reclassify classifies what has changed or has reached its time. Its cost is that of the changes.
func (pl *planner) reclassify(ch *state.Channel, now time.Time) {
	if !pl.store.NextSilence.IsZero() && !now.Before(pl.store.NextSilence) {
		pl.store.SilencesChanged(now)
	}
	a := pl.index(ch)
	for w, ok := a.groupTimes.first(); ok && !now.Before(w.due); w, ok = a.groupTimes.first() {
		a.groupTimes.remove(w)
		ch.ChangedGroups[w.group] = struct{}{}
	}
	for x, ok := a.messageTimes.first(); ok && !now.Before(x.due); x, ok = a.messageTimes.first() {
		a.messageTimes.remove(x)
		x.msg.MarkChanged()
	}
	for len(ch.ChangedGroups)+len(ch.ChangedMessages) > 0 {
		for g := range ch.ChangedGroups {
			delete(ch.ChangedGroups, g)
			pl.classifyGroup(a, g, now)
		}
		for m := range ch.ChangedMessages {
			delete(ch.ChangedMessages, m)
			pl.classifyMessage(a, m, now)
		}
	}
}

// classifyGroup finds where a group waits for a message, if it does.
func (pl *planner) classifyGroup(a *dueIndex, g *state.Group, now time.Time) {
	a.visits++
	a.removeWaiting(g)
	if _, waiting := a.channel.WaitingGroups[g]; !waiting {
		return
	}
	portions, since := g.Unassigned()
	w := a.addWaiting(g, since)
	if m := g.Open; m != nil && pl.acceptsParts(m, now) {
		w.target = m
		a.action(m).attaching[g] = struct{}{}
		m.MarkChanged()
		return
	}
	if end := pl.store.AllSilencedUntil(portions, now); !end.IsZero() {
		w.due = end
		a.groupTimes.add(w)
		return
	}
	cause, until := pl.digestCause(g, portions, now)
	if !until.IsZero() {
		w.due = until
		a.groupTimes.add(w)
	}
	w.queue = a.queue(state.DigestKey{Pool: g.Pool, Severity: g.Severity, Cause: cause})
	w.queue.add(w)
}

// acceptsParts reports that waiting portions of its groups are attached to the message.
func (pl *planner) acceptsParts(m *state.Message, now time.Time) bool {
	return !m.Sent || pl.store.CanEdit && pl.store.AcceptsMore(m, now)
}

// digestCause says whether the incidents are told in a digest, quiet hours of now and limits apart, and until when that
// holds; zero for ever.
func (pl *planner) digestCause(g *state.Group, portions map[*state.GroupPart]struct{}, now time.Time) (schemas.DigestCause, time.Time) {
	if g.Detector != "" {
		return causeBroken, time.Time{}
	}
	var first, last time.Time
	again := false
	for p := range portions {
		again = again || p.Record.Group.CountOffset > 0
		first, last = alertlog.Earliest(first, p.PendingSince), alertlog.Latest(last, p.Record.Group.Last)
	}
	if g.Severity == schemas.SeverityNormal {
		if _, quiet := pl.store.Policy.Quiet(g.Labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}
		}
	}
	if again && !pl.store.CanEdit { // they had to wait for the repeat interval
		return causeNone, time.Time{}
	}
	if now.Sub(last) > pl.store.Options.StaleAfter {
		return schemas.DigestStale, time.Time{}
	}
	return causeNone, last.Add(pl.store.Options.StaleAfter + 1)
}

// classifyMessage finds what is to be done for a message, and when it is to be asked again.
func (pl *planner) classifyMessage(a *dueIndex, m *state.Message, now time.Time) {
	a.visits++
	if x := a.actions[m]; x != nil {
		a.ready.remove(x)
		a.messageTimes.remove(x)
	}
	if _, exists := a.channel.Messages[m]; !exists {
		a.removeMessage(m)
		return
	}
	x := a.action(m)
	if !m.Sent {
		a.unsent[m] = struct{}{}
		return
	}
	delete(a.unsent, m)
	if m.Kind == schemas.AlertDigest {
		a.addDigest(x)
	}
	if !pl.acceptsParts(m, now) {
		for g := range x.attaching {
			a.channel.ChangedGroups[g] = struct{}{}
		}
	}
	c := selection{now: now}
	pl.offerSent(&c, a, x)
	if x.priority, x.since = c.best.priority, c.best.since; c.best.priority != noWork {
		a.ready.add(x)
	}
	if !c.wake.IsZero() {
		x.due = c.wake
		a.messageTimes.add(x)
	}
}

// addDigest notes a digest that is posted.
func (a *dueIndex) addDigest(x *nextAction) {
	k := x.msg.DigestKey()
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
	a.digests[k] = slices.DeleteFunc(a.digests[k], func(m *state.Message) bool { return m == x.msg })
	if len(a.digests[k]) == 0 {
		delete(a.digests, k)
	}
}

// lastDigest is the digest of a key that was posted last, nil when none stands.
func (a *dueIndex) lastDigest(k state.DigestKey) (last *state.Message) {
	for _, m := range a.digests[k] {
		if m.Sent && (last == nil || m.SentAt.After(last.SentAt)) {
			last = m
		}
	}
	return last
}

// offerSent offers what there is to do for a message that stands, and sets when to ask again.
func (pl *planner) offerSent(c *selection, a *dueIndex, x *nextAction) {
	m := x.msg
	if m.Orphaned || pl.repeatDue(c, m) {
		c.offer(candidate{priority: detachMessage, msg: m}, c.now)
		return
	}
	if pl.store.CanEdit && (m.HasPending() || m.Urgent || m.Unsynced) {
		c.offer(candidate{priority: editPriority(m), since: m.LastSent, msg: m}, pl.editDue(m))
	}
	pl.offerAttaching(c, a, x)
}

// repeatDue reports that the incidents that the message does not show get a new one, since the repeat interval is over. If
// that is only a matter of time, it sets when to ask again.
func (pl *planner) repeatDue(c *selection, m *state.Message) bool {
	if !m.HasPending() {
		return false
	}
	if repeat := m.SentAt.Add(pl.store.Options.Repeat); c.now.Before(repeat) {
		c.wake = alertlog.Earliest(c.wake, repeat)
		return false
	}
	if m.Unsynced { // it is edited first
		return false
	}
	end, quiet := pl.quietUntil(m, c.now)
	if quiet {
		c.wake = alertlog.Earliest(c.wake, end)
	}
	return !quiet
}

// offerAttaching offers the edit that attaches waiting groups to the message, and sets when the message stops accepting them.
func (pl *planner) offerAttaching(c *selection, a *dueIndex, x *nextAction) {
	m := x.msg
	if len(x.attaching) == 0 || !pl.acceptsParts(m, c.now) {
		return
	}
	for g := range x.attaching {
		c.offer(candidate{priority: editPriority(m), since: a.waits[g].since, msg: m}, pl.editDue(m))
	}
	c.wake = alertlog.Earliest(c.wake, m.SentAt.Add(pl.store.Options.Repeat))
	if end := m.LastActivity().Add(pl.store.Options.Resolve); !m.HasPending() && c.now.Before(end) {
		c.wake = alertlog.Earliest(c.wake, end)
	}
}
