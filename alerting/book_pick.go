package alerting

import (
	"container/heap"
	"slices"
	"time"

	"confab/schemas"
)

// choose finds what the channel does next, and otherwise when there will be something. Beside changes since the last choice
// it costs a look at each pool that waits, at messages that do not stand yet, and at the first few groups.
func (b *book) choose(ch *channel, now time.Time) choice {
	c := choice{now: now, down: ch.failures >= downAfter}
	if !b.ready() {
		return c
	}
	b.follow(now, b.settle(now))
	b.catchUp(ch, now)
	b.dissolve(ch, now)
	b.catchUp(ch, now)
	digests := b.offerQueues(&c, ch)
	for m := range ch.due.untold {
		b.offerUntold(&c, m, digests)
	}
	b.offerReady(&c, ch)
	for k, d := range digests {
		b.offerDigest(&c, ch, k, d)
	}
	if len(ch.replies) > 0 {
		c.offer(candidate{urgency: addDetail}, now)
	}
	if g, ok := ch.due.groupTimes.first(); ok {
		c.wake = earliest(c.wake, g.wait.due)
	}
	if m, ok := ch.due.messageTimes.first(); ok {
		c.wake = earliest(c.wake, m.action.due)
	}
	return c
}

// digestKey is what the incidents of a digest have in common.
type digestKey struct {
	pool  string
	lane  schemas.Lane
	cause schemas.DigestCause
}

// dissolve takes apart messages that are not told yet and are to be told in another way: those that have grown old, or
// fell into quiet hours, and those that lost a portion. A message of unknown end keeps its id as long as it is whole.
func (b *book) dissolve(ch *channel, now time.Time) {
	for m := range ch.due.untold {
		if m.told || m.kind == schemas.AlertDigest && !m.torn || m.mayRepeat && !m.torn {
			continue
		}
		if !m.torn {
			if cause, hold := b.classify(m.portions, now); !hold && cause == causeNone {
				continue
			}
		}
		for p := range m.portions {
			p.doubt = p.doubt || m.mayRepeat
			b.detach(p)
		}
	}
}

// classify says how incidents are told: on their own, in a digest of some cause, or not before some time.
func (b *book) classify(portions map[*portion]struct{}, now time.Time) (cause schemas.DigestCause, hold bool) {
	if !b.allSilenced(portions, now).IsZero() {
		return causeNone, true
	}
	var g *group
	for p := range portions {
		g = p.group
	}
	if g.lane == schemas.LaneNormal {
		if _, quiet := b.policy.Quiet(g.labels.Tenant, now); quiet {
			return causeNone, true
		}
	}
	if cause, _ = b.digestCause(g, portions, now); cause == causeBroken {
		cause = causeNone
	}
	return cause, false
}

// digestGroups are groups that wait for a digest: those of a queue but for a few that are told alone.
type digestGroups struct {
	queue *queue
	alone []*group
}

