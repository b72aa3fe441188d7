package alerting

import (
	"container/heap"
	"slices"
	"time"

	"confab/schemas"
)

// choose finds what the channel does next, and otherwise when there will be something. Beside changes since the last choice
// it costs a look at each pool that waits, at messages that do not stand yet, and at the first few groups.
func (pl *planner) choose(ch *channel, now time.Time) choice {
	c := choice{now: now, down: ch.failures >= downAfter}
	if !pl.book.ready() {
		return c
	}
	pl.follow(now)
	pl.catchUp(ch, now)
	pl.dissolve(ch, now)
	pl.catchUp(ch, now)
	digests := pl.offerQueues(&c, ch)
	a := pl.index(ch)
	for m := range a.untold {
		pl.offerUntold(&c, a.action(m), digests)
	}
	pl.offerReady(&c, a)
	for k, d := range digests {
		pl.offerDigest(&c, ch, k, d)
	}
	if len(ch.replies) > 0 {
		c.offer(candidate{urgency: addDetail}, now)
	}
	if w, ok := a.groupTimes.first(); ok {
		c.wake = earliest(c.wake, w.due)
	}
	if x, ok := a.messageTimes.first(); ok {
		c.wake = earliest(c.wake, x.due)
	}
	return c
}

// follow joins what was loaded with its messages and notes the time, see book.follow.
func (pl *planner) follow(now time.Time) {
	if !pl.book.follow(now, pl.book.settle(now)) {
		return
	}
	for _, held := range pl.buckets {
		held.at = passed(held.at, now)
	}
}

// dissolve takes apart messages that are not told yet and are to be told in another way: those that have grown old, or
// fell into quiet hours, and those that lost a portion. A message of unknown end keeps its id as long as it is whole.
func (pl *planner) dissolve(ch *channel, now time.Time) {
	for m := range pl.index(ch).untold {
		if m.told || m.kind == schemas.AlertDigest && !m.torn || m.mayRepeat && !m.torn {
			continue
		}
		if !m.torn {
			if cause, hold := pl.classify(m.portions, now); !hold && cause == causeNone {
				continue
			}
		}
		for p := range m.portions {
			p.doubt = p.doubt || m.mayRepeat
			pl.book.detach(p)
		}
	}
}

