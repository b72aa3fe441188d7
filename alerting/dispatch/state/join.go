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
func (b *Store) KindOf(f *schemas.Flag) alertlog.GroupKind {
	return alertlog.KindOf(f, b.Policy.Lane(f), b.Options.By)
}

// AddIncident plans what follows from a flag whose rule holds, given what the log says of its incident.
func (b *Store) AddIncident(s *Partition, f *schemas.Flag, now time.Time) Update {
	was, known := s.log.Get(f.IncidentID)
	said := b.Feedback.ByIncident[f.IncidentID]
	switch {
	case known && was.Status == schemas.AlertLabelled || !known && len(said) > 0:
		return Suppress(Labelled)
	case b.isSilenced(b.KindOf(f).Key(), alertlog.LabelsOf(f), now):
		return Suppress(Silenced)
	case known && was.Member != nil:
		if was.Pass == schemas.PassDeep || f.Pass != schemas.PassDeep {
			return Suppress(AlreadyNotified)
		}
		return b.addDeepPass(s, f, was, now)
	}
	// A known record that is neither cannot be read, see [Log]: the incident may have been told.
	return b.addMember(s, f, known, now)
}

// addMember plans a new member of a group. One that is new and does not fit into the state is counted in the group of its pool.
func (b *Store) addMember(s *Partition, f *schemas.Flag, mayRepeat bool, now time.Time) Update {
	k := b.KindOf(f)
	key := k.Key()
	pool, reason := b.pool(k.Labels.Tenant), Suppression("")
	if _, overflows := s.overflow[key]; overflows || s.parts[key] == nil && !b.admits(pool) {
		k, reason = alertlog.PoolGroup(pool, k.Severity), StateLimit
		key = k.Key()
	}
	p, rec, write := b.partFor(s, key, k, now)
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
	out.Apply = func() { b.applyMembers(s, p, newMembers{k, rec, &lead, at, now, 1}) }
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
func (b *Store) applyMembers(s *Partition, p *GroupPart, j newMembers) {
	j.rec.Group.Members += j.count
	if p == nil || p.Record.Group.Generation != j.rec.Group.Generation {
		if p != nil {
			if p.Message != nil {
				p.Message.Orphaned = true // the life that it told of is over
				p.Message.MarkChanged()
			}
			b.dropPart(p)
		}
		p = &GroupPart{Group: b.group(j.kind.Key(), j.kind), Partition: s, Record: j.rec}
		b.addPart(p)
		if m := b.messages[j.rec.Group.Message]; m != nil && m.Sent {
			b.Attach(p, m)
		}
	}
	if before := j.rec.Group.Members - j.count; before == j.rec.Group.DisplayedCount {
		p.PendingSince, p.nextLead = j.at, j.flag
	}
	b.setRecord(p, j.rec)
	p.noteAdded(j.now)
	p.PossiblyDuplicated = p.PossiblyDuplicated || j.rec.PossiblyDuplicated && !p.Sent()
	b.updateWaiting(p.Group)
	Notify(p.Group.channel.Changes)
}

// partFor is the portion that a member joins, with its record as it will be. p is nil when there is none yet; when its
// life is over, the record is that of the next one. write says that the log does not have the record.
func (b *Store) partFor(s *Partition, key string, k alertlog.GroupKind, now time.Time) (p *GroupPart, rec schemas.AlertState, write bool) {
	p = s.parts[key]
	if p != nil && !b.isResolved(p, now) {
		return p, p.copyRecord(), false
	}
	rec = schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Labels: k.Labels, Severity: k.Severity, Generation: now.UnixMilli(), Detector: k.Detector, FiringRate: k.FiringRate,
	}}
	if p != nil {
		rec.Group.PreviousMessage = p.Record.Group.Message
	} else if g := b.Groups[key]; g != nil && b.AcceptsMore(g.Open, now) {
		rec = g.Open.adoptedRecord(rec)
	}
	return p, rec, true
}