// offerQueues offers groups that may have a message of their own, and says which others are to be told in digests.
func (b *book) offerQueues(c *choice, ch *channel) map[digestKey]digestGroups {
	digests := make(map[digestKey]digestGroups, len(ch.due.queues))
	alone := make(map[schemas.Lane][]*queue, 2)
	for k, q := range ch.due.queues {
		if k.lane == schemas.LaneNormal {
			if end, quiet := b.policy.Quiet(k.pool, c.now); quiet {
				c.wake = earliest(c.wake, end)
				continue
			}
		}
		if k.cause == causeNone {
			left, more := b.tokens(bucketKey{k.pool, k.lane}, c.now)
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
		b.offerAlone(c, ch, laneQueues{lane, queues, digests})
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
func (b *book) offerAlone(c *choice, ch *channel, x laneQueues) {
	room := crowd
	for m := range ch.due.untold {
		if !m.told && m.kind == schemas.AlertGroup && m.lane == x.lane {
			room--
		}
	}
	alone := make(map[*queue][]*group, len(x.queues))
	for range room {
		q := b.firstQueue(x.queues)
		if q == nil {
			break
		}
		g := q.items[0]
		heap.Pop(q)
		alone[q] = append(alone[q], g)
		c.offer(candidate{urgency: postUrgency(g.lane), since: g.wait.since, groups: []*group{g}, named: b.isNamed(g.pool)}, c.now)
	}
	for _, q := range x.queues {
		if g, more := q.first(); more && q.key.cause == causeBroken {
			c.offer(candidate{urgency: postUrgency(g.lane), since: g.wait.since, groups: []*group{g}, named: b.isNamed(g.pool)}, c.now)
		} else if more {
			x.digests[digestKey{q.key.pool, q.key.lane, schemas.DigestThrottled}] = digestGroups{q, alone[q]}
		}
		for _, g := range alone[q] {
			q.add(g)
		}
	}
}

// offerUntold offers a message that does not stand yet.
func (b *book) offerUntold(c *choice, m *notice, digests map[digestKey]digestGroups) {
	if m.told {
		return
	}
	x := candidate{urgency: newUrgency(m), since: m.planned, msg: m, named: b.isNamed(m.tenant)}
	if k := m.digestKey(); m.kind == schemas.AlertDigest {
		x.together = digests[k]
		delete(digests, k)
		if end, quiet := b.quiet(m, c.now); quiet && !m.mayRepeat && len(m.joining) == 0 {
			c.wake = earliest(c.wake, end)
			return
		}
	}
	c.offer(x, m.notBefore)
}

// offerReady offers the most urgent of what is due for messages that stand.
func (b *book) offerReady(c *choice, ch *channel) {
	a := &ch.due
	for {
		m, ok := a.ready.first()
		if !ok {
			return
		}
		was := m.action.urgency
		b.classifyMessage(ch, m, c.now) // quiet hours may have begun
		if m.action.readyAt != notInHeap && m.action.urgency == was {
			c.offer(candidate{urgency: m.action.urgency, since: m.action.since, msg: m}, c.now)
			return
		}
	}
}

// quiet reports that nothing new is told in the message's lane now.
func (b *book) quiet(m *notice, now time.Time) (time.Time, bool) {
	if m.lane != schemas.LaneNormal {
		return time.Time{}, false
	}
	return b.policy.Quiet(m.tenant, now)
}

// highDigestInterval is the longest time between edits of an urgent digest that let further groups in.
const highDigestInterval = 10 * time.Second

// offerDigest offers groups that are to be told together: in the digest that stands already, if it can be edited, else
// in a new one.
func (b *book) offerDigest(c *choice, ch *channel, k digestKey, d digestGroups) {
	last := ch.due.lastDigest(k)
	if b.edits && b.open(last, c.now) {
		due, urgency := b.editDue(last), editUrgency(last)
		if k.lane == schemas.LaneHigh { // nobody has heard of these groups yet
			due, urgency = latest(last.lastTold.Add(min(b.opts.Interval, highDigestInterval)), last.notBefore), editHighDigest
		}
		c.offer(candidate{urgency: urgency, since: last.lastTold, msg: last, together: d}, due)
		return
	}
	due := c.now
	if at, ok := ch.due.torn[k]; ok {
		due = at.Add(b.opts.Interval)
	}
	if last != nil {
		due = latest(due, last.opened.Add(b.opts.Interval))
	}
	c.offer(candidate{urgency: digestUrgency(k.lane), since: c.now, together: d, cause: k.cause, named: b.isNamed(k.pool)}, due)
}

func (m *notice) digestKey() digestKey { return digestKey{m.tenant, m.lane, m.cause} }

func (b *book) editDue(m *notice) time.Time {
	due := m.lastTold.Add(b.opts.Interval)
	if m.urgent {
		due = m.lastTold
	}
	return latest(due, m.notBefore)
}

// takeUp makes the candidate into work: its message exists from now on, and has its portions.
func (b *book) takeUp(x *candidate, now time.Time) *notice {
	m, groups := x.msg, x.all()
	if m == nil && len(groups) > 0 {
		g := groups[0]
		kind := schemas.AlertGroup
		switch {
		case x.cause != "":
			kind = schemas.AlertDigest
		case g.detector != "":
			kind = schemas.AlertBroken
		default:
			b.take(bucketKey{g.pool, g.lane}, now)
		}
		m = b.message(b.newID(), g, kind, x.cause)
		m.planned = now
	}
	for _, g := range groups {
		for _, p := range g.portions {
			if p.waiting() {
				m.mayRepeat = m.mayRepeat || p.doubt && !m.told
				b.attach(p, m)
			}
		}
	}
	return m
}

// all are the groups whose waiting portions the candidate's message gets.
func (x *candidate) all() []*group {
	groups := slices.Clone(x.groups)
	if x.together.queue != nil {
		for _, g := range x.together.queue.items {
			if !slices.Contains(x.together.alone, g) {
				groups = append(groups, g)
			}
		}
	}
	if x.msg != nil {
		for g := range x.msg.joining {
			groups = append(groups, g)
		}
	}
	return groups
}
