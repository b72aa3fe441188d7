package dispatch

import (
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/indexheap"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// selectWork finds the next work of the channel, or when there will be some. It reads the index as advance has left it and
// changes nothing. It visits each waiting pool, all unsent messages and the first few groups.
func (pl *workPlanner) selectWork(ch *state.Channel, now time.Time) selection {
	sel := selection{now: now, down: ch.Failures >= downFailures}
	if !pl.store.Ready() {
		return sel
	}
	digests := pl.offerQueues(&sel, ch)
	index := pl.index(ch)
	for m := range index.unsent {
		pl.offerUnsent(&sel, index.actions[m], digests)
	}
	if x, ok := index.ready.First(); ok {
		sel.offer(candidate{priority: x.priority, since: x.since, msg: x.msg}, now)
	}
	for k, d := range digests {
		pl.offerDigest(&sel, ch, k, d)
	}
	if len(ch.Replies) > 0 {
		sel.offer(candidate{priority: addReply}, now)
	}
	if len(ch.Ended) > 0 {
		sel.offer(candidate{priority: resolveEnded}, now)
	}
	if w, ok := index.groupTimes.First(); ok {
		sel.wakeAt(w.due)
	}
	if x, ok := index.messageTimes.First(); ok {
		sel.wakeAt(x.due)
	}
	return sel
}

// digestGroups are the groups that wait for a digest: those of a queue except the ones that get a message of their own.
type digestGroups struct {
	queue    *groupQueue
	excluded []*waitingGroup
}

// offerQueues offers groups that may have a message of their own, and returns which others are to be sent in digests.
func (pl *workPlanner) offerQueues(sel *selection, ch *state.Channel) map[state.DigestKey]digestGroups {
	queues := pl.index(ch).queues
	digests := make(map[state.DigestKey]digestGroups, len(queues))
	single := make(map[schemas.Severity][]*groupQueue, 2)
	today, tomorrow := pl.daily.Left(maxPendingGroups, sel.now)
	for k, q := range queues {
		if k.Severity == schemas.SeverityNormal {
			if end, quiet := pl.store.Policy.Quiet(k.Pool, sel.now); quiet {
				sel.wakeAt(end)
				continue
			}
		}
		if k.Cause == causeNone && today == 0 {
			sel.wakeAt(tomorrow)
			k.Cause = schemas.DigestDailyLimit
		}
		if k.Cause == causeNone {
			left, more := pl.tokens(limiterKey{k.Pool, k.Severity}, sel.now)
			if left == 0 {
				sel.wakeAt(more)
				k.Cause = schemas.DigestThrottled
			}
		}
		if k.Cause == causeNone || k.Cause == causeBroken {
			single[k.Severity] = append(single[k.Severity], q)
			continue
		}
		digests[k] = digestGroups{queue: q}
	}
	for severity, queues := range single {
		free := maxPendingGroups - pl.index(ch).unsentGroups(severity)
		if today < free {
			pl.offerSingle(sel, queues, singleLimit{today, schemas.DigestDailyLimit}, digests)
		} else {
			pl.offerSingle(sel, queues, singleLimit{free, schemas.DigestThrottled}, digests)
		}
	}
	return digests
}

// maxPendingGroups is how many groups of a severity may wait in a channel for messages of their own. A channel takes one
// message a second.
const maxPendingGroups = 10

// unsentGroups counts the unsent messages of single groups.
func (index *dueIndex) unsentGroups(severity schemas.Severity) (n int) {
	for m := range index.unsent {
		if m.Kind == schemas.AlertGroup && m.Severity == severity {
			n++
		}
	}
	return n
}

// queueCursor visits a queue. taken are the groups that get a message of their own.
type queueCursor struct {
	indexheap.Cursor[*waitingGroup]
	queue *groupQueue
	taken []*waitingGroup
}

// singleLimit is how many groups may have messages of their own, and why others get a digest.
type singleLimit struct {
	groups int
	cause  schemas.DigestCause
}

// offerSingle offers the first groups of the queues, up to the limit, for a message of their own. All others go to digests,
// so that the last of them does not wait for a minute.
func (pl *workPlanner) offerSingle(sel *selection, queues []*groupQueue, limit singleLimit, digests map[state.DigestKey]digestGroups) {
	cursors := make([]queueCursor, len(queues))
	for i, q := range queues {
		cursors[i] = queueCursor{Cursor: q.Cursor(), queue: q}
	}
	for range limit.groups {
		c, w := pl.firstWaiting(cursors)
		if c == nil {
			break
		}
		c.Skip()
		c.taken = append(c.taken, w)
		sel.offer(pl.singlePost(w), sel.now)
	}
	for i := range cursors {
		c := &cursors[i]
		w, more := c.Next()
		if !more {
			continue
		}
		if k := c.queue.key; k.Cause == causeBroken {
			sel.offer(pl.singlePost(w), sel.now)
		} else {
			k.Cause = limit.cause
			digests[k] = digestGroups{c.queue, c.taken}
		}
	}
}

// firstWaiting is the group that gets the next message of its own, with its cursor; nil when all queues have ended.
func (pl *workPlanner) firstWaiting(cursors []queueCursor) (first *queueCursor, group *waitingGroup) {
	for i := range cursors {
		if w, ok := cursors[i].Next(); ok && (group == nil || pl.precedes(w, group)) {
			first, group = &cursors[i], w
		}
	}
	return first, group
}

// precedes reports that x gets a message of its own before y. Configured tenants come first.
func (pl *workPlanner) precedes(x, y *waitingGroup) bool {
	if configured := pl.store.IsConfiguredTenant(x.group.Pool); configured != pl.store.IsConfiguredTenant(y.group.Pool) {
		return configured
	}
	return waitedLonger(x, y)
}

// singlePost is a message of its own for a group.
func (pl *workPlanner) singlePost(w *waitingGroup) candidate {
	g := w.group
	return candidate{priority: postPriority(g.Severity), since: w.since, groups: []*state.Group{g}, configured: pl.store.IsConfiguredTenant(g.Pool)}
}

// offerUnsent offers to post an unsent message. A digest takes its queue along, which leaves digests.
func (pl *workPlanner) offerUnsent(sel *selection, x *nextAction, digests map[state.DigestKey]digestGroups) {
	m := x.msg
	c := candidate{priority: newMessagePriority(m), since: m.PlannedAt, msg: m, configured: pl.store.IsConfiguredTenant(m.Tenant)}
	if k := m.DigestKey(); m.Kind == schemas.AlertDigest {
		c.digest = digests[k]
		delete(digests, k)
		if end, quiet := pl.quietUntil(m, sel.now); quiet && !m.Phase.IsUnconfirmed() && len(x.attaching) == 0 {
			sel.wakeAt(end)
			return
		}
	}
	sel.offer(c, m.NotBefore)
}

// quietUntil returns when the quiet hours end that hold the message back now.
func (pl *workPlanner) quietUntil(m *state.Message, now time.Time) (time.Time, bool) {
	if m.Severity != schemas.SeverityNormal {
		return time.Time{}, false
	}
	return pl.store.Policy.Quiet(m.Tenant, now)
}

// highDigestInterval is the longest time between edits of a digest of high severity that add groups.
const highDigestInterval = 10 * time.Second

// offerDigest offers to send groups together: by an edit of the last digest if it accepts them, else in a new digest.
func (pl *workPlanner) offerDigest(sel *selection, ch *state.Channel, k state.DigestKey, d digestGroups) {
	last := pl.index(ch).lastDigest(k)
	if pl.store.CanEdit && pl.store.AcceptsMore(last, sel.now) {
		due, priority := pl.editDue(last), editPriority(last)
		if k.Severity == schemas.SeverityHigh { // no message has shown these groups yet
			due, priority = alertlog.Latest(last.LastSent.Add(min(pl.store.Options.Interval, highDigestInterval)), last.NotBefore), editHighDigest
		}
		sel.offer(candidate{priority: priority, since: last.LastSent, msg: last, digest: d}, due)
		return
	}
	due := alertlog.Latest(sel.now, pl.daily.DigestDue(k))
	if at, ok := ch.EvictedDigests[k]; ok {
		due = at.Add(pl.store.Options.Interval)
	}
	if last != nil {
		due = alertlog.Latest(due, last.SentAt.Add(pl.store.Options.Interval))
	}
	sel.offer(candidate{priority: digestPriority(k.Severity), since: sel.now, digest: d, cause: k.Cause, configured: pl.store.IsConfiguredTenant(k.Pool)}, due)
}

func (pl *workPlanner) editDue(m *state.Message) time.Time {
	due := m.LastSent
	if !m.Phase.IsEditDue() {
		due = due.Add(pl.store.Options.Interval)
	}
	return alertlog.Latest(due, m.NotBefore)
}

// startWork makes the message of a candidate if there is none, and attaches the waiting parts of its groups.
func (pl *workPlanner) startWork(x *candidate, now time.Time) *state.Message {
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
			pl.takeToken(limiterKey{g.Pool, g.Severity}, now)
		}
		m = pl.store.NewMessage(pl.store.NewID(), g, kind, x.cause)
		m.PlannedAt = now
		pl.daily.NoteMessage(m, now)
	}
	for _, g := range groups {
		for _, part := range g.Parts {
			if part.Unassigned() {
				pl.store.Attach(part, m)
			}
		}
	}
	return m
}

// groupsOf are the groups whose waiting parts the candidate's message gets.
func (pl *workPlanner) groupsOf(x *candidate) []*state.Group {
	groups := slices.Clone(x.groups)
	if x.digest.queue != nil {
		for _, w := range x.digest.queue.Items() {
			if !slices.Contains(x.digest.excluded, w) {
				groups = append(groups, w.group)
			}
		}
	}
	if x.msg != nil {
		for g := range pl.index(x.msg.Channel).actions[x.msg].attaching {
			groups = append(groups, g)
		}
	}
	return groups
}
