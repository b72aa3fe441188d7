package alerting

import (
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// plan is what follows from a flag: what to write, and what to do to the book once it is written.
type plan struct {
	outcome  Outcome
	suppress Suppression
	entries  []Entry
	apply    func()
}

// suppressed is a plan that changes nothing.
func suppressed(why Suppression) plan { return plan{outcome: Suppressed, suppress: why} }

// kindOf is the group that an incident belongs to.
func (b *book) kindOf(f *schemas.Flag) groupKind { return kindOf(f, b.policy.Lane(f), b.opts.By) }

// join plans what follows from a flag whose rule holds, given what the log says of its incident.
func (b *book) join(s *shelf, f *schemas.Flag, now time.Time) plan {
	was, known := s.log.Get(f.IncidentID)
	said := b.labels.by[f.IncidentID]
	switch {
	case known && was.Status == schemas.AlertLabelled || !known && len(said) > 0:
		return suppressed(Labelled)
	case b.silenced(b.kindOf(f).key(), allLabels(f), now):
		return suppressed(Silenced)
	case known && was.Member != nil:
		if was.Pass == schemas.PassDeep || f.Pass != schemas.PassDeep {
			return suppressed(AlreadyTold)
		}
		return b.advance(s, f, was, now)
	}
	// A known record that is neither cannot be read, see [Log]: the incident may have been told.
	return b.member(s, f, known, now)
}

// member plans a new member of a group. One that is new and does not fit into the state is counted in the group of its pool.
func (b *book) member(s *shelf, f *schemas.Flag, mayRepeat bool, now time.Time) plan {
	k := b.kindOf(f)
	key := k.key()
	pool, reason := b.pool(k.labels.Tenant), Suppression("")
	if _, overflows := s.overflow[key]; overflows || s.portions[key] == nil && !b.admits(pool) {
		k, reason = poolGroup(pool, k.lane), StateLimit
		key = k.key()
	}
	p, rec, write := b.place(s, key, k, now)
	g := rec.Group
	at := detected(f, now)
	lead, changed := slim(f), false
	if g.Members == g.Base {
		newLead(g, &lead, at)
		write = true
	} else {
		g.Top, changed = rank(g.Top, f)
	}
	write = write || changed
	g.Models, changed = withModel(g.Models, f.Model)
	write = write || changed
	g.Last = latest(g.Last, at)
	rec.MayRepeat = rec.MayRepeat || mayRepeat
	rec.UpdatedAt = now
	member := schemas.AlertState{
		Status: schemas.AlertSent, Pass: lead.Pass, UpdatedAt: now,
		Member: &schemas.AlertMember{Group: key, Ordinal: g.Members + 1, Life: g.Life, At: at},
	}
	out := plan{outcome: Grouped, suppress: reason}
	if write || mayRepeat {
		written, life := rec, *g
		written.Group = &life
		out.entries = append(out.entries, Entry{Key: key, State: &written})
	}
	out.entries = append(out.entries, Entry{Key: strings.Clone(f.IncidentID), State: &member})
	out.apply = func() { b.joined(s, p, joining{k, rec, &lead, at, now, 1}) }
	return out
}

// newLead makes f the first incident of what is told next. The lead before stays among the riskiest.
func newLead(g *schemas.AlertGroupState, f *schemas.Flag, first time.Time) {
	if g.Lead != nil && g.Detector == "" {
		g.Top, _ = rank(g.Top, g.Lead)
	}
	g.Lead, g.First, g.Feedback = f, first, nil
	g.Top = slices.DeleteFunc(slices.Clone(g.Top), func(t schemas.Flag) bool { return t.IncidentID == f.IncidentID })
}

// poolGroup is the group that counts what does not fit into the state.
func poolGroup(pool string, lane schemas.Lane) groupKind {
	return groupKind{lane: lane, labels: schemas.AlertGroupLabels{Tenant: pool}}
}

// joining is a member that the log has.
type joining struct {
	kind    groupKind
	rec     schemas.AlertState // of its portion, without it
	flag    *schemas.Flag
	at, now time.Time
	count   int64 // of members
}

// joined applies a new member.
func (b *book) joined(s *shelf, p *portion, j joining) {
	j.rec.Group.Members += j.count
	if p == nil || p.rec.Group.Life != j.rec.Group.Life {
		if p != nil {
			if p.msg != nil {
				p.msg.torn = true // the life that it told of is over
				p.msg.changed()
			}
			b.drop(p)
		}
		p = &portion{group: b.group(j.kind.key(), j.kind), shelf: s, rec: j.rec}
		b.add(p)
		if m := b.messages[j.rec.Group.Message]; m != nil && m.told {
			b.attach(p, m)
		}
	}
	if before := j.rec.Group.Members - j.count; before == j.rec.Group.Shown {
		p.since, p.next = j.at, j.flag
	}
	b.set(p, j.rec)
	p.touch(j.now)
	p.doubt = p.doubt || j.rec.MayRepeat && !p.told()
	b.refresh(p.group)
	poke(p.group.channel.poke)
}

// place is the portion that a member joins, with its record as it will be. p is nil when there is none yet; when its
// life is over, the record is that of the next one. write says that the log does not have the record.
func (b *book) place(s *shelf, key string, k groupKind, now time.Time) (p *portion, rec schemas.AlertState, write bool) {
	p = s.portions[key]
	if p != nil && !b.over(p, now) {
		return p, p.record(), false
	}
	rec = schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Labels: k.labels, Lane: k.lane, Life: now.UnixMilli(), Detector: k.detector, Share: k.share,
	}}
	if p != nil {
		rec.Group.Left = p.rec.Group.Message
	} else if g := b.groups[key]; g != nil && b.open(g.live, now) {
		rec = g.live.adopt(rec)
	}
	return p, rec, true
}

