package dispatch

import (
	"strings"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// Update is the result of a flag or another event: what to write, and what to apply to the store once it is written.
type Update struct {
	Outcome     Outcome
	Suppression Suppression
	Entries     []alerting.StateEntry
	Apply       func()
}

// Suppress is an update that changes nothing.
func Suppress(why Suppression) Update { return Update{Outcome: Suppressed, Suppression: why} }

// KindOf is the group that an incident belongs to.
func (s *Store) KindOf(f *schemas.Flag) GroupKind {
	return groupKindOf(f, s.Policy.Severity(f), s.Options.By)
}

// AddIncident plans what follows from a flag whose alert rule holds.
func (s *Store) AddIncident(p *Partition, f *schemas.Flag, now time.Time) Update {
	was, known := p.log.Get(f.IncidentID)
	labels := s.Feedback.ByIncident[f.IncidentID]
	switch {
	case known && was.Status == schemas.AlertLabelled || !known && len(labels) > 0:
		return Suppress(Labelled)
	case s.isSilenced(s.KindOf(f).Key(), LabelsOf(f), now):
		return Suppress(Silenced)
	case known && was.Member != nil:
		if was.Pass == schemas.PassDeep || f.Pass != schemas.PassDeep {
			return Suppress(AlreadyNotified)
		}
		return s.addDeepPass(p, f, was, now)
	}
	// A known record that is neither cannot be read, see [alerting.StateLog]: a message may show the incident already.
	return s.addMember(p, f, known, now)
}

// addMember plans a new member of a group. The incidents of a new group that does not fit into the state are counted in one
// group of their pool and severity.
func (s *Store) addMember(p *Partition, f *schemas.Flag, possiblyDuplicated bool, now time.Time) Update {
	k := s.KindOf(f)
	key := k.Key()
	reason := Suppression("")
	if p.parts[key] == nil && s.isFull(p, k.Labels.Tenant) {
		k, reason = GroupKind{Severity: k.Severity, Labels: schemas.AlertGroupLabels{Tenant: s.pool(k.Labels.Tenant)}}, StateLimit
		key = k.Key()
	}
	part, rec, write := s.partFor(p, key, k, now)
	g := rec.Group
	at := DetectedAt(f, now)
	lead, changed := TrimFlag(f), false
	if g.Members == g.CountOffset {
		SetLead(g, &lead, at)
		write = true
	} else {
		g.Top, changed = RankFlag(g.Top, f)
	}
	write = write || changed
	g.Models, changed = AddModel(g.Models, f.Model)
	write = write || changed
	g.Last = Latest(g.Last, at)
	rec.PossiblyDuplicated = rec.PossiblyDuplicated || possiblyDuplicated
	rec.UpdatedAt = now
	member := schemas.AlertState{
		Status: schemas.AlertSent, Pass: lead.Pass, UpdatedAt: now,
		Member: &schemas.AlertMember{Group: key, Ordinal: g.Members + 1, Generation: g.Generation, At: at},
	}
	out := Update{Outcome: Grouped, Suppression: reason}
	if write || possiblyDuplicated {
		written := cloneRecord(rec)
		out.Entries = append(out.Entries, alerting.StateEntry{Key: key, State: &written})
	}
	out.Entries = append(out.Entries, alerting.StateEntry{Key: strings.Clone(f.IncidentID), State: &member})
	out.Apply = func() { s.applyMember(p, part, newMember{k, rec, &lead, at, now}) }
	return out
}

// newMember is a member that the log has.
type newMember struct {
	kind    GroupKind
	rec     schemas.AlertState // of the part, without the member
	flag    *schemas.Flag
	at, now time.Time
}

// applyMember adds a member to its part.
func (s *Store) applyMember(p *Partition, part *GroupPart, j newMember) {
	j.rec.Group.Members++
	if part == nil || part.Record.Group.Generation != j.rec.Group.Generation {
		if part != nil {
			if part.Message != nil {
				part.Message.handle(partLost) // the generation that it shows has ended
			}
			s.dropPart(part)
		}
		part = &GroupPart{Group: s.group(j.kind.Key(), j.kind), Partition: p, Record: j.rec}
		s.addPart(part)
		if m := s.messages[j.rec.Group.Message]; m != nil && m.Phase.IsSent() {
			s.Attach(part, m)
		}
	}
	if before := j.rec.Group.Members - 1; before == j.rec.Group.DisplayedCount {
		part.PendingSince, part.nextLead = j.at, j.flag
	}
	s.setRecord(part, j.rec)
	part.noteAdded(j.now)
	part.PossiblyDuplicated = part.PossiblyDuplicated || j.rec.PossiblyDuplicated && !part.Sent()
	s.updateWaiting(part.Group)
	Notify(part.Group.channel.Changes)
}

// partFor returns the part that a member is added to, with its future record. The part is nil when there is none yet. When
// its generation has ended, the record starts the next one. write reports that the log does not have the record.
func (s *Store) partFor(p *Partition, key string, k GroupKind, now time.Time) (part *GroupPart, rec schemas.AlertState, write bool) {
	part = p.parts[key]
	if part != nil && !s.isResolved(part, now) {
		return part, cloneRecord(part.Record), false
	}
	rec = schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Labels: k.Labels, Severity: k.Severity, Generation: now.UnixMilli(), Detector: k.Detector, FiringRate: k.FiringRate,
	}}
	if part != nil {
		rec.Group.PreviousMessage = part.Record.Group.Message
	} else if g := s.Groups[key]; g != nil && s.AcceptsMore(g.Open, now) {
		rec = g.Open.adoptedRecord(rec)
	}
	return part, rec, true
}

