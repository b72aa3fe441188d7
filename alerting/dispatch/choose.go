package dispatch

import (
	"container/heap"
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// selectWork finds what the channel does next, and otherwise when there will be something. Beside changes since the last choice
// it costs a look at each pool that waits, at messages that do not stand yet, and at the first few groups.
func (pl *planner) selectWork(ch *state.Channel, now time.Time) selection {
	c := selection{now: now, down: ch.Failures >= downFailures}
	if !pl.store.Ready() {
		return c
	}
	pl.setClock(now)
	pl.reclassify(ch, now)
	pl.dissolveUnsent(ch, now)
	pl.reclassify(ch, now)
	digests := pl.offerQueues(&c, ch)
	a := pl.index(ch)
	for m := range a.unsent {
		pl.offerUnsent(&c, a.action(m), digests)
	}
	pl.offerReady(&c, a)
	for k, d := range digests {
		pl.offerDigest(&c, ch, k, d)
	}
	if len(ch.Replies) > 0 {
		c.offer(candidate{priority: addReply}, now)
	}
	if w, ok := a.groupTimes.first(); ok {
		c.wake = alertlog.Earliest(c.wake, w.due)
	}
	if x, ok := a.messageTimes.first(); ok {
		c.wake = alertlog.Earliest(c.wake, x.due)
	}
	return c
}

// setClock joins what was loaded with its messages and notes the time, see book.follow.
func (pl *planner) setClock(now time.Time) {
	if !pl.store.SetClock(now, pl.store.AttachLoaded(now)) {
		return
	}
	for _, held := range pl.buckets {
		held.at = alertlog.NotAfter(held.at, now)
	}
}

// dissolveUnsent takes apart messages that are not told yet and are to be told in another way: those that have grown old, or
// fell into quiet hours, and those that lost a portion. A message of unknown end keeps its id as long as it is whole.
func (pl *planner) dissolveUnsent(ch *state.Channel, now time.Time) {
	for m := range pl.index(ch).unsent {
		if m.Sent || m.Kind == schemas.AlertDigest && !m.Orphaned || m.PossiblyDuplicated && !m.Orphaned {
			continue
		}
		if !m.Orphaned {
			if cause, hold := pl.classify(m.Parts, now); !hold && cause == causeNone {
				continue
			}
		}
		for p := range m.Parts {
			p.PossiblyDuplicated = p.PossiblyDuplicated || m.PossiblyDuplicated
			pl.store.Detach(p)
		}
	}
}

// classify says how incidents are told: on their own, in a digest of some cause, or not before some time.
func (pl *planner) classify(portions map[*state.GroupPart]struct{}, now time.Time) (cause schemas.DigestCause, hold bool) {
	if !pl.store.AllSilencedUntil(portions, now).IsZero() {
		return causeNone, true
	}
	var g *state.Group
	for p := range portions {
		g = p.Group
	}
	if g.Severity == schemas.SeverityNormal {
		if _, quiet := pl.store.Policy.Quiet(g.Labels.Tenant, now); quiet {
			return causeNone, true
		}
	}
	if cause, _ = pl.digestCause(g, portions, now); cause == causeBroken {
		cause = causeNone
	}
	return cause, false
}

// digestGroups are groups that wait for a digest: those of a queue but for a few that are told alone.
type digestGroups struct {
	queue    *groupQueue
	excluded []*waitingGroup
}

// offerQueues offers groups that may have a message of their own, and says which others are to be told in digests.
func (pl *planner) offerQueues(c *selection, ch *state.Channel) map[state.DigestKey]digestGroups {
	queues := pl.index(ch).queues
	digests := make(map[state.DigestKey]digestGroups, len(queues))
	alone := make(map[schemas.Severity][]*groupQueue, 2)
	for k, q := range queues {
		if k.Severity == schemas.SeverityNormal {
			if end, quiet := pl.store.Policy.Quiet(k.Pool, c.now); quiet {
				c.wake = alertlog.Earliest(c.wake, end)
				continue
			}
		}
		if k.Cause == causeNone {
			left, more := pl.tokens(bucketKey{k.Pool, k.Severity}, c.now)
			if left == 0 {
				c.wake = alertlog.Earliest(c.wake, more)
				k.Cause = schemas.DigestThrottled
			}
		}
		if k.Cause == causeNone || k.Cause == causeBroken {
			alone[k.Severity] = append(alone[k.Severity], q)
			continue
		}
		digests[k] = digestGroups{queue: q}
	}
	for lane, queues := range alone {
		pl.offerSingle(c, ch, severityQueues{lane, queues, digests})
	}
	return digests
}

// maxPendingGroups is how many groups of a lane may wait in a channel for messages of their own. A channel takes one a second.
const maxPendingGroups = 10

// severityQueues are the queues of a lane whose groups may have messages of their own.
type severityQueues struct {
	severity schemas.Severity
	queues   []*groupQueue
	digests  map[state.DigestKey]digestGroups
}

// offerSingle offers the groups that are to have a message of their own: the first ones, after those that have one which is
// not posted yet. When more wait, all others are told in digests, lest the last of them wait for a minute.
func (pl *planner) offerSingle(c *selection, ch *state.Channel, x severityQueues) {
	room := maxPendingGroups
	for m := range pl.index(ch).unsent {
		if !m.Sent && m.Kind == schemas.AlertGroup && m.Severity == x.severity {
			room--
		}
	}
	alone := make(map[*groupQueue][]*waitingGroup, len(x.queues))
	for range room {
		q := pl.firstQueue(x.queues)
		if q == nil {
			break
		}
		w := q.items[0]
		heap.Pop(q)
		alone[q] = append(alone[q], w)
		c.offer(pl.singlePost(w), c.now)
	}
	for _, q := range x.queues {
		if w, more := q.first(); more && q.key.Cause == causeBroken {
			c.offer(pl.singlePost(w), c.now)
		} else if more {
			x.digests[state.DigestKey{Pool: q.key.Pool, Severity: q.key.Severity, Cause: schemas.DigestThrottled}] = digestGroups{q, alone[q]}
		}
		for _, w := range alone[q] {
			q.add(w)
		}
	}
}

// singlePost is a message of its own for a group.
func (pl *planner) singlePost(w *waitingGroup) candidate {
	g := w.group
	return candidate{priority: postPriority(g.Severity), since: w.since, groups: []*state.Group{g}, configured: pl.store.IsConfiguredTenant(g.Pool)}
}

// offerUnsent offers a message that does not stand yet.
func (pl *planner) offerUnsent(c *selection, a *nextAction, digests map[state.DigestKey]digestGroups) {
	m := a.msg
	if m.Sent {
		return
	}
	x := candidate{priority: newMessagePriority(m), since: m.PlannedAt, msg: m, configured: pl.store.IsConfiguredTenant(m.Tenant)}
	if k := m.DigestKey(); m.Kind == schemas.AlertDigest {
		x.digest = digests[k]
		delete(digests, k)
		if end, quiet := pl.quietUntil(m, c.now); quiet && !m.PossiblyDuplicated && len(a.attaching) == 0 {
			c.wake = alertlog.Earliest(c.wake, end)
			return
		}
	}
	c.offer(x, m.NotBefore)
}

// offerReady offers the most urgent of what is due for messages that stand.
func (pl *planner) offerReady(c *selection, a *dueIndex) {
	for {
		x, ok := a.ready.first()
		if !ok {
			return
		}
		was := x.priority
		pl.classifyMessage(a, x.msg, c.now) // quiet hours may have begun
		if x.readyAt != notInHeap && x.priority == was {
			c.offer(candidate{priority: x.priority, since: x.since, msg: x.msg}, c.now)
			return
		}
	}
}

// quietUntil reports that nothing new is told in the message's lane now.
func (pl *planner) quietUntil(m *state.Message, now time.Time) (time.Time, bool) {
	if m.Severity != schemas.SeverityNormal {
		return time.Time{}, false
	}
	return pl.store.Policy.Quiet(m.Tenant, now)
}

// highDigestInterval is the longest time between edits of an urgent digest that let further groups in.
const highDigestInterval = 10 * time.Second

// offerDigest offers groups that are to be told together: in the digest that stands already, if it can be edited, else
// in a new one.
func (pl *planner) offerDigest(c *selection, ch *state.Channel, k state.DigestKey, d digestGroups) {
	last := pl.index(ch).lastDigest(k)
	if pl.store.CanEdit && pl.store.AcceptsMore(last, c.now) {
		due, urgency := pl.editDue(last), editPriority(last)
		if k.Severity == schemas.SeverityHigh { // nobody has heard of these groups yet
			due, urgency = alertlog.Latest(last.LastSent.Add(min(pl.store.Options.Interval, highDigestInterval)), last.NotBefore), editHighDigest
		}
		c.offer(candidate{priority: urgency, since: last.LastSent, msg: last, digest: d}, due)
		return
	}
	due := c.now
	if at, ok := ch.EvictedDigests[k]; ok {
		due = at.Add(pl.store.Options.Interval)
	}
	if last != nil {
		due = alertlog.Latest(due, last.SentAt.Add(pl.store.Options.Interval))
	}
	c.offer(candidate{priority: digestPriority(k.Severity), since: c.now, digest: d, cause: k.Cause, configured: pl.store.IsConfiguredTenant(k.Pool)}, due)
}

func (pl *planner) editDue(m *state.Message) time.Time {
	due := m.LastSent.Add(pl.store.Options.Interval)
	if m.Urgent {
		due = m.LastSent
	}
	return alertlog.Latest(due, m.NotBefore)
}

// startWork makes the candidate into work: its message exists from now on, and has its portions.
func (pl *planner) startWork(x *candidate, now time.Time) *state.Message {
	m, groups := x.msg, pl.groupsOf(x)
	if m == nil && len(groups) > 0 {
		g := groups[0]
		kind := schemas.AlertGroup
		switch {
		case x.cause != "":
			kind = schemas.AlertDigest
		case g.Detector != "":
			kind = schemas.AlertBroken
		default:
			pl.take(bucketKey{g.Pool, g.Severity}, now)
		}
		m = pl.store.NewMessage(pl.store.NewID(), g, kind, x.cause)
		m.PlannedAt = now
	}
	for _, g := range groups {
		for _, p := range g.Parts {
			if p.Unassigned() {
				m.PossiblyDuplicated = m.PossiblyDuplicated || p.PossiblyDuplicated && !m.Sent
				pl.store.Attach(p, m)
			}
		}
	}
	return m
}

// groupsOf are the groups whose waiting portions the candidate's message gets.
func (pl *planner) groupsOf(x *candidate) []*state.Group {
	groups := slices.Clone(x.groups)
	if x.digest.queue != nil {
		for _, w := range x.digest.queue.items {
			if !slices.Contains(x.digest.excluded, w) {
				groups = append(groups, w.group)
			}
		}
	}
	if x.msg != nil {
		for g := range pl.index(x.msg.Channel).action(x.msg).attaching {
			groups = append(groups, g)
		}
	}
	return groups
}