// open reports that further incidents may join the message, which stands in its channel already.
func (b *book) open(m *notice, now time.Time) bool {
	if m == nil || !m.told || m.torn || !now.Before(m.opened.Add(b.opts.Repeat)) {
		return false
	}
	return m.behind() || now.Before(m.touched().Add(b.opts.Resolve))
}

// adopt is the record of a portion that joins a message that was told without it.
func (m *notice) adopt(rec schemas.AlertState) schemas.AlertState {
	g := *rec.Group
	rec.Group = &g
	rec.Status, rec.MayRepeat = schemas.AlertSent, m.marked
	rec.Channel, rec.Timestamp = m.receipt.Channel, m.receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.Opened = m.id, m.kind, m.cause, m.opened
	return rec
}

// advance plans the deep look at an incident that is a member already.
func (b *book) advance(s *shelf, f *schemas.Flag, was schemas.AlertState, now time.Time) plan {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := plan{outcome: Suppressed, suppress: NoEdit, apply: func() {}}
	member := Entry{Key: strings.Clone(f.IncidentID), State: &was}
	p := s.portionOf(was.Member)
	if p == nil || b.over(p, now) {
		out.entries = []Entry{member} // its group is over
		return out
	}
	if b.edits || !p.told() {
		out.outcome, out.suppress = Grouped, ""
	}
	rec, flag := p.record(), slim(f)
	changed := rec.Group.Lead != nil && rec.Group.Lead.IncidentID == f.IncidentID
	if changed {
		rec.Group.Lead = &flag
	}
	ranked := false
	if !changed {
		rec.Group.Top, ranked = rank(rec.Group.Top, f)
	}
	rec.UpdatedAt = now
	if changed || ranked {
		rec.Group.Changed = true
		out.entries = append(out.entries, Entry{Key: p.group.key, State: &rec})
	} else {
		rec = p.rec
	}
	out.entries = append(out.entries, member)
	out.apply = func() { b.advanced(p, rec, &flag) }
	return out
}

// advanced applies a deep look.
func (b *book) advanced(p *portion, rec schemas.AlertState, flag *schemas.Flag) {
	b.set(p, rec)
	if p.next != nil && p.next.IncidentID == flag.IncidentID {
		p.next = flag
	}
	if p.told() && b.edits {
		p.msg.urgent = true
		p.msg.changed()
		b.reply(p.msg, flag)
		poke(p.group.channel.poke)
	}
}

// portionOf is the portion that a member belongs to, nil when that is over.
func (s *shelf) portionOf(m *schemas.AlertMember) *portion {
	if p := s.portions[m.Group]; p != nil && p.rec.Group.Life == m.Life {
		return p
	}
	return nil
}

// broken plans the notice that a detector fires on an unusual share of the traffic. It is repeated while that goes on. Each
// tenant that the configuration names has its own, in its own channel, since it shows evidence.
func (b *book) broken(s *shelf, f *schemas.Flag, detector string, now time.Time) plan {
	k := groupKind{
		lane: schemas.LaneNormal, detector: cut(detector, maxKeptLabel), share: f.Unusual[detector],
		labels: schemas.AlertGroupLabels{Tenant: b.policy.Scope(f.Tenant), Detectors: []string{cut(detector, maxKeptLabel)}},
	}
	key := k.key()
	if _, overflows := s.overflow[key]; overflows {
		return plan{}
	}
	if b.silenced(key, schemas.AlertGroupLabels{Tenant: f.Tenant, Detectors: []string{detector}}, now) {
		return plan{}
	}
	if g := b.groups[key]; g != nil {
		for _, p := range g.portions {
			if b.over(p, now) {
				continue
			}
			p.touch(now)
			if p.untold() > 0 || p.told() && now.Before(p.msg.opened.Add(b.opts.Repeat)) {
				return plan{} // it is told, or about to be
			}
		}
	}
	p, rec, _ := b.place(s, key, k, now)
	lead := slim(f)
	at := detected(f, now)
	g := rec.Group
	g.First, g.Last, g.Lead, g.Share = at, at, &lead, k.share
	g.Models, _ = withModel(g.Models, f.Model)
	rec.UpdatedAt = now
	written, life := rec, *g
	life.Members++
	written.Group = &life
	return plan{
		entries: []Entry{{Key: key, State: &written}},
		apply:   func() { b.joined(s, p, joining{k, rec, &lead, at, now, 1}) },
	}
}

// detected is when the flag was made, as far as that can be believed.
func detected(f *schemas.Flag, now time.Time) time.Time {
	if f.DetectedAt.IsZero() || f.DetectedAt.After(now) {
		return now
	}
	return f.DetectedAt
}

// reply notes details to be added below a message.
func (b *book) reply(m *notice, f *schemas.Flag) {
	if b.replies && m.kind == schemas.AlertGroup && len(m.channel.replies) < maxReplies {
		m.channel.replies = append(m.channel.replies, reply{m, *f})
	}
}
