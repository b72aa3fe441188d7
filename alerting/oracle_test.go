package alerting

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// oracle chooses as the book did before it had an index: it looks at every group and every message. It changes nothing.
type oracle struct {
	*planner
	*book
	alone   []candidate
	digests map[digestKey][]*group
}

func (b *oracle) choose(ch *channel, now time.Time) choice {
	c := choice{now: now, down: ch.failures >= downAfter}
	b.digests = make(map[digestKey][]*group)
	for g := range ch.waiting {
		b.offerGroup(&c, g)
	}
	b.offerAlone(&c, ch)
	all := b.digests
	b.digests = make(map[digestKey][]*group, len(all))
	maps.Copy(b.digests, all)
	for m := range ch.messages {
		b.offerMessage(&c, m, all)
	}
	for k, groups := range all {
		b.offerDigest(&c, ch, k, groups)
	}
	if len(ch.replies) > 0 {
		c.offer(candidate{urgency: addDetail}, now)
	}
	return c
}

// classify says how incidents are told: on their own, in a digest of some cause, or not before some time.
func (b *oracle) classify(portions map[*portion]struct{}, now time.Time) (cause schemas.DigestCause, until time.Time, hold bool) {
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
func (b *oracle) offerGroup(c *choice, g *group) {
	waiting, since := g.unattached()
	groups := []*group{g}
	if m := g.live; m != nil && !m.told {
		c.offer(candidate{urgency: newUrgency(m), since: m.planned, msg: m, groups: groups, named: b.isNamed(m.tenant)}, m.notBefore)
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
		left, more := b.tokens(bucketKey{g.pool, g.lane}, c.now)
		if left == 0 {
			cause = schemas.DigestThrottled
			c.wake = earliest(c.wake, more)
		}
	}
	if cause != "" {
		k := digestKey{pool: g.pool, lane: g.lane, cause: cause}
		b.digests[k] = append(b.digests[k], g)
		return
	}
	b.alone = append(b.alone, candidate{urgency: postUrgency(g.lane), since: since, groups: groups, named: b.isNamed(g.pool)})
}

// offerAlone offers the groups that are to have a message of their own: the first ones, after those that have one which is
// not posted yet. When more wait, all others are told in digests, lest the last of them wait for a minute.
func (b *oracle) offerAlone(c *choice, ch *channel) {
	slices.SortFunc(b.alone, func(x, y candidate) int {
		if x.named != y.named {
			if x.named {
				return -1
			}
			return 1
		}
		return cmp.Or(x.since.Compare(y.since), strings.Compare(x.groups[0].key, y.groups[0].key))
	})
	waiting := make(map[schemas.Lane]int, 2)
	for m := range ch.messages {
		if !m.told && m.kind == schemas.AlertGroup {
			waiting[m.lane]++
		}
	}
	for _, x := range b.alone {
		g := x.groups[0]
		if waiting[g.lane]++; waiting[g.lane] > crowd && g.detector == "" {
			k := digestKey{pool: g.pool, lane: g.lane, cause: schemas.DigestThrottled}
			b.digests[k] = append(b.digests[k], g)
			continue
		}
		c.offer(x, c.now)
	}
}

// offerMessage offers what there is to do for a message.
func (b *oracle) offerMessage(c *choice, m *notice, digests map[digestKey][]*group) {
	if m.told {
		b.offerTold(c, m)
		return
	}
	x := candidate{urgency: newUrgency(m), since: m.planned, msg: m, named: b.isNamed(m.tenant)}
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
func (b *oracle) offerTold(c *choice, m *notice) {
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

// offerDigest offers groups that are to be told together: in the digest that stands already, if it can be edited, else
// in a new one.
func (b *oracle) offerDigest(c *choice, ch *channel, k digestKey, groups []*group) {
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
	if at, ok := ch.torn[k]; ok {
		due = at.Add(b.opts.Interval)
	}
	if last != nil {
		due = latest(due, last.opened.Add(b.opts.Interval))
	}
	c.offer(candidate{urgency: digestUrgency(k.lane), since: c.now, groups: groups, cause: k.cause, named: b.isNamed(k.pool)}, due)
}
