package dispatch

import (
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// causeNone and causeBroken are the causes in the queues of groups that may have messages of their own.
const (
	causeNone   schemas.DigestCause = ""
	causeBroken schemas.DigestCause = "broken" // never that of a digest
)

// reclassify classifies what has changed or has reached its time. It visits nothing else.
func (pl *workPlanner) reclassify(ch *state.Channel, now time.Time) {
	if !pl.store.NextSilence.IsZero() && !now.Before(pl.store.NextSilence) {
		pl.store.SilencesChanged(now)
	}
	index := pl.index(ch)
	for w, ok := index.groupTimes.First(); ok && !now.Before(w.due); w, ok = index.groupTimes.First() {
		index.groupTimes.Remove(w)
		ch.ChangedGroups[w.group] = struct{}{}
	}
	for x, ok := index.messageTimes.First(); ok && !now.Before(x.due); x, ok = index.messageTimes.First() {
		index.messageTimes.Remove(x)
		x.msg.MarkChanged()
	}
	for len(ch.ChangedGroups)+len(ch.ChangedMessages) > 0 {
		for g := range ch.ChangedGroups {
			delete(ch.ChangedGroups, g)
			pl.classifyGroup(index, g, now)
		}
		for m := range ch.ChangedMessages {
			delete(ch.ChangedMessages, m)
			pl.classifyMessage(index, m, now)
		}
	}
}

// classifyGroup puts a group with waiting parts into its queue, or next to the message that takes them.
func (pl *workPlanner) classifyGroup(index *dueIndex, g *state.Group, now time.Time) {
	index.visits++
	index.removeWaiting(g)
	if _, waiting := index.channel.WaitingGroups[g]; !waiting {
		return
	}
	parts, since := g.Unassigned()
	w := index.addWaiting(g, since)
	if m := g.Open; m != nil && pl.acceptsParts(m, now) {
		w.target = m
		index.action(m).attaching[g] = struct{}{}
		m.MarkChanged()
		return
	}
	if end := pl.store.AllSilencedUntil(parts, now); !end.IsZero() {
		w.due = end
		index.groupTimes.Add(w)
		return
	}
	cause, until := pl.digestCause(g, parts, now)
	if !until.IsZero() {
		w.due = until
		index.groupTimes.Add(w)
	}
	w.queue = index.queue(state.DigestKey{Pool: g.Pool, Severity: g.Severity, Cause: cause})
	w.queue.Add(w)
}

// acceptsParts reports that waiting parts of its groups are attached to the message.
func (pl *workPlanner) acceptsParts(m *state.Message, now time.Time) bool {
	return !m.Phase.IsSent() || pl.store.CanEdit && pl.store.AcceptsMore(m, now)
}

// digestCause returns why the incidents go to a digest, apart from limits and current quiet hours, and until when the
// answer holds (zero: for good).
func (pl *workPlanner) digestCause(g *state.Group, parts map[*state.GroupPart]struct{}, now time.Time) (schemas.DigestCause, time.Time) {
	if g.Detector != "" {
		return causeBroken, time.Time{}
	}
	var first, last time.Time
	again := false
	for part := range parts {
		again = again || part.Record.Group.CountOffset > 0
		first, last = alertlog.Earliest(first, part.PendingSince), alertlog.Latest(last, part.Record.Group.Last)
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

// classifyMessage finds the next work for a message, and when to classify it again.
func (pl *workPlanner) classifyMessage(index *dueIndex, m *state.Message, now time.Time) {
	index.visits++
	if x := index.actions[m]; x != nil {
		index.ready.Remove(x)
		index.messageTimes.Remove(x)
	}
	if _, exists := index.channel.Messages[m]; !exists {
		index.removeMessage(m)
		return
	}
	x := index.action(m)
	if !m.Phase.IsSent() {
		index.unsent[m] = struct{}{}
		return
	}
	delete(index.unsent, m)
	if m.Kind == schemas.AlertDigest {
		index.addDigest(x)
	}
	if !pl.acceptsParts(m, now) {
		for g := range x.attaching {
			index.channel.ChangedGroups[g] = struct{}{}
		}
	}
	sel := selection{now: now}
	pl.offerSent(&sel, index, x)
	if x.priority, x.since = sel.best.priority, sel.best.since; sel.best.priority != noWork {
		index.ready.Add(x)
	}
	if !sel.wake.IsZero() {
		x.due = sel.wake
		index.messageTimes.Add(x)
	}
}

// addDigest indexes a sent digest.
func (index *dueIndex) addDigest(x *nextAction) {
	k := x.msg.DigestKey()
	if x.digest != nil && *x.digest == k {
		return
	}
	index.removeDigest(x)
	x.digest = &k
	index.digests[k] = append(index.digests[k], x.msg)
}

// removeDigest takes a message out of the sent digests.
func (index *dueIndex) removeDigest(x *nextAction) {
	if x.digest == nil {
		return
	}
	k := *x.digest
	x.digest = nil
	index.digests[k] = slices.DeleteFunc(index.digests[k], func(m *state.Message) bool { return m == x.msg })
	if len(index.digests[k]) == 0 {
		delete(index.digests, k)
	}
}

// lastDigest is the digest of a key that was posted last; nil without one.
func (index *dueIndex) lastDigest(k state.DigestKey) (last *state.Message) {
	for _, m := range index.digests[k] {
		if last == nil || m.SentAt.After(last.SentAt) {
			last = m
		}
	}
	return last
}

// offerSent offers the work for a sent message, and sets when to classify it again.
func (pl *workPlanner) offerSent(sel *selection, index *dueIndex, x *nextAction) {
	m := x.msg
	if m.Phase == state.Detaching || pl.repeatDue(sel, m) {
		sel.offer(candidate{priority: detachMessage, msg: m}, sel.now)
		return
	}
	if pl.store.CanEdit && (m.HasPending() || m.Phase != state.Sent) {
		sel.offer(candidate{priority: editPriority(m), since: m.LastSent, msg: m}, pl.editDue(m))
	}
	pl.offerAttaching(sel, index, x)
}

// repeatDue reports that the repeat interval is over, so that the incidents that the message does not show get a new one.
// Otherwise it sets when to ask again.
func (pl *workPlanner) repeatDue(sel *selection, m *state.Message) bool {
	if !m.HasPending() {
		return false
	}
	if repeat := m.SentAt.Add(pl.store.Options.Repeat); sel.now.Before(repeat) {
		sel.wakeAt(repeat)
		return false
	}
	if m.Phase.IsUnrecorded() { // it is edited first
		return false
	}
	end, quiet := pl.quietUntil(m, sel.now)
	if quiet {
		sel.wakeAt(end)
	}
	return !quiet
}

// offerAttaching offers the edit that attaches waiting groups, and sets when the message stops accepting them.
func (pl *workPlanner) offerAttaching(sel *selection, index *dueIndex, x *nextAction) {
	m := x.msg
	if len(x.attaching) == 0 || !pl.acceptsParts(m, sel.now) {
		return
	}
	for g := range x.attaching {
		sel.offer(candidate{priority: editPriority(m), since: index.waits[g].since, msg: m}, pl.editDue(m))
	}
	sel.wakeAt(m.SentAt.Add(pl.store.Options.Repeat))
	if end := m.LastActivity().Add(pl.store.Options.Resolve); !m.HasPending() && sel.now.Before(end) {
		sel.wakeAt(end)
	}
}
