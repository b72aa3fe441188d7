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

// catchUp classifies what has changed or has reached its time. Its cost is that of the changes.
func (pl *planner) catchUp(ch *state.Channel, now time.Time) {
	if !pl.book.NextSilence.IsZero() && !now.Before(pl.book.NextSilence) {
		pl.book.SilencesChanged(now)
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
	a.withdraw(g)
	if _, waiting := a.channel.WaitingGroups[g]; !waiting {
		return
	}
	portions, since := g.Unassigned()
	w := a.wait(g, since)
	if m := g.Open; m != nil && pl.joinable(m, now) {
		w.joins = m
		a.action(m).joining[g] = struct{}{}
		m.MarkChanged()
		return
	}
	if end := pl.book.AllSilenced(portions, now); !end.IsZero() {
		w.due = end
		a.groupTimes.add(w)
		return
	}
	cause, until := pl.digestCause(g, portions, now)
	if !until.IsZero() {
		w.due = until
		a.groupTimes.add(w)
	}
	w.queue = a.queue(state.DigestKey{Pool: g.Pool, Lane: g.Lane, Cause: cause})
	w.queue.add(w)
}

// joinable reports that waiting portions of its groups are attached to the message.
func (pl *planner) joinable(m *state.Message, now time.Time) bool {
	return !m.Sent || pl.book.CanEdit && pl.book.AcceptsMore(m, now)
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
		again = again || p.Record.Group.Base > 0
		first, last = alertlog.Earliest(first, p.PendingSince), alertlog.Latest(last, p.Record.Group.Last)
	}
	if g.Lane == schemas.LaneNormal {
		if _, quiet := pl.book.Policy.Quiet(g.Labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}
		}
	}
	if again && !pl.book.CanEdit { // they had to wait for the repeat interval
		return causeNone, time.Time{}
	}
	if now.Sub(last) > pl.book.Options.StaleAfter {
		return schemas.DigestStale, time.Time{}
	}
	return causeNone, last.Add(pl.book.Options.StaleAfter + 1)
}

// classifyMessage finds what is to be done for a message, and when it is to be asked again.
func (pl *planner) classifyMessage(a *dueIndex, m *state.Message, now time.Time) {
	a.visits++
	if x := a.actions[m]; x != nil {
		a.ready.remove(x)
		a.messageTimes.remove(x)
	}
	if _, exists := a.channel.Messages[m]; !exists {
		a.forget(m)
		return
	}
	x := a.action(m)
	if !m.Sent {
		a.untold[m] = struct{}{}
		return
	}
	delete(a.untold, m)
	if m.Kind == schemas.AlertDigest {
		a.addDigest(x)
	}
	if !pl.joinable(m, now) {
		for g := range x.joining {
			a.channel.ChangedGroups[g] = struct{}{}
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

// offerTold offers what there is to do for a message that stands, and sets when to ask again.
func (pl *planner) offerTold(c *choice, a *dueIndex, x *nextAction) {
	m := x.msg
	if m.Orphaned || pl.repeatDue(c, m) {
		c.offer(candidate{urgency: part, msg: m}, c.now)
		return
	}
	if pl.book.CanEdit && (m.HasPending() || m.Urgent || m.Unsynced) {
		c.offer(candidate{urgency: editUrgency(m), since: m.LastSent, msg: m}, pl.editDue(m))
	}
	pl.offerJoining(c, a, x)
}

// repeatDue reports that the incidents that the message does not show get a new one, since the repeat interval is over. If
// that is only a matter of time, it sets when to ask again.
func (pl *planner) repeatDue(c *choice, m *state.Message) bool {
	if !m.HasPending() {
		return false
	}
	if repeat := m.SentAt.Add(pl.book.Options.Repeat); c.now.Before(repeat) {
		c.wake = alertlog.Earliest(c.wake, repeat)
		return false
	}
	if m.Unsynced { // it is edited first
		return false
	}
	end, quiet := pl.quiet(m, c.now)
	if quiet {
		c.wake = alertlog.Earliest(c.wake, end)
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
	c.wake = alertlog.Earliest(c.wake, m.SentAt.Add(pl.book.Options.Repeat))
	if end := m.LastActivity().Add(pl.book.Options.Resolve); !m.HasPending() && c.now.Before(end) {
		c.wake = alertlog.Earliest(c.wake, end)
	}
}
