package dispatch

import (
	"slices"
	"strings"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// maxListedGroups is how many groups a digest lists.
const maxListedGroups = 10

// sortedParts are the parts of a message by the time of their first incident.
func (m *Message) sortedParts() []*GroupPart {
	out := make([]*GroupPart, 0, len(m.Parts))
	for part := range m.Parts {
		out = append(out, part)
	}
	slices.SortFunc(out, func(a, b *GroupPart) int {
		if c := a.Record.Group.First.Compare(b.Record.Group.First); c != 0 {
			return c
		}
		if c := int(a.Partition.number - b.Partition.number); c != 0 {
			return c
		}
		return strings.Compare(a.Group.Key, b.Group.Key)
	})
	return out
}

// Alert is the message as the sink gets it, with the counts that it shows.
func (s *Store) Alert(m *Message) (schemas.Alert, DisplayedCounts) {
	a := schemas.Alert{
		Kind: m.Kind, Message: m.ID, Severity: m.Severity, Cause: m.Cause, Tenant: m.Tenant, Channel: m.Channel.name,
		PossiblyDuplicated: m.duplicateMarked || m.Phase.IsUnconfirmed(),
	}
	shown := make(DisplayedCounts, len(m.Parts))
	counts := make(map[*Group]int64)
	for _, part := range m.sortedParts() {
		g := part.Record.Group
		shown[part] = g.Members
		n := g.Members - g.CountOffset
		if n == 0 {
			continue
		}
		counts[part.Group] += n
		a.Count += n
		a.First, a.Last = Earliest(a.First, g.First), Latest(a.Last, g.Last)
		if a.Flag.IncidentID == "" && g.Lead != nil {
			a.Flag, a.Feedback = *g.Lead, slices.Clone(g.Feedback)
		}
		if g.Lead != nil && g.Detector == "" {
			a.Riskiest, _ = RankFlag(a.Riskiest, g.Lead)
		}
		for i := range g.Top {
			a.Riskiest, _ = RankFlag(a.Riskiest, &g.Top[i])
		}
		for _, model := range g.Models {
			a.Models, _ = AddModel(a.Models, model)
		}
		if m.Kind == schemas.AlertDigest {
			continue
		}
		a.Group = part.Group.Key
		a.EarlierCount = part.Group.displayedElsewhere(m)
		a.Detector, a.FiringRate = g.Detector, g.FiringRate
	}
	a.Groups, a.MoreGroups = largestGroups(counts)
	return a, shown
}

// displayedElsewhere counts the group's incidents that other messages show.
func (g *Group) displayedElsewhere(m *Message) (n int64) {
	for _, part := range g.Parts {
		if part.Message == m {
			n += part.Record.Group.CountOffset
		} else {
			n += part.Record.Group.DisplayedCount
		}
	}
	return n
}

// largestGroups are the groups with most incidents, and how many others there are.
func largestGroups(counts map[*Group]int64) ([]schemas.GroupCount, int) {
	groups := make([]*Group, 0, len(counts))
	for g := range counts {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *Group) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a.Key, b.Key)
	})
	n := min(len(groups), maxListedGroups)
	out := make([]schemas.GroupCount, n)
	for i, g := range groups[:n] {
		out[i] = schemas.GroupCount{Group: g.Labels, Count: counts[g]}
	}
	return out, len(groups) - n
}

// RecordChange changes the record of a part; false leaves the record as it is.
type RecordChange func(part *GroupPart, rec *schemas.AlertState) bool

// AnnounceChange is written before a message is posted, once for all attempts. A record with it means that the message may
// have been posted.
func (m *Message) AnnounceChange(now time.Time) RecordChange {
	return func(part *GroupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		if g.Message == m.ID && rec.Status == schemas.AlertPending && rec.Attempt > 0 {
			return false
		}
		rec.Status, rec.Attempt, rec.UpdatedAt = schemas.AlertPending, rec.Attempt+1, now
		rec.Channel, rec.Timestamp, rec.PossiblyDuplicated = "", "", m.Phase.IsUnconfirmed()
		g.Message, g.Kind, g.Cause, g.SentAt = m.ID, m.Kind, m.Cause, time.Time{}
		g.Changed = false
		return true
	}
}

// sentChange is written after the sink has accepted a message. With correct, nothing counts as displayed before an edit: the
// sink may have found an earlier version of the message.
func (m *Message) sentChange(shown DisplayedCounts, correct bool, now time.Time) RecordChange {
	return func(part *GroupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		rec.Status, rec.UpdatedAt, rec.PossiblyDuplicated = schemas.AlertSent, now, m.duplicateMarked
		rec.Channel, rec.Timestamp = m.Receipt.Channel, m.Receipt.Timestamp
		g.SentAt = m.SentAt
		if !correct {
			g.DisplayedCount = shown[part]
		}
		return true
	}
}

// AdoptChange is written before an edit of a sent message shows further parts. From then on they belong to the message.
func (m *Message) AdoptChange(now time.Time) RecordChange {
	return func(part *GroupPart, rec *schemas.AlertState) bool {
		if rec.Group.Message == m.ID && rec.Status == schemas.AlertSent {
			return false
		}
		*rec = m.adoptedRecord(*rec)
		rec.UpdatedAt = now
		return true
	}
}

// EditChange is written after an edit of a message.
func (m *Message) EditChange(shown DisplayedCounts, now time.Time) RecordChange {
	return func(part *GroupPart, rec *schemas.AlertState) bool {
		n, ok := shown[part]
		if !ok || rec.Group.DisplayedCount == n && !rec.Group.Changed {
			return false
		}
		rec.Group.DisplayedCount, rec.Group.Changed, rec.UpdatedAt = n, false, now
		return true
	}
}

// DetachChange is written when a part leaves a sent message. Displayed incidents stay delivered, the others are pending again.
func (m *Message) DetachChange(now time.Time) RecordChange {
	return func(part *GroupPart, rec *schemas.AlertState) bool {
		g := rec.Group
		g.CountOffset, g.PreviousMessage = g.DisplayedCount, m.ID
		ResetMessage(rec, now)
		if part.nextLead != nil && part.Pending() > 0 {
			SetLead(g, part.nextLead, part.PendingSince)
		}
		return true
	}
}

// Records returns the new records of some parts of the message, and a function that applies them.
func (s *Store) Records(m *Message, some []*GroupPart, ch RecordChange) ([]alerting.StateEntry, func()) {
	var entries []alerting.StateEntry
	var changed []*GroupPart
	var recs []schemas.AlertState
	for _, part := range some {
		rec := cloneRecord(part.Record)
		if part.Message != m || !ch(part, &rec) {
			continue
		}
		written := cloneRecord(rec)
		entries, changed, recs = append(entries, alerting.StateEntry{Key: part.Group.Key, State: &written}), append(changed, part), append(recs, rec)
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

// PartsIn are the message's parts in a partition.
func (m *Message) PartsIn(p *Partition) []*GroupPart {
	var out []*GroupPart
	for _, part := range m.sortedParts() {
		if part.Partition == p {
			out = append(out, part)
		}
	}
	return out
}

// Partitions are the partitions of the message's parts, by number.
func (m *Message) Partitions() []*Partition {
	var out []*Partition
	for part := range m.Parts {
		if !slices.Contains(out, part.Partition) {
			out = append(out, part.Partition)
		}
	}
	slices.SortFunc(out, func(a, b *Partition) int { return int(a.number - b.number) })
	return out
}
