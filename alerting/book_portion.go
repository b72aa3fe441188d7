package alerting

import (
	"time"

	"confab/schemas"
)

// waiting reports that p has incidents of which no message tells, and none is about to.
func (p *portion) waiting() bool { return p.msg == nil && p.untold() > 0 }

// told reports that a message stands that tells, or will tell, of the portion.
func (p *portion) told() bool { return p.msg != nil && p.msg.told }

// untold counts the incidents that no message shows.
func (p *portion) untold() int64 { return p.rec.Group.Members - p.rec.Group.Shown }

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

// record is a copy that may be changed.
func (p *portion) record() schemas.AlertState {
	rec := p.rec
	g := *p.rec.Group
	rec.Group = &g
	return rec
}

// set makes rec the portion's record.
func (b *book) set(p *portion, rec schemas.AlertState) {
	before := p.untold()
	p.rec = rec
	if p.msg != nil {
		p.msg.untold += p.untold() - before
		p.msg.changed()
	}
	if rec.Status == schemas.AlertSent {
		p.doubt = false
	}
	b.resize(p)
	p.group.channel.changedGroups[p.group] = struct{}{}
}

// touch notes that a member joined.
func (p *portion) touch(at time.Time) {
	p.touched = latest(p.touched, at)
	if p.msg != nil {
		p.msg.last = latest(p.msg.last, p.touched)
	}
}

// behind reports that the message does not show all of its incidents.
func (m *notice) behind() bool { return m.untold > 0 }

// touched is when something last came of the message: a member, or the message itself.
func (m *notice) touched() time.Time { return latest(m.opened, m.last) }

// over reports that the group is over in this partition: all is told and nothing more came for a while, or
// its message is left and memory is short. The portions of one message end together, lest its count go down.
func (b *book) over(p *portion, now time.Time) bool {
	if p.msg == nil {
		return p.untold() == 0 && (b.nearLimit && b.messages[p.rec.Group.Left] == nil || !now.Before(p.touched.Add(b.opts.Resolve)))
	}
	return p.msg.told && !p.msg.behind() && !now.Before(p.msg.touched().Add(b.opts.Resolve))
}

// latest is the later time.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earliest prefers a time that is known.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
