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

// record is a copy that may be changed.
func (p *portion) record() schemas.AlertState {
	rec := p.rec
	g := *p.rec.Group
	rec.Group = &g
	return rec
}

func (m *notice) behind() bool {
	for p := range m.portions {
		if p.untold() > 0 {
			return true
		}
	}
	return false
}

// touched is when something last came of the message: a member, or the message itself.
func (m *notice) touched() time.Time {
	t := m.opened
	for p := range m.portions {
		t = latest(t, p.touched)
	}
	return t
}

// over reports that the group is over in this partition: all is told and nothing more came for a while. The portions of
// one message end together, lest its count go down.
func (b *book) over(p *portion, now time.Time) bool {
	if p.msg == nil {
		return p.untold() == 0 && !now.Before(p.touched.Add(b.opts.Resolve))
	}
	return p.msg.told && !p.msg.behind() && !now.Before(p.msg.touched().Add(b.opts.Resolve))
}

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
