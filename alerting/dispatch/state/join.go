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
	return alertlog.KindOf(f, b.Policy.Severity(f), b.Options.By)
}

// Join plans what follows from a flag whose rule holds, given what the log says of its incident.
func (b *Store) Join(s *Partition, f *schemas.Flag, now time.Time) Update {
	was, known := s.log.Get(f.IncidentID)
	said := b.Feedback.ByIncident[f.IncidentID]
	switch {
	case known && was.Status == schemas.AlertLabelled || !known && len(said) > 0:
		return Suppress(Labelled)
	case b.silenced(b.KindOf(f).Key(), alertlog.LabelsOf(f), now):
		return Suppress(Silenced)
	case known && was.Member != nil:
		if was.Pass == schemas.PassDeep || f.Pass != schemas.PassDeep {
			return Suppress(AlreadyTold)
		}
		return b.advance(s, f, was, now)
	}
	// A known record that is neither cannot be read, see [Log]: the incident may have been told.
	return b.member(s, f, known, now)
}

// member plans a new member of a group. One that is new and does not fit into the state is counted in the group of its pool.
func (b *Store) member(s *Partition, f *schemas.Flag, mayRepeat bool, now time.Time) Update {
	k := b.KindOf(f)
	key := k.Key()
	pool, reason := b.pool(k.Labels.Tenant), Suppression("")
	if _, overflows := s.overflow[key]; overflows || s.portions[key] == nil && !b.admits(pool) {
		k, reason = alertlog.PoolGroup(pool, k.Lane), StateLimit
		key = k.Key()
	}
	p, rec, write := b.place(s, key, k, now)
	g := rec.Group
	at := alertlog.DetectedAt(f, now)
	lead, changed := alertlog.TrimFlag(f), false
	if g.Members == g.Base {
		alertlog.SetLead(g, &lead, at)
		write = true
	} else {
		g.Top, changed = alertlog.RankFlag(g.Top, f)
	}
	write = write || changed
	g.Models, changed = alertlog.AddModel(g.Models, f.Model)
	write = write || changed
	g.Last = alertlog.Latest(g.Last, at)
	rec.MayRepeat = rec.MayRepeat || mayRepeat
	rec.UpdatedAt = now
	member := schemas.AlertState{
		Status: schemas.AlertSent, Pass: lead.Pass, UpdatedAt: now,
		Member: &schemas.AlertMember{Group: key, Ordinal: g.Members + 1, Life: g.Life, At: at},
	}
	out := Update{Outcome: Grouped, Suppression: reason}
	if write || mayRepeat {
		written, life := rec, *g
		written.Group = &life
		out.Entries = append(out.Entries, alertlog.Entry{Key: key, State: &written})
	}
	out.Entries = append(out.Entries, alertlog.Entry{Key: strings.Clone(f.IncidentID), State: &member})
	out.Apply = func() { b.joined(s, p, joining{k, rec, &lead, at, now, 1}) }
	return out
}

// joining is a member that the log has.
type joining struct {
	kind    alertlog.GroupKind
	rec     schemas.AlertState // of its portion, without it
	flag    *schemas.Flag
	at, now time.Time
	count   int64 // of members
}

// joined applies a new member.
func (b *Store) joined(s *Partition, p *GroupPart, j joining) {
	j.rec.Group.Members += j.count
	if p == nil || p.Record.Group.Life != j.rec.Group.Life {
		if p != nil {
			if p.Message != nil {
				p.Message.Orphaned = true // the life that it told of is over
				p.Message.MarkChanged()
			}
			b.drop(p)
		}
		p = &GroupPart{Group: b.group(j.kind.Key(), j.kind), Partition: s, Record: j.rec}
		b.add(p)
		if m := b.messages[j.rec.Group.Message]; m != nil && m.Sent {
			b.Attach(p, m)
		}
	}
	if before := j.rec.Group.Members - j.count; before == j.rec.Group.Shown {
		p.PendingSince, p.next = j.at, j.flag
	}
	b.set(p, j.rec)
	p.touch(j.now)
	p.PossiblyDuplicated = p.PossiblyDuplicated || j.rec.MayRepeat && !p.Sent()
	b.refresh(p.Group)
	Notify(p.Group.channel.Changes)
}

