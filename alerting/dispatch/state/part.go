package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Unassigned reports that p has incidents of which no message tells, and none is about to.
func (part *GroupPart) Unassigned() bool { return part.Message == nil && part.Pending() > 0 }

// Sent reports that a message stands that tells, or will tell, of the portion.
func (part *GroupPart) Sent() bool { return part.Message != nil && part.Message.Phase.IsSent() }

// Pending counts the incidents that no message shows.
func (part *GroupPart) Pending() int64 {
	return part.Record.Group.Members - part.Record.Group.DisplayedCount
}

// Unassigned are the group's portions that wait for a message, and since when.
func (g *Group) Unassigned() (waiting map[*GroupPart]struct{}, since time.Time) {
	waiting = make(map[*GroupPart]struct{}, len(g.Parts))
	for _, part := range g.Parts {
		if part.Unassigned() {
			waiting[part] = struct{}{}
			since = alertlog.Earliest(since, part.PendingSince)
		}
	}
	return waiting, since
}

// copyRecord is a copy that may be changed.
func (part *GroupPart) copyRecord() schemas.AlertState {
	rec := part.Record
	g := *part.Record.Group
	rec.Group = &g
	return rec
}

// setRecord makes rec the portion's record.
func (s *Store) setRecord(part *GroupPart, rec schemas.AlertState) {
	before := part.Pending()
	part.Record = rec
	if part.Message != nil {
		part.Message.Pending += part.Pending() - before
		part.Message.MarkChanged()
	}
	if rec.Status == schemas.AlertSent {
		part.PossiblyDuplicated = false
	}
	s.updateSize(part)
	part.Group.channel.ChangedGroups[part.Group] = struct{}{}
}

// noteAdded notes that a member joined.
func (part *GroupPart) noteAdded(at time.Time) {
	part.lastAdded = alertlog.Latest(part.lastAdded, at)
	if part.Message != nil {
		part.Message.lastAdded = alertlog.Latest(part.Message.lastAdded, part.lastAdded)
	}
}

// isResolved reports that the group is over in this partition: all is told and nothing more came for a while, or
// its message is left and memory is short. The portions of one message end together, lest its count go down.
func (s *Store) isResolved(part *GroupPart, now time.Time) bool {
	if part.Message == nil {
		return part.Pending() == 0 && (s.nearLimit && s.messages[part.Record.Group.PreviousMessage] == nil || !now.Before(part.lastAdded.Add(s.Options.Resolve)))
	}
	return part.Message.Phase.IsSent() && !part.Message.HasPending() && !now.Before(part.Message.LastActivity().Add(s.Options.Resolve))
}