// AcceptsMore reports that further incidents may be added to the sent message.
func (s *Store) AcceptsMore(m *Message, now time.Time) bool {
	if m == nil || !m.Phase.IsSent() || m.Phase == Detaching || !now.Before(m.SentAt.Add(s.Options.Repeat)) {
		return false
	}
	return m.HasPending() || now.Before(m.LastActivity().Add(s.Options.Resolve))
}

// adoptedRecord is the record of a part that is attached to a sent message.
func (m *Message) adoptedRecord(rec schemas.AlertState) schemas.AlertState {
	rec = cloneRecord(rec)
	g := rec.Group
	rec.Status, rec.PossiblyDuplicated = schemas.AlertSent, m.duplicateMarked
	rec.Channel, rec.Timestamp = m.Receipt.Channel, m.Receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.SentAt = m.ID, m.Kind, m.Cause, m.SentAt
	return rec
}

// addDeepPass plans the update of an existing member by a deep flag.
func (s *Store) addDeepPass(p *Partition, f *schemas.Flag, was schemas.AlertState, now time.Time) Update {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := Update{Outcome: Suppressed, Suppression: NoEdit, Apply: func() {}}
	member := alerting.StateEntry{Key: strings.Clone(f.IncidentID), State: &was}
	part := p.partOf(was.Member)
	if part == nil || s.isResolved(part, now) {
		out.Entries = []alerting.StateEntry{member} // its group has ended
		return out
	}
	if s.CanEdit || !part.Sent() {
		out.Outcome, out.Suppression = Grouped, ""
	}
	rec, flag := cloneRecord(part.Record), TrimFlag(f)
	changed := rec.Group.Lead != nil && rec.Group.Lead.IncidentID == f.IncidentID
	if changed {
		rec.Group.Lead = &flag
	}
	ranked := false
	if !changed {
		rec.Group.Top, ranked = RankFlag(rec.Group.Top, f)
	}
	rec.UpdatedAt = now
	if changed || ranked {
		rec.Group.Changed = true
		out.Entries = append(out.Entries, alerting.StateEntry{Key: part.Group.Key, State: &rec})
	} else {
		rec = part.Record
	}
	out.Entries = append(out.Entries, member)
	out.Apply = func() { s.applyDeepPass(part, rec, &flag) }
	return out
}

// applyDeepPass applies the deep flag of a member.
func (s *Store) applyDeepPass(part *GroupPart, rec schemas.AlertState, flag *schemas.Flag) {
	s.setRecord(part, rec)
	if part.nextLead != nil && part.nextLead.IncidentID == flag.IncidentID {
		part.nextLead = flag
	}
	if part.Sent() && s.CanEdit {
		part.Message.handle(editRequested)
		s.AddReply(part.Message, flag)
		Notify(part.Group.channel.Changes)
	}
}

// AddBrokenDetector plans a message about a detector with an anomalous firing rate. It repeats after the repeat interval.
// Each configured tenant gets its own message in its own channel, because the message shows evidence.
func (s *Store) AddBrokenDetector(p *Partition, f *schemas.Flag, detector string, now time.Time) Update {
	k := GroupKind{
		Severity: schemas.SeverityNormal, Detector: Truncate(detector, MaxLabel), FiringRate: f.AnomalousRates[detector],
		Labels: schemas.AlertGroupLabels{Tenant: s.Policy.Scope(f.Tenant), Detectors: []string{Truncate(detector, MaxLabel)}},
	}
	key := k.Key()
	if s.isSilenced(key, schemas.AlertGroupLabels{Tenant: f.Tenant, Detectors: []string{detector}}, now) {
		return Update{}
	}
	if g := s.Groups[key]; g != nil {
		for _, part := range g.Parts {
			if s.isResolved(part, now) {
				continue
			}
			part.noteAdded(now)
			if part.Pending() > 0 || part.Sent() && now.Before(part.Message.SentAt.Add(s.Options.Repeat)) {
				return Update{} // a message shows it, or will
			}
		}
	}
	part, rec, _ := s.partFor(p, key, k, now)
	lead := TrimFlag(f)
	at := DetectedAt(f, now)
	g := rec.Group
	g.First, g.Last, g.Lead, g.FiringRate = at, at, &lead, k.FiringRate
	g.Models, _ = AddModel(g.Models, f.Model)
	rec.UpdatedAt = now
	written := cloneRecord(rec)
	written.Group.Members++
	return Update{
		Entries: []alerting.StateEntry{{Key: key, State: &written}},
		Apply:   func() { s.applyMember(p, part, newMember{k, rec, &lead, at, now}) },
	}
}
