package alerting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// choose finds what the channel does next, and otherwise when there will be something.
func (b *book) choose(ch *channel, now time.Time) choice {
	c := choice{now: now, down: ch.failures >= downAfter}
	if !b.ready() {
		return c
	}
	b.settle(now)
	b.dissolve(ch, now)
	digests := make(map[digestKey][]*group)
	for g := range ch.waiting {
		b.offerGroup(&c, g, digests)
	}
	b.offerAlone(&c, ch, digests)
	for m := range ch.messages {
		b.offerMessage(&c, m, digests)
	}
	for k, groups := range digests {
		b.offerDigest(&c, ch, k, groups)
	}
	if len(ch.replies) > 0 {
		c.offer(candidate{urgency: addDetail}, now)
	}
	return c
}

// digestKey is what the incidents of a digest have in common.
type digestKey struct {
	tenant string
	lane   schemas.Lane
	cause  schemas.DigestCause
}

// dissolve takes apart messages that are not told yet and are to be told in another way: those that have grown old, or
// fell into quiet hours, and those that lost a portion. A message of unknown end keeps its id as long as it is whole.
func (b *book) dissolve(ch *channel, now time.Time) {
	for m := range ch.messages {
		if m.told || m.kind == schemas.AlertDigest && !m.torn || m.mayRepeat && !m.torn {
			continue
		}
		if !m.torn {
			cause, _, hold := b.classify(m.portions, now)
			if !hold && cause == "" {
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
func (b *book) classify(portions map[*portion]struct{}, now time.Time) (cause schemas.DigestCause, until time.Time, hold bool) {
	var first, last time.Time
	var g *group
	again := false
	for p := range portions {
		again = again || p.rec.Group.Base > 0
		g = p.group
		first, last = earliest(first, p.since), latest(last, p.rec.Group.Last)
	}
	if end := b.allSilenced(portions, now); !end.IsZero() {
		return "", end, true
	}
	if g.lane == schemas.LaneNormal {
		if end, quiet := b.policy.Quiet(g.labels.Tenant, now); quiet {
			return "", end, true
		}
	}
	if g.detector != "" {
		return "", time.Time{}, false
	}
	if g.lane == schemas.LaneNormal {
		if _, quiet := b.policy.Quiet(g.labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}, false
		}
	}
	late := again && !b.edits // they had to wait for the repeat interval
	if !late && now.Sub(last) > b.opts.StaleAfter {
		return schemas.DigestStale, time.Time{}, false
	}
	return "", time.Time{}, false
}

// offerGroup offers the incidents of a group that no message tells.
func (b *book) offerGroup(c *choice, g *group, digests map[digestKey][]*group) {
	waiting, since := g.unattached()
	groups := []*group{g}
	if m := g.live; m != nil && !m.told {
		c.offer(candidate{urgency: newUrgency(m), since: m.planned, msg: m, groups: groups}, m.notBefore)
		return
	} else if b.edits && b.open(m, c.now) {
		c.offer(candidate{urgency: editUrgency(m), since: since, msg: m, groups: groups}, b.editDue(m))
		return
	}
	cause, until, hold := b.classify(waiting, c.now)
	if hold {
		c.wake = earliest(c.wake, until)
		return
	}
	if cause == "" && g.detector == "" {
		left, more := b.tokens(bucketKey{g.labels.Tenant, g.lane}, c.now)
		if left == 0 {
			cause = schemas.DigestThrottled
			c.wake = earliest(c.wake, more)
		}
	}
	if cause != "" {
		k := digestKey{g.labels.Tenant, g.lane, cause}
		digests[k] = append(digests[k], g)
		return
	}
	c.alone = append(c.alone, candidate{urgency: postUrgency(g.lane), since: since, groups: groups})
}

// crowd is how many groups of a lane may wait in a channel for messages of their own. A channel takes one a second.
const crowd = 10

// offerAlone offers the groups that are to have a message of their own: the first ones, after those that have one which is
// not posted yet. When more wait, all others are told in digests, lest the last of them wait for a minute.
func (b *book) offerAlone(c *choice, ch *channel, digests map[digestKey][]*group) {
	slices.SortFunc(c.alone, func(x, y candidate) int {
		return cmp.Or(x.since.Compare(y.since), strings.Compare(x.groups[0].key, y.groups[0].key))
	})
	waiting := make(map[schemas.Lane]int, 2)
	for m := range ch.messages {
		if !m.told && m.kind == schemas.AlertGroup {
			waiting[m.lane]++
		}
	}
	for _, x := range c.alone {
		g := x.groups[0]
		if waiting[g.lane]++; waiting[g.lane] > crowd && g.detector == "" {
			k := digestKey{g.labels.Tenant, g.lane, schemas.DigestThrottled}
			digests[k] = append(digests[k], g)
			continue
		}
		c.offer(x, c.now)
	}
}

// unattached are the group's portions that wait for a message, and since when.
func (g *group) unattached() (waiting map[*portion]struct{}, since time.Time) {
	waiting = make(map[*portion]struct{}, len(g.portions))
	for _, p := range g.portions {
		if p.waiting() {
			waiting[p] = struct{}{}
			since = earliest(since, p.since)
		}
	}
	return waiting, since
}

// offerMessage offers what there is to do for a message.
func (b *book) offerMessage(c *choice, m *notice, digests map[digestKey][]*group) {
	if m.told {
		b.offerTold(c, m)
		return
	}
	x := candidate{urgency: newUrgency(m), since: m.planned, msg: m}
	if k := m.digestKey(); m.kind == schemas.AlertDigest {
		x.groups = digests[k]
		delete(digests, k)
		if end, quiet := b.quiet(m, c.now); quiet && !m.mayRepeat {
			c.wake = earliest(c.wake, end)
			return
		}
	}
	c.offer(x, m.notBefore)
}

// offerTold offers what there is to do for a message that stands.
func (b *book) offerTold(c *choice, m *notice) {
	if m.torn {
		c.offer(candidate{urgency: part, msg: m}, c.now)
		return
	}
	behind := m.behind()
	repeat := m.opened.Add(b.opts.Repeat)
	if behind && !m.unsure && !c.now.Before(repeat) {
		end, quiet := b.quiet(m, c.now)
		if !quiet {
			c.offer(candidate{urgency: part, msg: m}, c.now)
			return
		}
		c.wake = earliest(c.wake, end)
	}
	switch {
	case b.edits && (behind || m.urgent || m.unsure):
		c.offer(candidate{urgency: editUrgency(m), since: m.lastTold, msg: m}, b.editDue(m))
	case behind && c.now.Before(repeat):
		c.wake = earliest(c.wake, repeat)
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
func (b *book) offerDigest(c *choice, ch *channel, k digestKey, groups []*group) {
	var last *notice
	for m := range ch.messages {
		if m.kind == schemas.AlertDigest && m.told && m.digestKey() == k && (last == nil || m.opened.After(last.opened)) {
			last = m
		}
	}
	if b.edits && b.open(last, c.now) {
		due, urgency := b.editDue(last), editUrgency(last)
		if k.lane == schemas.LaneHigh { // nobody has heard of these groups yet
			due, urgency = latest(last.lastTold.Add(min(b.opts.Interval, highDigestInterval)), last.notBefore), editHighDigest
		}
		c.offer(candidate{urgency: urgency, since: last.lastTold, msg: last, groups: groups}, due)
		return
	}
	due := c.now
	if last != nil {
		due = last.opened.Add(b.opts.Interval)
	}
	c.offer(candidate{urgency: digestUrgency(k.lane), since: c.now, groups: groups, cause: k.cause}, due)
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
	m := x.msg
	if m == nil && len(x.groups) > 0 {
		g := x.groups[0]
		kind := schemas.AlertGroup
		switch {
		case x.cause != "":
			kind = schemas.AlertDigest
		case g.detector != "":
			kind = schemas.AlertBroken
		default:
			b.take(bucketKey{g.labels.Tenant, g.lane}, now)
		}
		m = b.message(b.newID(), g, kind, x.cause)
		m.planned = now
	}
	for _, g := range x.groups {
		for _, p := range g.portions {
			if p.waiting() {
				m.mayRepeat = m.mayRepeat || p.doubt && !m.told
				b.attach(p, m)
			}
		}
	}
	return m
}
