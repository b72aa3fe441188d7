package dispatch

import (
	"time"

	"confab/schemas"
)

// unassigned reports that the part has pending incidents and no message.
func (part *groupPart) unassigned() bool { return part.message == nil && part.pending() > 0 }

// sent reports that the part belongs to a sent message.
func (part *groupPart) sent() bool { return part.message != nil && part.message.phase.isSent() }

// pending counts the incidents that no message shows.
func (part *groupPart) pending() int64 {
	return part.record.Group.Members - part.record.Group.DisplayedCount
}

// cloneRecord copies the record of a group, so that its counts may be changed.
func cloneRecord(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	return rec
}

// setRecord replaces the part's record.
func (s *store) setRecord(part *groupPart, rec schemas.AlertState) {
	before := part.pending()
	part.record = rec
	if part.message != nil {
		part.message.pending += part.pending() - before
	}
	if rec.Status == schemas.AlertSent {
		part.possiblyDuplicated = false
	}
}

// noteAdded notes the time of a new member.
func (part *groupPart) noteAdded(at time.Time) {
	part.lastAdded = latest(part.lastAdded, at)
	if part.message != nil {
		part.message.lastAdded = latest(part.message.lastAdded, part.lastAdded)
	}
}

// isResolved reports that the group has ended in this partition: all its incidents are displayed, and none was added for the
// resolve timeout. All parts of a message end together, so that its count does not go down.
func (s *store) isResolved(part *groupPart, now time.Time) bool {
	if part.message == nil {
		return part.pending() == 0 && !now.Before(part.lastAdded.Add(s.options.Resolve))
	}
	return part.message.phase.isSent() && !part.message.hasPending() && !now.Before(part.message.lastActivity().Add(s.options.Resolve))
}
