package state

import (
	"slices"
	"strings"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// maxFoldedGroups limits the groups that one write counts in another group, because that group's record lists their keys.
const maxFoldedGroups = 100

// HasLeftovers reports that the log has groups to be counted elsewhere or members to be deleted.
func (p *Partition) HasLeftovers() bool { return len(p.overflow)+len(p.expired) > 0 }

// HasOverflow reports that a loaded partition has leftovers.
func (s *Store) HasOverflow() bool {
	for _, p := range s.Partitions {
		if p.Loaded() && p.HasLeftovers() {
			return true
		}
	}
	return false
}

// RequestShrink signals that the state is near its limit or has overflow groups.
func (s *Store) RequestShrink() {
	if s.nearLimit || s.HasOverflow() {
		Notify(s.ShrinkRequests)
	}
}

// FoldOverflow plans the next write: overflow groups of one pool and severity, or expired members when there are none.
func (s *Store) FoldOverflow(p *Partition, now time.Time) Update {
	keys, sum := s.nextOverflow(p)
	if len(keys) == 0 {
		return s.deleteExpired(p)
	}
	out := Update{Apply: func() { p.forgetLeftovers(keys) }}
	if sum.Pending > 0 {
		out = s.foldInto(p, sum, keys, now)
	}
	for _, key := range keys {
		out.Entries = append(out.Entries, alertlog.Entry{Key: key})
	}
	return out
}

// nextOverflow selects the groups of one write and sums them up: at most maxFoldedGroups, those with pending incidents of one
// pool and severity, and none that a message still shows.
func (s *Store) nextOverflow(p *Partition) (keys []string, sum alertlog.OverflowGroup) {
	for key, l := range p.overflow {
		if len(keys) == maxFoldedGroups {
			break
		}
		if s.messages[l.Message] != nil {
			continue
		}
		if len(keys) == 0 {
			sum = alertlog.OverflowGroup{Severity: l.Severity, Pool: l.Pool}
		}
		if l.Pending == 0 || l.Severity == sum.Severity && l.Pool == sum.Pool {
			keys = append(keys, key)
			sum.Add(l)
		}
	}
	return keys, sum
}

func (p *Partition) forgetLeftovers(keys []string) {
	for _, key := range keys {
		delete(p.overflow, key)
		delete(p.expired, key)
	}
}

// deleteExpired plans the deletion of expired members.
func (s *Store) deleteExpired(p *Partition) Update {
	var out Update
	var keys []string
	for key := range p.expired {
		if len(keys) == MaxWrite {
			break
		}
		keys = append(keys, key)
		out.Entries = append(out.Entries, alertlog.Entry{Key: key})
	}
	out.Apply = func() { p.forgetLeftovers(keys) }
	return out
}

// foldInto plans that the group of a pool counts overflow groups. Its record lists them, so that they do not count again if
// their own records are not deleted.
func (s *Store) foldInto(p *Partition, sum alertlog.OverflowGroup, keys []string, now time.Time) Update {
	k := alertlog.PoolGroup(sum.Pool, sum.Severity)
	key := k.Key()
	part, rec, _ := s.partFor(p, key, k, now)
	g := rec.Group
	lead := p.leads[key]
	if g.Lead == nil && lead != nil {
		alertlog.SetLead(g, lead, sum.First)
	}
	g.First, g.Last = alertlog.Earliest(g.First, sum.First), alertlog.Latest(g.Last, sum.Last)
	g.Folded = make([]schemas.AlertFolded, len(keys))
	for i, folded := range keys {
		g.Folded[i] = schemas.AlertFolded{Group: folded, Generation: p.overflow[folded].Generation}
	}
	slices.SortFunc(g.Folded, func(a, b schemas.AlertFolded) int { return strings.Compare(a.Group, b.Group) })
	rec.PossiblyDuplicated, rec.UpdatedAt = rec.PossiblyDuplicated || sum.PossiblyDuplicated, now
	written := cloneRecord(rec)
	written.Group.Members += sum.Pending
	return Update{
		Entries: []alertlog.Entry{{Key: key, State: &written}},
		Apply: func() {
			g.Folded = nil // the write has deleted their records
			s.applyMembers(p, part, newMembers{k, rec, lead, sum.First, now, sum.Pending})
			p.forgetLeftovers(keys)
		},
	}
}
