package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Unassigned reports that p has incidents of which no message tells, and none is about to.
func (p *GroupPart) Unassigned() bool { return p.Message == nil && p.Pending() > 0 }

// Sent reports that a message stands that tells, or will tell, of the portion.
func (p *GroupPart) Sent() bool { return p.Message != nil && p.Message.Sent }

// Pending counts the incidents that no message shows.
func (p *GroupPart) Pending() int64 { return p.Record.Group.Members - p.Record.Group.Shown }

// Unassigned are the group's portions that wait for a message, and since when.
func (g *Group) Unassigned() (waiting map[*GroupPart]struct{}, since time.Time) {
	waiting = make(map[*GroupPart]struct{}, len(g.Parts))
	for _, p := range g.Parts {
		if p.Unassigned() {
			waiting[p] = struct{}{}
			since = alertlog.Earliest(since, p.PendingSince)
		}
	}
	return waiting, since
}

// record is a copy that may be changed.
func (p *GroupPart) record() schemas.AlertState {
	rec := p.Record
	g := *p.Record.Group
	rec.Group = &g
	return rec
}

// set makes rec the portion's record.
func (b *Store) set(p *GroupPart, rec schemas.AlertState) {
	before := p.Pending()
	p.Record = rec
	if p.Message != nil {
		p.Message.Pending += p.Pending() - before
		p.Message.MarkChanged()
	}
	if rec.Status == schemas.AlertSent {
		p.PossiblyDuplicated = false
	}
	b.resize(p)
	p.Group.channel.ChangedGroups[p.Group] = struct{}{}
}

// touch notes that a member joined.
func (p *GroupPart) touch(at time.Time) {
	p.touched = alertlog.Latest(p.touched, at)
	if p.Message != nil {
		p.Message.last = alertlog.Latest(p.Message.last, p.touched)
	}
}

// over reports that the group is over in this partition: all is told and nothing more came for a while, or
// its message is left and memory is short. The portions of one message end together, lest its count go down.
func (b *Store) over(p *GroupPart, now time.Time) bool {
	if p.Message == nil {
		return p.Pending() == 0 && (b.nearLimit && b.messages[p.Record.Group.Left] == nil || !now.Before(p.touched.Add(b.Options.Resolve)))
	}
	return p.Message.Sent && !p.Message.HasPending() && !now.Before(p.Message.LastActivity().Add(b.Options.Resolve))
}
