package state

import (
	"strings"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Update is what follows from a flag: what to write, and what to do to the book once it is written.
type Update struct {
	Outcome     Outcome
	Suppression Suppression
	Entries     []alertlog.Entry
	Apply       func()
}

// Suppress is a plan that changes nothing.
func Suppress(why Suppression) Update { return Update{Outcome: Suppressed, Suppression: why} }

// KindOf is the group that an incident belongs to.
func (s *Store) KindOf(f *schemas.Flag) alertlog.GroupKind {
	return alertlog.KindOf(f, s.Policy.Severity(f), s.Options.By)
}

// AddIncident plans what follows from a flag whose rule holds, given what the log says of its incident.
func (s *Store) AddIncident(p *Partition, f *schemas.Flag, now time.Time) Update {
	was, known := p.log.Get(f.IncidentID)
	said := s.Feedback.ByIncident[f.IncidentID]
	switch {
	case known && was.Status == schemas.AlertLabelled || !known && len(said) > 0:
		return Suppress(Labelled)
	case s.isSilenced(s.KindOf(f).Key(), alertlog.LabelsOf(f), now):
		return Suppress(Silenced)
	case known && was.Member != nil:
		if was.Pass == schemas.PassDeep || f.Pass != schemas.PassDeep {
			return Suppress(AlreadyNotified)
		}
		return s.addDeepPass(p, f, was, now)
	}
	// A known record that is neither cannot be read, see [Log]: the incident may have been told.
	return s.addMember(p, f, known, now)
}

// addMember plans a new member of a group. One that is new and does not fit into the state is counted in the group of its pool.
func (s *Store) addMember(p *Partition, f *schemas.Flag, mayRepeat bool, now time.Time) Update {
	k := s.KindOf(f)
	key := k.Key()
	pool, reason := s.pool(k.Labels.Tenant), Suppression("")
	if _, overflows := p.overflow[key]; overflows || p.parts[key] == nil && !s.admits(pool) {
		k, reason = alertlog.PoolGroup(pool, k.Severity), StateLimit
		key = k.Key()
	}
	part, rec, write := s.partFor(p, key, k, now)
	g := rec.Group
	at := alertlog.DetectedAt(f, now)
	lead, changed := alertlog.TrimFlag(f), false
	if g.Members == g.CountOffset {
		alertlog.SetLead(g, &lead, at)
		write = true
	} else {
		g.Top, changed = alertlog.RankFlag(g.Top, f)
	}
	write = write || changed
	g.Models, changed = alertlog.AddModel(g.Models, f.Model)
	write = write || changed
	g.Last = alertlog.Latest(g.Last, at)
	rec.PossiblyDuplicated = rec.PossiblyDuplicated || mayRepeat
	rec.UpdatedAt = now
	member := schemas.AlertState{
		Status: schemas.AlertSent, Pass: lead.Pass, UpdatedAt: now,
		Member: &schemas.AlertMember{Group: key, Ordinal: g.Members + 1, Generation: g.Generation, At: at},
	}
	out := Update{Outcome: Grouped, Suppression: reason}
	if write || mayRepeat {
		written, life := rec, *g
		written.Group = &life
		out.Entries = append(out.Entries, alertlog.Entry{Key: key, State: &written})
	}
	out.Entries = append(out.Entries, alertlog.Entry{Key: strings.Clone(f.IncidentID), State: &member})
	out.Apply = func() { s.applyMembers(p, part, newMembers{k, rec, &lead, at, now, 1}) }
	return out
}

// newMembers is a member that the log has.
type newMembers struct {
	kind    alertlog.GroupKind
	rec     schemas.AlertState // of its portion, without it
	flag    *schemas.Flag
	at, now time.Time
	count   int64 // of members
}

// applyMembers applies a new member.
func (s *Store) applyMembers(p *Partition, part *GroupPart, j newMembers) {
	j.rec.Group.Members += j.count
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
	if before := j.rec.Group.Members - j.count; before == j.rec.Group.DisplayedCount {
		part.PendingSince, part.nextLead = j.at, j.flag
	}
	s.setRecord(part, j.rec)
	part.noteAdded(j.now)
	part.PossiblyDuplicated = part.PossiblyDuplicated || j.rec.PossiblyDuplicated && !part.Sent()
	s.updateWaiting(part.Group)
	Notify(part.Group.channel.Changes)
}

// partFor is the portion that a member joins, with its record as it will be. p is nil when there is none yet; when its
// life is over, the record is that of the next one. write says that the log does not have the record.
func (s *Store) partFor(p *Partition, key string, k alertlog.GroupKind, now time.Time) (part *GroupPart, rec schemas.AlertState, write bool) {
	part = p.parts[key]
	if part != nil && !s.isResolved(part, now) {
		return part, part.copyRecord(), false
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

// AcceptsMore reports that further incidents may join the message, which stands in its channel already.
func (s *Store) AcceptsMore(m *Message, now time.Time) bool {
	if m == nil || !m.Phase.IsSent() || m.Phase == Detaching || !now.Before(m.SentAt.Add(s.Options.Repeat)) {
		return false
	}
	return m.HasPending() || now.Before(m.LastActivity().Add(s.Options.Resolve))
}

// adoptedRecord is the record of a portion that joins a message that was told without it.
func (m *Message) adoptedRecord(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	rec.Status, rec.PossiblyDuplicated = schemas.AlertSent, m.duplicateMarked
	rec.Channel, rec.Timestamp = m.Receipt.Channel, m.Receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.SentAt = m.ID, m.Kind, m.Cause, m.SentAt
	return rec
}

// addDeepPass plans the deep look at an incident that is a member already.
func (s *Store) addDeepPass(p *Partition, f *schemas.Flag, was schemas.AlertState, now time.Time) Update {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := Update{Outcome: Suppressed, Suppression: NoEdit, Apply: func() {}}
	member := alertlog.Entry{Key: strings.Clone(f.IncidentID), State: &was}
	part := p.partOf(was.Member)
	if part == nil || s.isResolved(part, now) {
		out.Entries = []alertlog.Entry{member} // its group is over
		return out
	}
	if s.CanEdit || !part.Sent() {
		out.Outcome, out.Suppression = Grouped, ""
	}
	rec, flag := part.copyRecord(), alertlog.TrimFlag(f)
	changed := rec.Group.Lead != nil && rec.Group.Lead.IncidentID == f.IncidentID
	if changed {
		rec.Group.Lead = &flag
	}
	ranked := false
	if !changed {
		rec.Group.Top, ranked = alertlog.RankFlag(rec.Group.Top, f)
	}
	rec.UpdatedAt = now
	if changed || ranked {
		rec.Group.Changed = true
		out.Entries = append(out.Entries, alertlog.Entry{Key: part.Group.Key, State: &rec})
	} else {
		rec = part.Record
	}
	out.Entries = append(out.Entries, member)
	out.Apply = func() { s.applyDeepPass(part, rec, &flag) }
	return out
}

// applyDeepPass applies a deep look.
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

// AddBrokenDetector plans the notice that a detector fires on an unusual share of the traffic. It is repeated while that goes on. Each
// tenant that the configuration names has its own, in its own channel, since it shows evidence.
func (s *Store) AddBrokenDetector(p *Partition, f *schemas.Flag, detector string, now time.Time) Update {
	k := alertlog.GroupKind{
		Severity: schemas.SeverityNormal, Detector: alertlog.Truncate(detector, alertlog.MaxLabel), FiringRate: f.AnomalousRates[detector],
		Labels: schemas.AlertGroupLabels{Tenant: s.Policy.Scope(f.Tenant), Detectors: []string{alertlog.Truncate(detector, alertlog.MaxLabel)}},
	}
	key := k.Key()
	if _, overflows := p.overflow[key]; overflows {
		return Update{}
	}
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
				return Update{} // it is told, or about to be
			}
		}
	}
	part, rec, _ := s.partFor(p, key, k, now)
	lead := alertlog.TrimFlag(f)
	at := alertlog.DetectedAt(f, now)
	g := rec.Group
	g.First, g.Last, g.Lead, g.FiringRate = at, at, &lead, k.FiringRate
	g.Models, _ = alertlog.AddModel(g.Models, f.Model)
	rec.UpdatedAt = now
	written, life := rec, *g
	life.Members++
	written.Group = &life
	return Update{
		Entries: []alertlog.Entry{{Key: key, State: &written}},
		Apply:   func() { s.applyMembers(p, part, newMembers{k, rec, &lead, at, now, 1}) },
	}
}
