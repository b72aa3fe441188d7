package dispatch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/alerting"
	"confab/alerting/card"
	"confab/schemas"
)

// maxListedGroups is how many groups a digest lists.
const maxListedGroups = 12

// sortedParts are the parts of a message by the time of their first incident.
func (m *message) sortedParts() []*groupPart {
	return slices.SortedFunc(maps.Keys(m.parts), func(a, b *groupPart) int {
		return cmp.Or(a.record.Group.First.Compare(b.record.Group.First), cmp.Compare(a.partition.number, b.partition.number), strings.Compare(a.group.key, b.group.key))
	})
}

// Alert is the message as the sink gets it, with the counts that it shows.
func (s *store) alert(m *message) (schemas.Alert, displayedCounts) {
	a := schemas.Alert{
		Kind: m.kind, Message: m.id, Severity: m.severity, Cause: m.cause, Tenant: m.tenant, Channel: m.channel.name,
		PossiblyDuplicated: m.duplicateMarked || m.phase.isUnconfirmed(),
	}
	shown := make(displayedCounts, len(m.parts))
	counts := make(map[*group]groupLine)
	for _, part := range m.sortedParts() {
		g := part.record.Group
		shown[part] = g.Members
		n := g.Members - g.CountOffset
		if n == 0 {
			continue
		}
		counts[part.group] = counts[part.group].add(cmp.Or(g.Lead, &schemas.Flag{}), n)
		a.Count += n
		a.First, a.Last = earliest(a.First, g.First), latest(a.Last, g.Last)
		if a.Flag.IncidentID == "" && g.Lead != nil {
			a.Flag, a.Feedback = *g.Lead, slices.Clone(g.Feedback)
		}
		if g.Lead != nil {
			a.Riskiest, _ = rankFlag(a.Riskiest, g.Lead)
		}
		for i := range g.Top {
			a.Riskiest, _ = rankFlag(a.Riskiest, &g.Top[i])
		}
		for _, model := range g.Models {
			a.Models, _ = addModel(a.Models, model)
		}
		if m.kind == schemas.AlertDigest {
			continue
		}
		a.Group = part.group.key
		a.EarlierCount = part.group.displayedElsewhere(m)
	}
	a.Groups, a.MoreGroups = largestGroups(counts)
	return a, shown
}

// displayedElsewhere counts the group's incidents that other messages show.
func (g *group) displayedElsewhere(m *message) (n int64) {
	for _, part := range g.parts {
		if part.message == m {
			n += part.record.Group.CountOffset
		} else {
			n += part.record.Group.DisplayedCount
		}
	}
	return n
}

// groupLine is what a message says of a group: how many incidents, and the riskiest of the first ones.
type groupLine struct {
	count int64
	lead  *schemas.Flag
}

func (l groupLine) add(lead *schemas.Flag, n int64) groupLine {
	if l.count += n; l.lead == nil || compareRisk(lead, l.lead) < 0 {
		l.lead = lead
	}
	return l
}

// largestGroups are the groups with most incidents, of equal ones the riskiest, and how many others there are.
func largestGroups(lines map[*group]groupLine) ([]schemas.GroupCount, int) {
	groups := slices.SortedFunc(maps.Keys(lines), func(a, b *group) int {
		return cmp.Or(cmp.Compare(lines[b].count, lines[a].count), compareRisk(lines[a].lead, lines[b].lead), strings.Compare(a.key, b.key))
	})
	out := make([]schemas.GroupCount, min(len(groups), maxListedGroups))
	for i, g := range groups[:len(out)] {
		l := lines[g]
		if out[i] = (schemas.GroupCount{Group: g.labels, Count: l.count}); g.labels.Problem != "" {
			out[i].Incident = l.lead.IncidentID
			out[i].Said, out[i].Found = card.About(l.lead)
		}
	}
	return out, len(groups) - len(out)
}

// recordChange changes the record of a part; false leaves the record as it is.
type recordChange func(part *groupPart, rec *schemas.AlertState) bool

