package dispatch

import (
	"time"

	"confab/schemas"
)

// ended is a group, or a digest, that has ended and whose message is still to be ended.
type ended struct {
	group  *group
	digest *message // nil: the group
}

// queueEnded queues, in their channels, groups and digests that have ended since the last call. Nothing is queued while
// memory is short: groups leave it then although their problem may go on.
func (s *store) queueEnded(now time.Time) {
	if !s.resolves || s.nearLimit() {
		return
	}
	queued := make(map[ended]bool)
	for _, ch := range s.channels {
		ch.ended = ch.ended[:0]
	}
	for _, g := range s.groups {
		for _, part := range g.parts {
			e := endOf(part)
			if ch := g.channel; !queued[e] && s.hasEnded(e, now) {
				queued[e] = true
				ch.ended = append(ch.ended, e)
				notify(ch.changes)
			}
		}
	}
}

// endOf is what ends with the part: the digest that shows it, else its group.
func endOf(part *groupPart) ended {
	if m := part.message; m != nil && m.kind == schemas.AlertDigest {
		return ended{digest: m}
	}
	return ended{group: part.group}
}

// parts are those that must all have ended.
func (e ended) parts() []*groupPart {
	if e.digest != nil {
		return e.digest.sortedParts()
	}
	return e.group.parts
}

// hasEnded reports that all parts have ended, a message has shown them, and the sink does not have its end yet.
func (s *store) hasEnded(e ended, now time.Time) bool {
	ended := true
	for _, part := range e.parts() {
		if !s.isResolved(part, now) || part.message == nil && part.record.Group.PreviousMessage == "" {
			return false
		}
		ended = ended && part.ended
	}
	return !ended
}

// endedAlert is the alert to resolve; false when it goes on, or is no more.
func (s *store) endedAlert(e ended, now time.Time) (a schemas.Alert, goesOn bool) {
	parts := e.parts()
	if len(parts) == 0 || !s.hasEnded(e, now) {
		return a, true
	}
	if m := parts[0].message; m != nil {
		a, _ = s.alert(m)
		return a, false
	}
	g := parts[0].record.Group
	a = schemas.Alert{
		Kind: schemas.AlertGroup, Message: g.PreviousMessage, Group: e.group.key, Severity: g.Severity, Tenant: g.Labels.Tenant,
		Channel: e.group.channel.name, Detector: g.Detector, First: g.First, Last: g.Last,
	}
	if g.Detector != "" {
		a.Kind = schemas.AlertBroken
	}
	for _, part := range parts {
		a.Count += part.record.Group.Members
	}
	if g.Lead != nil {
		a.Flag = *g.Lead
	}
	return a, false
}

// markEnded notes that the sink has the end, so that the records may be deleted.
func (e ended) markEnded() {
	for _, part := range e.parts() {
		part.ended = true
	}
}

// mayDelete reports that the record of an ended part is not needed to end its message.
func (s *store) mayDelete(part *groupPart) bool {
	return !s.resolves || part.partition.nearLimit || part.ended || part.message == nil && part.record.Group.PreviousMessage == ""
}
