package alerting

import (
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// foldChunk are the groups that are counted in another one by one write: their keys stand in its record until the next.
const foldChunk = 100

// hasLeftovers reports that the partition's log has records that are to be counted elsewhere or deleted.
func (s *shelf) hasLeftovers() bool { return len(s.overflow)+len(s.expired) > 0 }

// hasOverflow reports that partitions hold groups in their log that are not in memory.
func (b *book) hasOverflow() bool {
	for _, s := range b.shelves {
		if s.isLoaded() && s.hasLeftovers() {
			return true
		}
	}
	return false
}

// shrinkSoon asks for the state to be shrunk where that is needed.
func (b *book) shrinkSoon() {
	if b.nearLimit || b.hasOverflow() {
		poke(b.toShrink)
	}
}

// fold plans the next write: overflow groups of one pool and lane, or expired members once there are none.
func (b *book) fold(s *shelf, now time.Time) plan {
	keys, sum := b.nextFold(s)
	if len(keys) == 0 {
		return b.deleteExpired(s)
	}
	out := plan{apply: func() { s.forget(keys) }}
	if sum.untold > 0 {
		out = b.countFolded(s, sum, keys, now)
	}
	for _, key := range keys {
		out.entries = append(out.entries, Entry{Key: key})
	}
	return out
}

// nextFold selects the groups of one write, and their sum: at most foldChunk, of one pool and lane as far as they have
// incidents to count, and none that a message still shows.
func (b *book) nextFold(s *shelf) (keys []string, sum overflowGroup) {
	for key, l := range s.overflow {
		if len(keys) == foldChunk {
			break
		}
		if b.messages[l.message] != nil {
			continue
		}
		if len(keys) == 0 {
			sum = overflowGroup{lane: l.lane, pool: l.pool}
		}
		if l.untold == 0 || l.lane == sum.lane && l.pool == sum.pool {
			keys = append(keys, key)
			sum.add(l)
		}
	}
	return keys, sum
}

// add adds the pending incidents of another group. Those of a group about a detector are not incidents.
func (l *overflowGroup) add(o overflowGroup) {
	if o.untold == 0 || o.detector {
		return
	}
	l.untold += o.untold
	l.doubt = l.doubt || o.doubt
	l.first, l.last = earliest(l.first, o.first), latest(l.last, o.last)
}

func (s *shelf) forget(keys []string) {
	for _, key := range keys {
		delete(s.overflow, key)
		delete(s.expired, key)
	}
}

// deleteExpired plans the deletion of members that no longer count.
func (b *book) deleteExpired(s *shelf) plan {
	var out plan
	var keys []string
	for key := range s.expired {
		if len(keys) == chunk {
			break
		}
		keys = append(keys, key)
		out.entries = append(out.entries, Entry{Key: key})
	}
	out.apply = func() { s.forget(keys) }
	return out
}

// countFolded plans that overflow groups are counted in the group of their pool. Its record names them: should their own records not be
// deleted, they do not count again.
func (b *book) countFolded(s *shelf, sum overflowGroup, keys []string, now time.Time) plan {
	k := poolGroup(sum.pool, sum.lane)
	key := k.key()
	p, rec, _ := b.place(s, key, k, now)
	g := rec.Group
	lead := s.leads[key]
	if g.Lead == nil && lead != nil {
		newLead(g, lead, sum.first)
	}
	g.First, g.Last = earliest(g.First, sum.first), latest(g.Last, sum.last)
	g.Folded = make([]schemas.AlertFolded, len(keys))
	for i, folded := range keys {
		g.Folded[i] = schemas.AlertFolded{Group: folded, Life: s.overflow[folded].life}
	}
	slices.SortFunc(g.Folded, func(a, b schemas.AlertFolded) int { return strings.Compare(a.Group, b.Group) })
	rec.MayRepeat, rec.UpdatedAt = rec.MayRepeat || sum.doubt, now
	written, counted := rec, *g
	counted.Members += sum.untold
	written.Group = &counted
	return plan{
		entries: []Entry{{Key: key, State: &written}},
		apply: func() {
			g.Folded = nil // their records are deleted
			b.joined(s, p, joining{k, rec, lead, sum.first, now, sum.untold})
			s.forget(keys)
		},
	}
}
