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
func (p *GroupPart) Pending() int64 { return p.Record.Group.Members - p.Record.Group.DisplayedCount }

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

// copyRecord is a copy that may be changed.
func (p *GroupPart) copyRecord() schemas.AlertState {
	rec := p.Record
	g := *p.Record.Group
	rec.Group = &g
	return rec
}

// setRecord makes rec the portion's record.
func (b *Store) setRecord(p *GroupPart, rec schemas.AlertState) {
	before := p.Pending()
	p.Record = rec
	if p.Message != nil {
		p.Message.Pending += p.Pending() - before
		p.Message.MarkChanged()
	}
	if rec.Status == schemas.AlertSent {
		p.PossiblyDuplicated = false
	}
	b.updateSize(p)
	p.Group.channel.ChangedGroups[p.Group] = struct{}{}
}

// noteAdded notes that a member joined.
func (p *GroupPart) noteAdded(at time.Time) {
	p.lastAdded = alertlog.Latest(p.lastAdded, at)
	if p.Message != nil {
		p.Message.lastAdded = alertlog.Latest(p.Message.lastAdded, p.lastAdded)
	}
}

// isResolved reports that the group is over in this partition: all is told and nothing more came for a while, or
// its message is left and memory is short. The portions of one message end together, lest its count go down.
func (b *Store) isResolved(p *GroupPart, now time.Time) bool {
	if p.Message == nil {
		return p.Pending() == 0 && (b.nearLimit && b.messages[p.Record.Group.PreviousMessage] == nil || !now.Before(p.lastAdded.Add(b.Options.Resolve)))
	}
	return p.Message.Sent && !p.Message.HasPending() && !now.Before(p.Message.LastActivity().Add(b.Options.Resolve))
}
