package dispatch

import (
	"strings"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// update is the result of a flag or another event: what to write, and what to apply to the store once it is written.
type update struct {
	outcome     Outcome
	suppression suppression
	unconfirmed bool // it joins a group without the second opinion that was due
	entries     []alerting.StateEntry
	apply       func()
}

// suppress is an update that changes nothing.
func suppress(why suppression) update { return update{outcome: Suppressed, suppression: why} }

// kindOf is the group that an incident belongs to.
func (s *store) kindOf(f *schemas.Flag) groupKind {
	return groupKindOf(f, s.policy.Severity(f), s.options.By)
}

// incidentState is what the log has about an incident.
type incidentState int

const (
	unknownIncident    incidentState = iota
	unreadableIncident               // a record that cannot be read, see [alerting.StateLog]: a message may show the incident
	fastMember                       // of a group, by its fast flag
	deepMember
	labelledIncident
	waitingIncident // for a second opinion
	clearedIncident // by a second opinion
	incidentStates  = int(iota)
)

// report is what a flag says about its incident.
type report int

const (
	fastAlert   report = iota // the alert rule holds
	deepAlert                 // it holds with all detectors
	deepCleared               // it would hold without the judge
	deepQuiet                 // it does not hold with all detectors
	reports     = int(iota)
)

func (s *store) reportOf(f *schemas.Flag) report {
	switch {
	case f.Pass != schemas.PassDeep:
		return fastAlert
	case f.Alert:
		return deepAlert
	case s.policy.Cleared(f):
		return deepCleared
	}
	return deepQuiet
}

// action is what follows from a flag.
type action int

const (
	nothing    action = iota
	join              // the incident becomes a member of its group, or waits for its second opinion
	joinMarked        // it becomes a member, possibly for the second time
	improve           // the message shows the deep flag instead
	repeated          // nothing: a message shows the incident, by this pass or a better one
	decided           // nothing: a person has labelled the incident
	hold              // nothing: it waits
	drop              // no message will show it
	isCleared         // nothing: none will
)

// actionOf is the complete table of what follows from a flag. The first deep flag decides; of a waiting incident the rule need
// not hold in it.
func (st incidentState) actionOf(r report) action {
	return [incidentStates][reports]action{
		unknownIncident:    {join, join, drop, nothing},
		unreadableIncident: {joinMarked, joinMarked, nothing, nothing},
		fastMember:         {repeated, improve, improve, nothing},
		deepMember:         {repeated, repeated, nothing, nothing},
		labelledIncident:   {decided, decided, nothing, nothing},
		waitingIncident:    {hold, join, drop, drop},
		clearedIncident:    {isCleared, isCleared, nothing, nothing},
	}[st][r]
}

// stateOf reads what the log and people have about an incident. A label may come before its flag.
func (s *store) stateOf(p *partition, incident string) (incidentState, schemas.AlertState) {
	if _, waits := p.waiting[incident]; waits {
		return waitingIncident, schemas.AlertState{}
	}
	rec, known := p.log.Get(incident)
	labels, _ := s.feedback.Get(incident)
	switch {
	case known && rec.Status == schemas.AlertLabelled || !known && len(labels) > 0:
		return labelledIncident, rec
	case !known:
		return unknownIncident, rec
	case rec.Status == schemas.AlertCleared:
		return clearedIncident, rec
	case rec.Member == nil:
		return unreadableIncident, rec
	case rec.Pass == schemas.PassDeep:
		return deepMember, rec
	}
	return fastMember, rec
}

// addIncident plans what follows from a flag.
func (s *store) addIncident(p *partition, f *schemas.Flag, now time.Time) update {
	state, rec := s.stateOf(p, f.IncidentID)
	do := state.actionOf(s.reportOf(f))
	out := s.follow(p, f, followUp{do, rec}, now)
	if state == waitingIncident && do != hold {
		out = p.endWait(f.IncidentID, out)
	}
	return out
}

// followUp is what follows from a flag, and the record of its incident.
type followUp struct {
	do  action
	rec schemas.AlertState
}

func (s *store) follow(p *partition, f *schemas.Flag, next followUp, now time.Time) update {
	switch k := s.kindOf(f); {
	case next.do == nothing:
		return update{outcome: NotAlerting}
	case next.do == decided:
		return suppress(labelled)
	case next.do == hold:
		return update{outcome: Waiting}
	case next.do == isCleared:
		return suppress(cleared)
	case next.do == drop:
		return s.dropCleared(f, now)
	case s.isSilenced(k.key(), labelsOf(f), now):
		return suppress(silenced)
	case next.do == repeated:
		return suppress(alreadyNotified)
	case next.do == improve:
		return s.addDeepPass(p, f, next.rec, now)
	case next.do == join && s.mustWait(p, f):
		return s.wait(p, f, now)
	}
	return s.addMember(p, s.unconfirmed(f), next.do == joinMarked, now)
}

// addMember plans a new member of a group. The incidents of a new group that does not fit into the state are counted in one
// group of their pool and severity.
func (s *store) addMember(p *partition, f *schemas.Flag, possiblyDuplicated bool, now time.Time) update {
	k := s.kindOf(f)
	key := k.key()
	reason := suppression("")
	if p.parts[key] == nil && s.isFull(p, k.labels.Tenant) {
		k, reason = groupKind{severity: k.severity, labels: schemas.AlertGroupLabels{Tenant: s.pool(k.labels.Tenant)}}, stateLimit
		if key = k.key(); s.isSilenced(key, schemas.AlertGroupLabels{}, now) { // by a button of that group's message
			return suppress(silenced)
		}
	}
	part, rec, write := s.partFor(p, key, k, now)
	g := rec.Group
	at := detectedAt(f, now)
	lead, changed := trimFlag(f), false
	before := groupKind{labels: g.Common}
	if own := labelsOf(f); g.Members == g.DisplayedCount {
		g.Common = own
	} else {
		g.Common = commonLabels(g.Common, own)
	}
	write = write || groupKind{labels: g.Common}.key() != before.key()
	if g.Members == g.CountOffset {
		setLead(g, &lead, at)
		write = true
	} else {
		g.Top, changed = rankFlag(g.Top, f)
	}
	write = write || changed
	g.Models, changed = addModel(g.Models, f.Model)
	write = write || changed
	g.Last = latest(g.Last, at)
	rec.PossiblyDuplicated = rec.PossiblyDuplicated || possiblyDuplicated
	rec.UpdatedAt = now
	member := schemas.AlertState{
		Status: schemas.AlertSent, Pass: lead.Pass, UpdatedAt: now,
		Member: &schemas.AlertMember{Group: key, Ordinal: g.Members + 1, Generation: g.Generation, At: at},
	}
	out := update{outcome: Grouped, suppression: reason, unconfirmed: f.ConfirmedBy == schemas.NotConfirmed}
	if write || possiblyDuplicated {
		written := cloneRecord(rec)
		out.entries = append(out.entries, alerting.StateEntry{Key: key, State: &written})
	}
	out.entries = append(out.entries, alerting.StateEntry{Key: strings.Clone(f.IncidentID), State: &member})
	out.apply = func() { s.applyMember(p, part, newMember{k, rec, &lead, at, now}) }
	return out
}

// newMember is a member that the log has.
type newMember struct {
	kind    groupKind
	rec     schemas.AlertState // of the part, without the member
	flag    *schemas.Flag
	at, now time.Time
}

// applyMember adds a member to its part.
func (s *store) applyMember(p *partition, part *groupPart, j newMember) {
	j.rec.Group.Members++
	if part == nil || part.record.Group.Generation != j.rec.Group.Generation {
		if part != nil {
			if part.message != nil {
				part.message.handle(partLost) // the generation that it shows has ended
			}
			s.dropPart(part)
		}
		part = &groupPart{group: s.group(j.kind.key(), j.kind), partition: p, record: j.rec}
		s.addPart(part)
		if m := s.messages[j.rec.Group.Message]; m != nil && m.phase.isSent() {
			s.attach(part, m)
		}
	}
	if before := j.rec.Group.Members - 1; before == j.rec.Group.DisplayedCount {
		part.pendingSince, part.nextLead = j.at, j.flag
	}
	s.setRecord(part, j.rec)
	part.noteAdded(j.now)
	part.possiblyDuplicated = part.possiblyDuplicated || j.rec.PossiblyDuplicated && !part.sent()
	s.updateWaiting(part.group)
	notify(part.group.channel.changes)
}

// partFor returns the part that a member is added to, with its future record. The part is nil when there is none yet. When
// its generation has ended, the record starts the next one. write reports that the log does not have the record.
func (s *store) partFor(p *partition, key string, k groupKind, now time.Time) (part *groupPart, rec schemas.AlertState, write bool) {
	part = p.parts[key]
	if part != nil && !s.isResolved(part, now) {
		return part, cloneRecord(part.record), false
	}
	rec = schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Labels: k.labels, Severity: k.severity, Generation: now.UnixMilli(),
	}}
	if part != nil {
		rec.Group.PreviousMessage = part.record.Group.Message
	} else if g := s.groups[key]; g != nil && s.acceptsMore(g.open, now) {
		rec = g.open.adoptedRecord(rec)
	}
	return part, rec, true
}

