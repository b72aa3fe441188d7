package dispatch

import (
	"maps"
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// AttachLoaded attaches loaded parts to their messages once all partitions are loaded. A message is edited only by the process
// that posted it or that has all of its parts; otherwise its parts detach. It reports whether there were loaded parts.
func (s *Store) AttachLoaded(now time.Time) bool {
	if len(s.loadedParts) == 0 || !s.Ready() {
		return false
	}
	incomplete := s.incompleteMessages()
	for _, part := range s.loadedParts {
		if part.Partition.Revoked() || part.Message != nil || part.Partition.parts[part.Group.Key] != part {
			continue
		}
		s.attachLoadedPart(part, incomplete, now)
		s.updateWaiting(part.Group)
	}
	for _, part := range s.loadedParts {
		if part.Sent() && part.Pending() > 0 {
			if s.CanEdit {
				part.Message.handle(logBehind)
			}
			part.PossiblyDuplicated = part.Record.Status != schemas.AlertSent // an unconfirmed post that another part has as sent
		}
	}
	s.loadedParts = nil
	return true
}

// incompleteMessages are the messages that show groups which have detached from them.
func (s *Store) incompleteMessages() map[string]bool {
	incomplete := make(map[string]bool)
	for _, p := range s.Partitions {
		for _, part := range p.parts {
			incomplete[part.Record.Group.PreviousMessage] = true
		}
	}
	return incomplete
}

// attachLoadedPart attaches a loaded part to the message of its record, if that may have been posted. A message in incomplete
// shows more than is held, so it is not edited.
func (s *Store) attachLoadedPart(part *GroupPart, incomplete map[string]bool, now time.Time) {
	g := part.Record.Group
	whole := len(s.Partitions) == s.partitions && !incomplete[g.Message]
	sent := part.Record.Status == schemas.AlertSent
	switch {
	case g.Message == "" || !sent && part.Record.Attempt == 0: // no attempt was made
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

// restoreMessage finds or makes the message that the part's record names.
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
	m.LastSent = Latest(m.LastSent, part.Record.UpdatedAt)
	if m.Kind == schemas.AlertDigest && m.Tenant != part.Group.Pool {
		m.Tenant = "" // of several pools
	}
	return m
}

// AddFeedback stores a label, and returns the loaded partitions.
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
			if labels, changed := AddFeedback(part.Record.Group.Feedback, f); changed {
				rec := cloneRecord(part.Record)
				rec.Group.Feedback, rec.Group.Changed, rec.UpdatedAt = labels, true, now
				out.Entries = append(out.Entries, alerting.StateEntry{Key: part.Group.Key, State: &rec})
				out.Apply = func() { s.applyLabel(part, rec) }
			}
		}
	}
	if was.Status != schemas.AlertLabelled {
		was.Status, was.UpdatedAt = schemas.AlertLabelled, now
		out.Entries = append(out.Entries, alerting.StateEntry{Key: f.IncidentID, State: &was})
	}
	return out
}

// Forget plans the removal of an incident's texts in a partition.
func (s *Store) Forget(p *Partition, incident string, now time.Time) (out Update) {
	var recs []schemas.AlertState
	var parts []*GroupPart
	for _, part := range p.parts {
		part.nextLead = ForgetFlag(part.nextLead, incident)
		if rec := cloneRecord(part.Record); ForgetIncident(rec.Group, incident) {
			rec.UpdatedAt = now
			parts, recs = append(parts, part), append(recs, rec)
			out.Entries = append(out.Entries, alerting.StateEntry{Key: part.Group.Key, State: &rec})
		}
	}
	out.Apply = func() {
		for i, part := range parts {
			s.applyLabel(part, recs[i])
		}
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

// DeleteOld plans the deletion of the partition's resolved groups and expired members, as many as one write takes. Without
// entries there are none.
func (s *Store) DeleteOld(p *Partition, now time.Time) Update {
	var resolved []*GroupPart
	var out Update
	for _, part := range p.parts {
		if len(resolved) == MaxWrite {
			break
		}
		if s.isResolved(part, now) && s.mayDelete(part) {
			resolved = append(resolved, part)
			out.Entries = append(out.Entries, alerting.StateEntry{Key: part.Group.Key})
		}
	}
	var expired []string
	for key := range p.expired {
		if len(out.Entries) == MaxWrite {
			break
		}
		expired = append(expired, key)
		out.Entries = append(out.Entries, alerting.StateEntry{Key: key})
	}
	out.Apply = func() {
		for _, part := range resolved {
			s.dropPart(part)
		}
		for _, key := range expired {
			delete(p.expired, key)
		}
	}
	return out
}

// DropExpired drops expired silences.
func (s *Store) DropExpired(now time.Time) {
	for id, silence := range s.Silences {
		if !now.Before(silence.Until) {
			delete(s.Silences, id)
		}
	}
}

// Load adds the records of a partition, and the log to write to. It returns the labels that came before.
func (s *Store) Load(p *Partition, snap *snapshot, log alerting.StateLog, now time.Time) []schemas.Feedback {
	for _, silence := range snap.Silences {
		s.SetSilence(silence, now)
	}
	for _, key := range slices.Sorted(maps.Keys(snap.Groups)) {
		rec := snap.Groups[key]
		g := rec.Group
		part := &GroupPart{
			Partition: p, Record: rec, lastAdded: rec.UpdatedAt,
			Group: s.group(key, GroupKind{Labels: g.Labels, Severity: g.Severity, Detector: g.Detector, FiringRate: g.FiringRate}),
		}
		if m := snap.Members[key]; m.Generation == g.Generation {
			g.Members = max(g.Members, m.Ordinal)
			g.Last, part.lastAdded = Latest(g.Last, m.At), Latest(part.lastAdded, m.UpdatedAt)
		}
		part.PendingSince = g.First
		if g.DisplayedCount > 0 {
			part.PendingSince = g.Last
		}
		s.addPart(part)
		s.loadedParts = append(s.loadedParts, part)
	}
	p.expired, p.log = snap.Expired, log
	close(p.loaded)
	return s.Feedback.All()
}