// classify says how incidents are told: on their own, in a digest of some cause, or not before some time.
func (pl *planner) classify(portions map[*portion]struct{}, now time.Time) (cause schemas.DigestCause, hold bool) {
	if !pl.book.allSilenced(portions, now).IsZero() {
		return causeNone, true
	}
	var g *group
	for p := range portions {
		g = p.group
	}
	if g.lane == schemas.LaneNormal {
		if _, quiet := pl.book.policy.Quiet(g.labels.Tenant, now); quiet {
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
	queue *queue
	alone []*waitState
}

// offerQueues offers groups that may have a message of their own, and says which others are to be told in digests.
func (pl *planner) offerQueues(c *choice, ch *channel) map[digestKey]digestGroups {
	queues := pl.index(ch).queues
	digests := make(map[digestKey]digestGroups, len(queues))
	alone := make(map[schemas.Lane][]*queue, 2)
	for k, q := range queues {
		if k.lane == schemas.LaneNormal {
			if end, quiet := pl.book.policy.Quiet(k.pool, c.now); quiet {
				c.wake = earliest(c.wake, end)
				continue
			}
		}
		if k.cause == causeNone {
			left, more := pl.tokens(bucketKey{k.pool, k.lane}, c.now)
			if left == 0 {
				c.wake = earliest(c.wake, more)
				k.cause = schemas.DigestThrottled
			}
		}
		if k.cause == causeNone || k.cause == causeBroken {
			alone[k.lane] = append(alone[k.lane], q)
			continue
		}
		digests[k] = digestGroups{queue: q}
	}
	for lane, queues := range alone {
		pl.offerAlone(c, ch, laneQueues{lane, queues, digests})
	}
	return digests
}

// crowd is how many groups of a lane may wait in a channel for messages of their own. A channel takes one a second.
const crowd = 10

// laneQueues are the queues of a lane whose groups may have messages of their own.
type laneQueues struct {
	lane    schemas.Lane
	queues  []*queue
	digests map[digestKey]digestGroups
}

// offerAlone offers the groups that are to have a message of their own: the first ones, after those that have one which is
// not posted yet. When more wait, all others are told in digests, lest the last of them wait for a minute.
func (pl *planner) offerAlone(c *choice, ch *channel, x laneQueues) {
	room := crowd
	for m := range pl.index(ch).untold {
		if !m.told && m.kind == schemas.AlertGroup && m.lane == x.lane {
			room--
		}
	}
	alone := make(map[*queue][]*waitState, len(x.queues))
	for range room {
		q := pl.firstQueue(x.queues)
		if q == nil {
			break
		}
		w := q.items[0]
		heap.Pop(q)
		alone[q] = append(alone[q], w)
		c.offer(pl.postAlone(w), c.now)
	}
	for _, q := range x.queues {
		if w, more := q.first(); more && q.key.cause == causeBroken {
			c.offer(pl.postAlone(w), c.now)
		} else if more {
			x.digests[digestKey{pool: q.key.pool, lane: q.key.lane, cause: schemas.DigestThrottled}] = digestGroups{q, alone[q]}
		}
		for _, w := range alone[q] {
			q.add(w)
		}
	}
}

// postAlone is a message of its own for a group.
func (pl *planner) postAlone(w *waitState) candidate {
	g := w.group
	return candidate{urgency: postUrgency(g.lane), since: w.since, groups: []*group{g}, named: pl.book.isNamed(g.pool)}
}

// offerUntold offers a message that does not stand yet.
func (pl *planner) offerUntold(c *choice, a *nextAction, digests map[digestKey]digestGroups) {
	m := a.msg
	if m.told {
		return
	}
	x := candidate{urgency: newUrgency(m), since: m.planned, msg: m, named: pl.book.isNamed(m.tenant)}
	if k := m.digestKey(); m.kind == schemas.AlertDigest {
		x.together = digests[k]
		delete(digests, k)
		if end, quiet := pl.quiet(m, c.now); quiet && !m.mayRepeat && len(a.joining) == 0 {
			c.wake = earliest(c.wake, end)
			return
		}
	}
	c.offer(x, m.notBefore)
}

// offerReady offers the most urgent of what is due for messages that stand.
func (pl *planner) offerReady(c *choice, a *dueIndex) {
	for {
		x, ok := a.ready.first()
		if !ok {
			return
		}
		was := x.urgency
		pl.classifyMessage(a, x.msg, c.now) // quiet hours may have begun
		if x.readyAt != notInHeap && x.urgency == was {
			c.offer(candidate{urgency: x.urgency, since: x.since, msg: x.msg}, c.now)
			return
		}
	}
}

// quiet reports that nothing new is told in the message's lane now.
func (pl *planner) quiet(m *notice, now time.Time) (time.Time, bool) {
	if m.lane != schemas.LaneNormal {
		return time.Time{}, false
	}
	return pl.book.policy.Quiet(m.tenant, now)
}

// highDigestInterval is the longest time between edits of an urgent digest that let further groups in.
const highDigestInterval = 10 * time.Second

// offerDigest offers groups that are to be told together: in the digest that stands already, if it can be edited, else
// in a new one.
func (pl *planner) offerDigest(c *choice, ch *channel, k digestKey, d digestGroups) {
	last := pl.index(ch).lastDigest(k)
	if pl.book.edits && pl.book.open(last, c.now) {
		due, urgency := pl.editDue(last), editUrgency(last)
		if k.lane == schemas.LaneHigh { // nobody has heard of these groups yet
			due, urgency = latest(last.lastTold.Add(min(pl.book.opts.Interval, highDigestInterval)), last.notBefore), editHighDigest
		}
		c.offer(candidate{urgency: urgency, since: last.lastTold, msg: last, together: d}, due)
		return
	}
	due := c.now
	if at, ok := ch.torn[k]; ok {
		due = at.Add(pl.book.opts.Interval)
	}
	if last != nil {
		due = latest(due, last.opened.Add(pl.book.opts.Interval))
	}
	c.offer(candidate{urgency: digestUrgency(k.lane), since: c.now, together: d, cause: k.cause, named: pl.book.isNamed(k.pool)}, due)
}

func (pl *planner) editDue(m *notice) time.Time {
	due := m.lastTold.Add(pl.book.opts.Interval)
	if m.urgent {
		due = m.lastTold
	}
	return latest(due, m.notBefore)
}

// takeUp makes the candidate into work: its message exists from now on, and has its portions.
func (pl *planner) takeUp(x *candidate, now time.Time) *notice {
	m, groups := x.msg, pl.groupsOf(x)
	if m == nil && len(groups) > 0 {
		g := groups[0]
		kind := schemas.AlertGroup
		switch {
		case x.cause != "":
			kind = schemas.AlertDigest
		case g.detector != "":
			kind = schemas.AlertBroken
		default:
			pl.take(bucketKey{g.pool, g.lane}, now)
		}
		m = pl.book.message(pl.book.newID(), g, kind, x.cause)
		m.planned = now
	}
	for _, g := range groups {
		for _, p := range g.portions {
			if p.waiting() {
				m.mayRepeat = m.mayRepeat || p.doubt && !m.told
				pl.book.attach(p, m)
			}
		}
	}
	return m
}

// groupsOf are the groups whose waiting portions the candidate's message gets.
func (pl *planner) groupsOf(x *candidate) []*group {
	groups := slices.Clone(x.groups)
	if x.together.queue != nil {
		for _, w := range x.together.queue.items {
			if !slices.Contains(x.together.alone, w) {
				groups = append(groups, w.group)
			}
		}
	}
	if x.msg != nil {
		for g := range pl.index(x.msg.channel).action(x.msg).joining {
			groups = append(groups, g)
		}
	}
	return groups
}
