package state

import (
	"slices"
	"strings"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// maxFoldedGroups are the groups that are counted in another one by one write: their keys stand in its record until the next.
const maxFoldedGroups = 100

// HasLeftovers reports that the partition's log has records that are to be counted elsewhere or deleted.
func (s *Partition) HasLeftovers() bool { return len(s.overflow)+len(s.expired) > 0 }

// HasOverflow reports that partitions hold groups in their log that are not in memory.
func (b *Store) HasOverflow() bool {
	for _, s := range b.Partitions {
		if s.Loaded() && s.HasLeftovers() {
			return true
		}
	}
	return false
}

// RequestShrink asks for the state to be shrunk where that is needed.
func (b *Store) RequestShrink() {
	if b.nearLimit || b.HasOverflow() {
		Notify(b.ShrinkRequests)
	}
}

// FoldOverflow plans the next write: overflow groups of one pool and lane, or expired members once there are none.
func (b *Store) FoldOverflow(s *Partition, now time.Time) Update {
	keys, sum := b.nextOverflow(s)
	if len(keys) == 0 {
		return b.deleteExpired(s)
	}
	out := Update{Apply: func() { s.forgetLeftovers(keys) }}
	if sum.Pending > 0 {
		out = b.foldInto(s, sum, keys, now)
	}
	for _, key := range keys {
		out.Entries = append(out.Entries, alertlog.Entry{Key: key})
	}
	return out
}

// nextOverflow selects the groups of one write, and their sum: at most maxFoldedGroups, of one pool and lane as far as they have
// incidents to count, and none that a message still shows.
func (b *Store) nextOverflow(s *Partition) (keys []string, sum alertlog.OverflowGroup) {
	for key, l := range s.overflow {
		if len(keys) == maxFoldedGroups {
			break
		}
		if b.messages[l.Message] != nil {
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

func (s *Partition) forgetLeftovers(keys []string) {
	for _, key := range keys {
		delete(s.overflow, key)
		delete(s.expired, key)
	}
}

// deleteExpired plans the deletion of members that no longer count.
func (b *Store) deleteExpired(s *Partition) Update {
	var out Update
	var keys []string
	for key := range s.expired {
		if len(keys) == MaxWrite {
			break
		}
		keys = append(keys, key)
		out.Entries = append(out.Entries, alertlog.Entry{Key: key})
	}
	out.Apply = func() { s.forgetLeftovers(keys) }
	return out
}

// foldInto plans that overflow groups are counted in the group of their pool. Its record names them: should their own records not be
// deleted, they do not count again.
func (b *Store) foldInto(s *Partition, sum alertlog.OverflowGroup, keys []string, now time.Time) Update {
	k := alertlog.PoolGroup(sum.Pool, sum.Severity)
	key := k.Key()
	p, rec, _ := b.partFor(s, key, k, now)
	g := rec.Group
	lead := s.leads[key]
	if g.Lead == nil && lead != nil {
		alertlog.SetLead(g, lead, sum.First)
	}
	g.First, g.Last = alertlog.Earliest(g.First, sum.First), alertlog.Latest(g.Last, sum.Last)
	g.Folded = make([]schemas.AlertFolded, len(keys))
	for i, folded := range keys {
		g.Folded[i] = schemas.AlertFolded{Group: folded, Generation: s.overflow[folded].Generation}
	}
	slices.SortFunc(g.Folded, func(a, b schemas.AlertFolded) int { return strings.Compare(a.Group, b.Group) })
	rec.PossiblyDuplicated, rec.UpdatedAt = rec.PossiblyDuplicated || sum.PossiblyDuplicated, now
	written, counted := rec, *g
	counted.Members += sum.Pending
	written.Group = &counted
	return Update{
		Entries: []alertlog.Entry{{Key: key, State: &written}},
		Apply: func() {
			g.Folded = nil // their records are deleted
			b.applyMembers(s, p, newMembers{k, rec, lead, sum.First, now, sum.Pending})
			s.forgetLeftovers(keys)
		},
	}
}
