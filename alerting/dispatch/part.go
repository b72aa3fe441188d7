package dispatch

import (
	"time"

	"confab/schemas"
)

// Unassigned reports that the part has pending incidents and no message.
func (part *GroupPart) Unassigned() bool { return part.Message == nil && part.Pending() > 0 }

// Sent reports that the part belongs to a sent message.
func (part *GroupPart) Sent() bool { return part.Message != nil && part.Message.Phase.IsSent() }

// Pending counts the incidents that no message shows.
func (part *GroupPart) Pending() int64 {
	return part.Record.Group.Members - part.Record.Group.DisplayedCount
}

// Unassigned returns the group's parts that wait for a message, and since when.
func (g *Group) Unassigned() (waiting []*GroupPart, since time.Time) {
	for _, part := range g.Parts {
		if part.Unassigned() {
			waiting = append(waiting, part)
			since = Earliest(since, part.PendingSince)
		}
	}
	return waiting, since
}

// cloneRecord copies the record of a group, so that its counts may be changed.
func cloneRecord(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	return rec
}

// setRecord replaces the part's record.
func (s *Store) setRecord(part *GroupPart, rec schemas.AlertState) {
	before := part.Pending()
	part.Record = rec
	if part.Message != nil {
		part.Message.Pending += part.Pending() - before
	}
	if rec.Status == schemas.AlertSent {
		part.PossiblyDuplicated = false
	}
}

// noteAdded notes the time of a new member.
func (part *GroupPart) noteAdded(at time.Time) {
	part.lastAdded = Latest(part.lastAdded, at)
	if part.Message != nil {
		part.Message.lastAdded = Latest(part.Message.lastAdded, part.lastAdded)
	}
}

// isResolved reports that the group has ended in this partition: all its incidents are displayed, and none was added for the
// resolve timeout, or memory is short. All parts of a message end together, so that its count does not go down.
func (s *Store) isResolved(part *GroupPart, now time.Time) bool {
	if part.Message == nil {
		return part.Pending() == 0 && (part.Partition.nearLimit && s.messages[part.Record.Group.PreviousMessage] == nil || !now.Before(part.lastAdded.Add(s.Options.Resolve)))
	}
	return part.Message.Phase.IsSent() && !part.Message.HasPending() && !now.Before(part.Message.LastActivity().Add(s.Options.Resolve))
}
