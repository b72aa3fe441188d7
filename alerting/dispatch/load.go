package dispatch

import (
	"maps"
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// attachLoaded attaches loaded parts to their messages once all partitions are loaded. A message is edited only by the process
// that posted it or that has all of its parts; otherwise its parts detach.
func (s *store) attachLoaded(now time.Time) {
	if len(s.loadedParts) == 0 || !s.ready() {
		return
	}
	incomplete := s.incompleteMessages()
	for _, part := range s.loadedParts {
		if part.partition.isRevoked() || part.message != nil || part.partition.parts[part.group.key] != part {
			continue
		}
		s.attachLoadedPart(part, incomplete, now)
		s.updateWaiting(part.group)
	}
	for _, part := range s.loadedParts {
		if part.sent() && part.pending() > 0 {
			if s.canEdit { // the message may show more than the log has
				part.message.handle(editRequested)
			}
			part.possiblyDuplicated = part.record.Status != schemas.AlertSent // an unconfirmed post that another part has as sent
		}
	}
	s.loadedParts = nil
}

// incompleteMessages are the messages that show groups which have detached from them.
func (s *store) incompleteMessages() map[string]bool {
	incomplete := make(map[string]bool)
	for _, p := range s.partitions {
		for _, part := range p.parts {
			incomplete[part.record.Group.PreviousMessage] = true
		}
	}
	return incomplete
}

// attachLoadedPart attaches a loaded part to the message of its record, if that may have been posted. A message in incomplete
// shows more than is held, so it is not edited.
func (s *store) attachLoadedPart(part *groupPart, incomplete map[string]bool, now time.Time) {
	g := part.record.Group
	whole := len(s.partitions) == s.allPartitions && !incomplete[g.Message]
	sent := part.record.Status == schemas.AlertSent
	switch {
	case g.Message == "" || !sent && part.record.Attempt == 0: // no attempt was made
		part.possiblyDuplicated = part.record.PossiblyDuplicated
		return
	case !sent && !whole:
		part.possiblyDuplicated = true
		return
	}
	m := s.restoreMessage(part, now)
	if !whole {
		m.handle(partLost)
	}
	s.attach(part, m)
}

// restoreMessage finds or makes the message that the part's record names.
func (s *store) restoreMessage(part *groupPart, now time.Time) *message {
	g, sent := part.record.Group, part.record.Status == schemas.AlertSent
	m := s.messages[g.Message]
	if m == nil {
		m = s.newMessage(g.Message, part.group, g.Kind, g.Cause)
		m.plannedAt = now
		m.handle(postUnconfirmed)
	}
	if sent && !m.phase.isSent() {
		m.handle(postAccepted)
		m.duplicateMarked = part.record.PossiblyDuplicated
		m.sentAt, m.receipt = g.SentAt, schemas.Receipt{Channel: part.record.Channel, Timestamp: part.record.Timestamp}
	}
	m.lastSent = latest(m.lastSent, part.record.UpdatedAt)
	if m.kind == schemas.AlertDigest && m.tenant != part.group.pool {
		m.tenant = "" // of several pools
	}
	return m
}

// addFeedback stores a label, and returns the loaded partitions.
func (s *store) addFeedback(label schemas.Feedback) (loaded []*partition) {
	remember(s.feedback, label)
	for _, p := range s.partitions {
		if p.isLoaded() {
			loaded = append(loaded, p)
		}
	}
	return loaded
}

// addLabel plans what follows from a label in a partition.
func (s *store) addLabel(p *partition, f schemas.Feedback, now time.Time) update {
	if _, waits := p.waiting[f.IncidentID]; waits {
		rec := schemas.AlertState{Status: schemas.AlertLabelled, Pass: schemas.PassFast, UpdatedAt: now}
		out := suppress(labelled)
		out.entries = []alerting.StateEntry{{Key: f.IncidentID, State: &rec}}
		return p.endWait(f.IncidentID, out)
	}
	was, known := p.log.Get(f.IncidentID)
	if !known || was.Group != nil || was.Silence != nil {
		return update{}
	}
	out := update{apply: func() {}}
	if part := p.partOf(was.Member); part != nil {
		if lead := part.record.Group.Lead; lead != nil && lead.IncidentID == f.IncidentID {
			if labels, changed := addFeedback(part.record.Group.Feedback, f); changed {
				rec := cloneRecord(part.record)
				rec.Group.Feedback, rec.Group.Changed, rec.UpdatedAt = labels, true, now
				out.entries = append(out.entries, alerting.StateEntry{Key: part.group.key, State: &rec})
				out.apply = func() { s.applyLabel(part, rec) }
			}
		}
	}
	if was.Status != schemas.AlertLabelled {
		was.Status, was.UpdatedAt = schemas.AlertLabelled, now
		out.entries = append(out.entries, alerting.StateEntry{Key: f.IncidentID, State: &was})
	}
	return out
}

// forget plans the removal of an incident's texts in a partition.
func (s *store) forget(p *partition, incident string, now time.Time) (out update) {
	var recs []schemas.AlertState
	var parts []*groupPart
	for _, part := range p.parts {
		part.nextLead = forgetFlag(part.nextLead, incident)
		if rec := cloneRecord(part.record); forgetIncident(rec.Group, incident) {
			rec.UpdatedAt = now
			parts, recs = append(parts, part), append(recs, rec)
			out.entries = append(out.entries, alerting.StateEntry{Key: part.group.key, State: &rec})
		}
	}
	w, waits := p.waiting[incident]
	if flag := forgetFlag(w.flag, incident); waits && flag != w.flag {
		w.flag = flag
		out.entries = append(out.entries, w.entry(incident, now))
	}
	out.apply = func() {
		for i, part := range parts {
			s.applyLabel(part, recs[i])
		}
		if waits {
			p.waiting[incident] = w
		}
	}
	return out
}

func (s *store) applyLabel(part *groupPart, rec schemas.AlertState) {
	s.setRecord(part, rec)
	if part.sent() && s.canEdit {
		part.message.handle(editRequested)
		notify(part.group.channel.changes)
	}
}

// deleteOld plans the deletion of the partition's resolved groups and expired members, as many as one write takes. Without
// entries there are none.
func (s *store) deleteOld(p *partition, now time.Time) update {
	var resolved []*groupPart
	var out update
	for _, part := range p.parts {
		if len(resolved) == maxWrite {
			break
		}
		if s.isResolved(part, now) {
			resolved = append(resolved, part)
			out.entries = append(out.entries, alerting.StateEntry{Key: part.group.key})
		}
	}
	var expired []string
	for key := range p.expired {
		if len(out.entries) == maxWrite {
			break
		}
		expired = append(expired, key)
		out.entries = append(out.entries, alerting.StateEntry{Key: key})
	}
	out.apply = func() {
		for _, part := range resolved {
			s.dropPart(part)
		}
		for _, key := range expired {
			delete(p.expired, key)
		}
	}
	return out
}

// load adds the records of a partition, and the log to write to. It returns the labels that came before.
func (s *store) load(p *partition, snap *snapshot, log alerting.StateLog, now time.Time) []schemas.Feedback {
	for _, silence := range slices.SortedFunc(maps.Values(snap.silences), byAge) { // at the limit the oldest are in force
		s.setSilence(silence, now)
	}
	for _, key := range slices.Sorted(maps.Keys(snap.groups)) {
		rec := snap.groups[key]
		g := rec.Group
		for _, at := range []*time.Time{&rec.UpdatedAt, &g.SentAt, &g.First, &g.Last} {
			*at = notAfter(*at, now)
		}
		part := &groupPart{partition: p, record: rec, lastAdded: rec.UpdatedAt, group: s.group(key, groupKind{g.Labels, g.Severity})}
		if m := snap.members[key]; m.generation == g.Generation {
			g.Members = max(g.Members, m.ordinal)
			g.Last, part.lastAdded = latest(g.Last, notAfter(m.at, now)), latest(part.lastAdded, notAfter(m.updatedAt, now))
		}
		part.pendingSince = g.First
		if g.DisplayedCount > 0 {
			part.pendingSince = g.Last
		}
		s.addPart(part)
		s.loadedParts = append(s.loadedParts, part)
	}
	p.expired, p.log, p.waiting = snap.expired, log, snap.waiting
	notify(s.newWaiting)
	close(p.loaded)
	return slices.Concat(s.feedback.Values()...)
}