// announceChange is written before a message is posted, once for all attempts. A record with it means that the message may
// have been posted.
func (m *message) announceChange(now time.Time) recordChange {
	return func(part *groupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		if g.Message == m.id && rec.Status == schemas.AlertPending && rec.Attempt > 0 {
			return false
		}
		rec.Status, rec.Attempt, rec.UpdatedAt = schemas.AlertPending, rec.Attempt+1, now
		rec.Channel, rec.Timestamp, rec.PossiblyDuplicated = "", "", m.phase.isUnconfirmed()
		g.Message, g.Kind, g.Cause, g.SentAt = m.id, m.kind, m.cause, time.Time{}
		g.Changed = false
		return true
	}
}

// sentChange is written after the sink has accepted a message. With correct, nothing counts as displayed before an edit: the
// sink may have found an earlier version of the message.
func (m *message) sentChange(shown displayedCounts, correct bool, now time.Time) recordChange {
	return func(part *groupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		rec.Status, rec.UpdatedAt, rec.PossiblyDuplicated = schemas.AlertSent, now, m.duplicateMarked
		rec.Channel, rec.Timestamp = m.receipt.Channel, m.receipt.Timestamp
		g.SentAt = m.sentAt
		if !correct {
			g.DisplayedCount = shown[part]
		}
		return true
	}
}

// adoptChange is written before an edit of a sent message shows further parts. From then on they belong to the message.
func (m *message) adoptChange(now time.Time) recordChange {
	return func(part *groupPart, rec *schemas.AlertState) bool {
		if rec.Group.Message == m.id && rec.Status == schemas.AlertSent {
			return false
		}
		*rec = m.adoptedRecord(*rec)
		rec.UpdatedAt = now
		return true
	}
}

// editChange is written after an edit of a message.
func (m *message) editChange(shown displayedCounts, now time.Time) recordChange {
	return func(part *groupPart, rec *schemas.AlertState) bool {
		n, ok := shown[part]
		if !ok || rec.Group.DisplayedCount == n && !rec.Group.Changed {
			return false
		}
		rec.Group.DisplayedCount, rec.Group.Changed, rec.UpdatedAt = n, false, now
		return true
	}
}

// detachChange is written when a part leaves a sent message. Displayed incidents stay delivered, the others are pending again.
func (m *message) detachChange(now time.Time) recordChange {
	return func(part *groupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		g.CountOffset, g.PreviousMessage = g.DisplayedCount, m.id
		resetMessage(rec, now)
		if part.nextLead != nil && part.pending() > 0 {
			setLead(g, part.nextLead, part.pendingSince)
		}
		return true
	}
}

// records returns the new records of some parts of the message, and a function that applies them.
func (s *store) records(m *message, some []*groupPart, ch recordChange) ([]alerting.StateEntry, func()) {
	var entries []alerting.StateEntry
	var changed []*groupPart
	var recs []schemas.AlertState
	for _, part := range some {
		rec := cloneRecord(part.record)
		if part.message != m || !ch(part, &rec) {
			continue
		}
		written := cloneRecord(rec)
		entries, changed, recs = append(entries, alerting.StateEntry{Key: part.group.key, State: &written}), append(changed, part), append(recs, rec)
	}
	return entries, func() {
		for i, part := range changed {
			if recs[i].Group.Members == recs[i].Group.DisplayedCount {
				part.nextLead = nil
			}
			s.setRecord(part, recs[i])
		}
	}
}

// partsIn are the message's parts in a partition.
func (m *message) partsIn(p *partition) []*groupPart {
	return slices.DeleteFunc(m.sortedParts(), func(part *groupPart) bool { return part.partition != p })
}

// partitions are the partitions of the message's parts, by number.
func (m *message) partitions() []*partition {
	var out []*partition
	for part := range m.parts {
		if !slices.Contains(out, part.partition) {
			out = append(out, part.partition)
		}
	}
	slices.SortFunc(out, func(a, b *partition) int { return int(a.number - b.number) })
	return out
}
