package dispatch

import (
	"time"

	"confab/schemas"
)

// Ended is a group, or a digest, that has ended and whose message is still to be ended.
type Ended struct {
	group  *Group
	digest *Message // nil: the group
}

// QueueEnded queues, in their channels, groups and digests that have ended since the last call. Nothing is queued while
// memory is short: groups leave it then although their problem may go on.
func (s *Store) QueueEnded(now time.Time) {
	if !s.resolves || s.nearLimit() {
		return
	}
	queued := make(map[Ended]bool)
	for _, ch := range s.Channels {
		ch.Ended = ch.Ended[:0]
	}
	for _, g := range s.Groups {
		for _, part := range g.Parts {
			e := endOf(part)
			if ch := g.channel; !queued[e] && s.hasEnded(e, now) {
				queued[e] = true
				ch.Ended = append(ch.Ended, e)
				Notify(ch.Changes)
			}
		}
	}
}

// endOf is what ends with the part: the digest that shows it, else its group.
func endOf(part *GroupPart) Ended {
	if m := part.Message; m != nil && m.Kind == schemas.AlertDigest {
		return Ended{digest: m}
	}
	return Ended{group: part.Group}
}

// parts are those that must all have ended.
func (e Ended) parts() []*GroupPart {
	if e.digest != nil {
		return e.digest.sortedParts()
	}
	return e.group.Parts
}

// hasEnded reports that all parts have ended, a message has shown them, and the sink does not have its end yet.
func (s *Store) hasEnded(e Ended, now time.Time) bool {
	ended := true
	for _, part := range e.parts() {
		if !s.isResolved(part, now) || part.Message == nil && part.Record.Group.PreviousMessage == "" {
			return false
		}
		ended = ended && part.ended
	}
	return !ended
}

// EndedAlert is the alert to resolve; false when it goes on, or is no more.
func (s *Store) EndedAlert(e Ended, now time.Time) (a schemas.Alert, goesOn bool) {
	parts := e.parts()
	if len(parts) == 0 || !s.hasEnded(e, now) {
		return a, true
	}
	if m := parts[0].Message; m != nil {
		a, _ = s.Alert(m)
		return a, false
	}
	g := parts[0].Record.Group
	a = schemas.Alert{
		Kind: schemas.AlertGroup, Message: g.PreviousMessage, Group: e.group.Key, Severity: g.Severity, Tenant: g.Labels.Tenant,
		Channel: e.group.channel.name, Detector: g.Detector, First: g.First, Last: g.Last,
	}
	if g.Detector != "" {
		a.Kind = schemas.AlertBroken
	}
	for _, part := range parts {
		a.Count += part.Record.Group.Members
	}
	if g.Lead != nil {
		a.Flag = *g.Lead
	}
	return a, false
}

// MarkEnded notes that the sink has the end, so that the records may be deleted.
func (e Ended) MarkEnded() {
	for _, part := range e.parts() {
		part.ended = true
	}
}

// mayDelete reports that the record of an ended part is not needed to end its message.
func (s *Store) mayDelete(part *GroupPart) bool {
	return !s.resolves || part.Partition.nearLimit || part.ended || part.Message == nil && part.Record.Group.PreviousMessage == ""
}