// AcceptsMore reports that further incidents may join the message, which stands in its channel already.
func (b *Store) AcceptsMore(m *Message, now time.Time) bool {
	if m == nil || !m.Sent || m.Orphaned || !now.Before(m.SentAt.Add(b.Options.Repeat)) {
		return false
	}
	return m.HasPending() || now.Before(m.LastActivity().Add(b.Options.Resolve))
}

// adoptedRecord is the record of a portion that joins a message that was told without it.
func (m *Message) adoptedRecord(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	rec.Status, rec.PossiblyDuplicated = schemas.AlertSent, m.marked
	rec.Channel, rec.Timestamp = m.Receipt.Channel, m.Receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.SentAt = m.id, m.Kind, m.Cause, m.SentAt
	return rec
}

// addDeepPass plans the deep look at an incident that is a member already.
func (b *Store) addDeepPass(s *Partition, f *schemas.Flag, was schemas.AlertState, now time.Time) Update {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := Update{Outcome: Suppressed, Suppression: NoEdit, Apply: func() {}}
	member := alertlog.Entry{Key: strings.Clone(f.IncidentID), State: &was}
	p := s.partOf(was.Member)
	if p == nil || b.isResolved(p, now) {
		out.Entries = []alertlog.Entry{member} // its group is over
		return out
	}
	if b.CanEdit || !p.Sent() {
		out.Outcome, out.Suppression = Grouped, ""
	}
	rec, flag := p.copyRecord(), alertlog.TrimFlag(f)
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
		out.Entries = append(out.Entries, alertlog.Entry{Key: p.Group.Key, State: &rec})
	} else {
		rec = p.Record
	}
	out.Entries = append(out.Entries, member)
	out.Apply = func() { b.applyDeepPass(p, rec, &flag) }
	return out
}

// applyDeepPass applies a deep look.
func (b *Store) applyDeepPass(p *GroupPart, rec schemas.AlertState, flag *schemas.Flag) {
	b.setRecord(p, rec)
	if p.nextLead != nil && p.nextLead.IncidentID == flag.IncidentID {
		p.nextLead = flag
	}
	if p.Sent() && b.CanEdit {
		p.Message.Urgent = true
		p.Message.MarkChanged()
		b.AddReply(p.Message, flag)
		Notify(p.Group.channel.Changes)
	}
}

// AddBrokenDetector plans the notice that a detector fires on an unusual share of the traffic. It is repeated while that goes on. Each
// tenant that the configuration names has its own, in its own channel, since it shows evidence.
func (b *Store) AddBrokenDetector(s *Partition, f *schemas.Flag, detector string, now time.Time) Update {
	k := alertlog.GroupKind{
		Severity: schemas.SeverityNormal, Detector: alertlog.Truncate(detector, alertlog.MaxLabel), FiringRate: f.AnomalousRates[detector],
		Labels: schemas.AlertGroupLabels{Tenant: b.Policy.Scope(f.Tenant), Detectors: []string{alertlog.Truncate(detector, alertlog.MaxLabel)}},
	}
	key := k.Key()
	if _, overflows := s.overflow[key]; overflows {
		return Update{}
	}
	if b.isSilenced(key, schemas.AlertGroupLabels{Tenant: f.Tenant, Detectors: []string{detector}}, now) {
		return Update{}
	}
	if g := b.Groups[key]; g != nil {
		for _, p := range g.Parts {
			if b.isResolved(p, now) {
				continue
			}
			p.noteAdded(now)
			if p.Pending() > 0 || p.Sent() && now.Before(p.Message.SentAt.Add(b.Options.Repeat)) {
				return Update{} // it is told, or about to be
			}
		}
	}
	p, rec, _ := b.partFor(s, key, k, now)
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
		Apply:   func() { b.applyMembers(s, p, newMembers{k, rec, &lead, at, now, 1}) },
	}
}