// place is the portion that a member joins, with its record as it will be. p is nil when there is none yet; when its
// life is over, the record is that of the next one. write says that the log does not have the record.
func (b *Store) place(s *Partition, key string, k alertlog.GroupKind, now time.Time) (p *GroupPart, rec schemas.AlertState, write bool) {
	p = s.portions[key]
	if p != nil && !b.over(p, now) {
		return p, p.record(), false
	}
	rec = schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Labels: k.Labels, Lane: k.Lane, Life: now.UnixMilli(), Detector: k.Detector, Share: k.Share,
	}}
	if p != nil {
		rec.Group.Left = p.Record.Group.Message
	} else if g := b.Groups[key]; g != nil && b.AcceptsMore(g.Open, now) {
		rec = g.Open.adopt(rec)
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

// adopt is the record of a portion that joins a message that was told without it.
func (m *Message) adopt(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	rec.Status, rec.MayRepeat = schemas.AlertSent, m.marked
	rec.Channel, rec.Timestamp = m.Receipt.Channel, m.Receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.Opened = m.id, m.Kind, m.Cause, m.SentAt
	return rec
}

// advance plans the deep look at an incident that is a member already.
func (b *Store) advance(s *Partition, f *schemas.Flag, was schemas.AlertState, now time.Time) Update {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := Update{Outcome: Suppressed, Suppression: NoEdit, Apply: func() {}}
	member := alertlog.Entry{Key: strings.Clone(f.IncidentID), State: &was}
	p := s.portionOf(was.Member)
	if p == nil || b.over(p, now) {
		out.Entries = []alertlog.Entry{member} // its group is over
		return out
	}
	if b.CanEdit || !p.Sent() {
		out.Outcome, out.Suppression = Grouped, ""
	}
	rec, flag := p.record(), alertlog.TrimFlag(f)
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
	out.Apply = func() { b.advanced(p, rec, &flag) }
	return out
}

// advanced applies a deep look.
func (b *Store) advanced(p *GroupPart, rec schemas.AlertState, flag *schemas.Flag) {
	b.set(p, rec)
	if p.next != nil && p.next.IncidentID == flag.IncidentID {
		p.next = flag
	}
	if p.Sent() && b.CanEdit {
		p.Message.Urgent = true
		p.Message.MarkChanged()
		b.AddReply(p.Message, flag)
		Notify(p.Group.channel.Changes)
	}
}

// JoinBroken plans the notice that a detector fires on an unusual share of the traffic. It is repeated while that goes on. Each
// tenant that the configuration names has its own, in its own channel, since it shows evidence.
func (b *Store) JoinBroken(s *Partition, f *schemas.Flag, detector string, now time.Time) Update {
	k := alertlog.GroupKind{
		Lane: schemas.LaneNormal, Detector: alertlog.Truncate(detector, alertlog.MaxLabel), Share: f.Unusual[detector],
		Labels: schemas.AlertGroupLabels{Tenant: b.Policy.Scope(f.Tenant), Detectors: []string{alertlog.Truncate(detector, alertlog.MaxLabel)}},
	}
	key := k.Key()
	if _, overflows := s.overflow[key]; overflows {
		return Update{}
	}
	if b.silenced(key, schemas.AlertGroupLabels{Tenant: f.Tenant, Detectors: []string{detector}}, now) {
		return Update{}
	}
	if g := b.Groups[key]; g != nil {
		for _, p := range g.Parts {
			if b.over(p, now) {
				continue
			}
			p.touch(now)
			if p.Pending() > 0 || p.Sent() && now.Before(p.Message.SentAt.Add(b.Options.Repeat)) {
				return Update{} // it is told, or about to be
			}
		}
	}
	p, rec, _ := b.place(s, key, k, now)
	lead := alertlog.TrimFlag(f)
	at := alertlog.DetectedAt(f, now)
	g := rec.Group
	g.First, g.Last, g.Lead, g.Share = at, at, &lead, k.Share
	g.Models, _ = alertlog.AddModel(g.Models, f.Model)
	rec.UpdatedAt = now
	written, life := rec, *g
	life.Members++
	written.Group = &life
	return Update{
		Entries: []alertlog.Entry{{Key: key, State: &written}},
		Apply:   func() { b.joined(s, p, joining{k, rec, &lead, at, now, 1}) },
	}
}
