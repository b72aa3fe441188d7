package state

import (
	"maps"
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// AttachLoaded joins what was loaded with its messages, once everything is loaded. A message is edited only by who posted it
// or who has every portion of it; otherwise its portions leave it. It reports whether there was something to join.
func (s *Store) AttachLoaded(now time.Time) bool {
	if len(s.loadedParts) == 0 || !s.Ready() {
		return false
	}
	lost := s.incompleteMessages()
	for _, part := range s.loadedParts {
		if part.Partition.Revoked() || part.Message != nil || part.Partition.parts[part.Group.Key] != part {
			continue
		}
		s.attachLoadedPart(part, lost, now)
		s.updateWaiting(part.Group)
	}
	for _, part := range s.loadedParts {
		if part.Sent() && part.Pending() > 0 {
			if s.CanEdit {
				part.Message.handle(logBehind)
			}
			part.PossiblyDuplicated = part.Record.Status != schemas.AlertSent // it was announced, and its message was posted
		}
	}
	s.loadedParts = nil
	if s.HasOverflow() {
		Notify(s.ShrinkRequests)
	}
	return true
}

// incompleteMessages are the messages that show incidents of groups that have left them, or that are not in memory.
func (s *Store) incompleteMessages() map[string]bool {
	lost := make(map[string]bool)
	for _, p := range s.Partitions {
		for _, part := range p.parts {
			lost[part.Record.Group.PreviousMessage] = true
		}
		for _, l := range p.overflow {
			lost[l.Message] = true
		}
	}
	return lost
}

// attachLoadedPart attaches a loaded portion to the message that its record names, if it may have been posted. A message in lost
// shows more than is held, so it is not edited.
func (s *Store) attachLoadedPart(part *GroupPart, lost map[string]bool, now time.Time) {
	g := part.Record.Group
	whole := len(s.Partitions) == s.partitions && !lost[g.Message]
	sent := part.Record.Status == schemas.AlertSent
	switch {
	case g.Message == "" || !sent && part.Record.Attempt == 0: // nobody has tried to tell of it
		part.PossiblyDuplicated = part.Record.PossiblyDuplicated
		return
	case !sent && !whole:
		part.PossiblyDuplicated = true
		return
	}
	m := s.restoreMessage(part, now)
	if !whole {
		m.handle(partLost)
	}
	s.Attach(part, m)
}

// restoreMessage finds or makes the message that the portion's record names, with what the record says of it.
func (s *Store) restoreMessage(part *GroupPart, now time.Time) *Message {
	g, sent := part.Record.Group, part.Record.Status == schemas.AlertSent
	m := s.messages[g.Message]
	if m == nil {
		m = s.NewMessage(g.Message, part.Group, g.Kind, g.Cause)
		m.PlannedAt = now
		m.handle(postUnconfirmed)
	}
	if sent && !m.Phase.IsSent() {
		m.handle(postAccepted)
		m.duplicateMarked = part.Record.PossiblyDuplicated
		m.SentAt, m.Receipt = g.SentAt, schemas.Receipt{Channel: part.Record.Channel, Timestamp: part.Record.Timestamp}
	}
	m.LastSent = alertlog.Latest(m.LastSent, part.Record.UpdatedAt)
	if m.Kind == schemas.AlertDigest && m.Tenant != part.Group.Pool {
		m.Tenant = "" // of several
		m.MarkChanged()
	}
	return m
}

// AddFeedback takes note of a label, and returns the partitions that are loaded.
func (s *Store) AddFeedback(label schemas.Feedback) (loaded []*Partition) {
	s.Feedback.Add(label)
	for _, p := range s.Partitions {
		if p.Loaded() {
			loaded = append(loaded, p)
		}
	}
	return loaded
}

// AddLabel plans what follows from a label in a partition.
func (s *Store) AddLabel(p *Partition, f schemas.Feedback, now time.Time) Update {
	was, known := p.log.Get(f.IncidentID)
	if !known || was.Group != nil || was.Silence != nil {
		return Update{}
	}
	out := Update{Apply: func() {}}
	if part := p.partOf(was.Member); part != nil {
		if lead := part.Record.Group.Lead; lead != nil && lead.IncidentID == f.IncidentID {
			if said, changed := alertlog.AddFeedback(part.Record.Group.Feedback, f); changed {
				rec := part.copyRecord()
				rec.Group.Feedback, rec.Group.Changed, rec.UpdatedAt = said, true, now
				out.Entries = append(out.Entries, alertlog.Entry{Key: part.Group.Key, State: &rec})
				out.Apply = func() { s.applyLabel(part, rec) }
			}
		}
	}
	if was.Status != schemas.AlertLabelled {
		was.Status, was.UpdatedAt = schemas.AlertLabelled, now
		out.Entries = append(out.Entries, alertlog.Entry{Key: f.IncidentID, State: &was})
	}
	return out
}

func (s *Store) applyLabel(part *GroupPart, rec schemas.AlertState) {
	s.setRecord(part, rec)
	if part.Sent() && s.CanEdit {
		part.Message.handle(editRequested)
		Notify(part.Group.channel.Changes)
	}
}

// DeleteResolved plans the end of the partition's groups that are over, as many as one write takes. Nothing to write means that there
// are none.
func (s *Store) DeleteResolved(p *Partition, now time.Time) Update {
	var over []*GroupPart
	var out Update
	for _, part := range p.parts {
		if len(over) == MaxWrite {
			break
		}
		if s.isResolved(part, now) {
			over = append(over, part)
			out.Entries = append(out.Entries, alertlog.Entry{Key: part.Group.Key})
		}
	}
	out.Apply = func() {
		for _, part := range over {
			s.dropPart(part)
		}
	}
	return out
}

// DropExpired forgets what has run out by itself.
func (s *Store) DropExpired(now time.Time) {
	for _, ch := range s.Channels {
		for k, at := range ch.EvictedDigests {
			if !now.Before(at.Add(s.Options.Interval)) {
				delete(ch.EvictedDigests, k)
			}
		}
	}
	for id, silence := range s.Silences {
		if !now.Before(silence.Until) {
			delete(s.Silences, id)
		}
	}
}

// Load takes over what a partition holds, and what is to be written to log from then on. It returns the labels that came
// before.
func (s *Store) Load(p *Partition, snap *alertlog.Snapshot, log alertlog.Log, now time.Time) []schemas.Feedback {
	for _, silence := range snap.Silences {
		s.SetSilence(silence, now)
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Groups)) {
		rec := snap.Groups[key]
		g := rec.Group
		part := &GroupPart{
			Partition: p, Record: rec, lastAdded: rec.UpdatedAt,
			Group: s.group(key, alertlog.GroupKind{Labels: g.Labels, Severity: g.Severity, Detector: g.Detector, FiringRate: g.FiringRate}),
		}
		if m := snap.Members[key]; m.Generation == g.Generation {
			g.Members = max(g.Members, m.Ordinal)
			g.Last, part.lastAdded = alertlog.Latest(g.Last, m.At), alertlog.Latest(part.lastAdded, m.UpdatedAt)
		}
		part.PendingSince = g.First
		if g.DisplayedCount > 0 {
			part.PendingSince = g.Last
		}
		s.addPart(part)
		s.loadedParts = append(s.loadedParts, part)
	}
	p.overflow, p.expired, p.leads, p.log = snap.Overflow, snap.Expired, snap.Leads, log
	close(p.loaded)
	return s.Feedback.All()
}
