package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// AttachLoaded joins what was loaded with its messages, once everything is loaded. A message is edited only by who posted it
// or who has every portion of it; otherwise its portions leave it. It reports whether there was something to join.
func (b *Store) AttachLoaded(now time.Time) bool {
	if len(b.loadedParts) == 0 || !b.Ready() {
		return false
	}
	lost := b.incompleteMessages()
	for _, p := range b.loadedParts {
		if p.Partition.Revoked() || p.Message != nil || p.Partition.parts[p.Group.Key] != p {
			continue
		}
		b.attachLoadedPart(p, lost, now)
		b.updateWaiting(p.Group)
	}
	for _, p := range b.loadedParts {
		if p.Sent() && p.Pending() > 0 {
			p.Message.Unsynced = b.CanEdit
			p.Message.MarkChanged()
			p.PossiblyDuplicated = p.Record.Status != schemas.AlertSent // it was announced, and its message was posted
		}
	}
	b.loadedParts = nil
	if b.HasOverflow() {
		Notify(b.ShrinkRequests)
	}
	return true
}

// incompleteMessages are the messages that show incidents of groups that have left them, or that are not in memory.
func (b *Store) incompleteMessages() map[string]bool {
	lost := make(map[string]bool)
	for _, s := range b.Partitions {
		for _, p := range s.parts {
			lost[p.Record.Group.PreviousMessage] = true
		}
		for _, l := range s.overflow {
			lost[l.Message] = true
		}
	}
	return lost
}

// attachLoadedPart attaches a loaded portion to the message that its record names, if it may have been posted. A message in lost
// shows more than is held, so it is not edited.
func (b *Store) attachLoadedPart(p *GroupPart, lost map[string]bool, now time.Time) {
	g := p.Record.Group
	whole := len(b.Partitions) == b.partitions && !lost[g.Message]
	sent := p.Record.Status == schemas.AlertSent
	switch {
	case g.Message == "" || !sent && p.Record.Attempt == 0: // nobody has tried to tell of it
		p.PossiblyDuplicated = p.Record.PossiblyDuplicated
		return
	case !sent && !whole:
		p.PossiblyDuplicated = true
		return
	}
	m := b.restoreMessage(p, now)
	m.Orphaned = m.Orphaned || !whole
	b.Attach(p, m)
}

// restoreMessage finds or makes the message that the portion's record names, with what the record says of it.
func (b *Store) restoreMessage(p *GroupPart, now time.Time) *Message {
	g, sent := p.Record.Group, p.Record.Status == schemas.AlertSent
	m := b.messages[g.Message]
	if m == nil {
		m = b.NewMessage(g.Message, p.Group, g.Kind, g.Cause)
		m.PlannedAt, m.PossiblyDuplicated = now, !sent
	}
	if sent && !m.Sent {
		m.Sent, m.PossiblyDuplicated, m.marked = true, false, p.Record.PossiblyDuplicated
		m.SentAt, m.Receipt = g.SentAt, schemas.Receipt{Channel: p.Record.Channel, Timestamp: p.Record.Timestamp}
	}
	m.LastSent = alertlog.Latest(m.LastSent, p.Record.UpdatedAt)
	if m.Kind == schemas.AlertDigest && m.Tenant != p.Group.Pool {
		m.Tenant = "" // of several
		m.MarkChanged()
	}
	return m
}

// AddFeedback takes note of a label, and returns the partitions that are loaded.
func (b *Store) AddFeedback(label schemas.Feedback) (loaded []*Partition) {
	b.Feedback.Add(label)
	for _, s := range b.Partitions {
		if s.Loaded() {
			loaded = append(loaded, s)
		}
	}
	return loaded
}

// AddLabel plans what follows from a label for the partition, nil where nothing does.
func (b *Store) AddLabel(s *Partition, f schemas.Feedback, now time.Time) *Update {
	was, known := s.log.Get(f.IncidentID)
	if !known || was.Group != nil || was.Silence != nil {
		return nil
	}
	out := Update{Apply: func() {}}
	if p := s.partOf(was.Member); p != nil {
		if lead := p.Record.Group.Lead; lead != nil && lead.IncidentID == f.IncidentID {
			if said, changed := alertlog.AddFeedback(p.Record.Group.Feedback, f); changed {
				rec := p.copyRecord()
				rec.Group.Feedback, rec.Group.Changed, rec.UpdatedAt = said, true, now
				out.Entries = append(out.Entries, alertlog.Entry{Key: p.Group.Key, State: &rec})
				out.Apply = func() { b.applyLabel(p, rec) }
			}
		}
	}
	if was.Status != schemas.AlertLabelled {
		was.Status, was.UpdatedAt = schemas.AlertLabelled, now
		out.Entries = append(out.Entries, alertlog.Entry{Key: f.IncidentID, State: &was})
	}
	if len(out.Entries) == 0 {
		return nil
	}
	return &out
}

func (b *Store) applyLabel(p *GroupPart, rec schemas.AlertState) {
	b.setRecord(p, rec)
	if p.Sent() && b.CanEdit {
		p.Message.Urgent = true
		p.Message.MarkChanged()
		Notify(p.Group.channel.Changes)
	}
}

// DeleteResolved plans the end of the partition's groups that are over, as many as one write takes. Nothing to write means that there
// are none.
func (b *Store) DeleteResolved(s *Partition, now time.Time) Update {
	var over []*GroupPart
	var out Update
	for _, p := range s.parts {
		if len(over) == MaxWrite {
			break
		}
		if b.isResolved(p, now) {
			over = append(over, p)
			out.Entries = append(out.Entries, alertlog.Entry{Key: p.Group.Key})
		}
	}
	out.Apply = func() {
		for _, p := range over {
			b.dropPart(p)
		}
	}
	return out
}

// DropExpired forgets what has run out by itself.
func (b *Store) DropExpired(now time.Time) {
	for _, ch := range b.Channels {
		for k, at := range ch.EvictedDigests {
			if !now.Before(at.Add(b.Options.Interval)) {
				delete(ch.EvictedDigests, k)
			}
		}
	}
	for id, s := range b.Silences {
		if !now.Before(s.Until) {
			delete(b.Silences, id)
		}
	}
}

// Load takes over what a partition holds, and what is to be written to log from then on. It returns the labels that came
// before.
func (b *Store) Load(s *Partition, h *alertlog.Snapshot, log alertlog.Log, now time.Time) []schemas.Feedback {
	for _, silence := range h.Silences {
		b.SetSilence(silence, now)
	}
	for key, rec := range h.Groups {
		g := rec.Group
		p := &GroupPart{
			Partition: s, Record: rec, lastAdded: rec.UpdatedAt,
			Group: b.group(key, alertlog.GroupKind{Labels: g.Labels, Severity: g.Severity, Detector: g.Detector, FiringRate: g.FiringRate}),
		}
		if m := h.Members[key]; m.Generation == g.Generation {
			g.Members = max(g.Members, m.Ordinal)
			g.Last, p.lastAdded = alertlog.Latest(g.Last, m.At), alertlog.Latest(p.lastAdded, m.UpdatedAt)
		}
		p.PendingSince = g.First
		if g.DisplayedCount > 0 {
			p.PendingSince = g.Last
		}
		b.addPart(p)
		b.loadedParts = append(b.loadedParts, p)
	}
	s.overflow, s.expired, s.leads, s.log = h.Overflow, h.Expired, h.Leads, log
	close(s.loaded)
	return b.Feedback.All()
}