// acceptsMore reports that further incidents may be added to the sent message.
func (s *store) acceptsMore(m *message, now time.Time) bool {
	if m == nil || !m.phase.isSent() || m.phase == detaching || !now.Before(m.sentAt.Add(s.options.Repeat)) {
		return false
	}
	return m.hasPending() || now.Before(m.lastActivity().Add(s.options.Resolve))
}

// adoptedRecord is the record of a part that is attached to a sent message.
func (m *message) adoptedRecord(rec schemas.AlertState) schemas.AlertState {
	rec = cloneRecord(rec)
	g := rec.Group
	rec.Status, rec.PossiblyDuplicated = schemas.AlertSent, m.duplicateMarked
	rec.Channel, rec.Timestamp = m.receipt.Channel, m.receipt.Timestamp
	g.Message, g.Kind, g.Cause, g.SentAt = m.id, m.kind, m.cause, m.sentAt
	return rec
}

// addDeepPass plans the update of an existing member by a deep flag.
func (s *store) addDeepPass(p *partition, f *schemas.Flag, was schemas.AlertState, now time.Time) update {
	was.Pass, was.UpdatedAt = schemas.PassDeep, now
	out := update{outcome: Suppressed, suppression: noEdit, apply: func() {}}
	member := alerting.StateEntry{Key: strings.Clone(f.IncidentID), State: &was}
	part := p.partOf(was.Member)
	if part == nil || s.isResolved(part, now) {
		out.entries = []alerting.StateEntry{member} // its group has ended
		return out
	}
	if s.canEdit || !part.sent() {
		out.outcome, out.suppression = Grouped, ""
	}
	rec, flag := cloneRecord(part.record), trimFlag(f)
	changed := rec.Group.Lead != nil && rec.Group.Lead.IncidentID == f.IncidentID
	if changed {
		rec.Group.Lead = &flag
	}
	ranked := false
	if !changed {
		rec.Group.Top, ranked = rankFlag(rec.Group.Top, f)
	}
	rec.UpdatedAt = now
	if changed || ranked {
		rec.Group.Changed = true
		out.entries = append(out.entries, alerting.StateEntry{Key: part.group.key, State: &rec})
	} else {
		rec = part.record
	}
	out.entries = append(out.entries, member)
	out.apply = func() { s.applyDeepPass(part, rec, &flag) }
	return out
}

// applyDeepPass applies the deep flag of a member.
func (s *store) applyDeepPass(part *groupPart, rec schemas.AlertState, flag *schemas.Flag) {
	s.setRecord(part, rec)
	if part.nextLead != nil && part.nextLead.IncidentID == flag.IncidentID {
		part.nextLead = flag
	}
	if part.sent() && s.canEdit {
		part.message.handle(editRequested)
		notify(part.group.channel.changes)
	}
}
