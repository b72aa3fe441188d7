package dispatch

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// The number of groups is limited by partition: max_groups divided by all partitions, so that a process never holds more than
// max_groups, whichever partitions it gets. From 5/8 of the limit on, delivered groups leave. At the limit, the incidents of a
// new group are counted in one group of their tenant and severity.

// maxPools is how many tenants that the configuration does not name have limits and digests of their own.
const maxPools = 20

// maxSilences is how many silences are in force at most.
const maxSilences = 1000

// configuredTenants returns the tenants that the configuration names.
func configuredTenants(o *storeOptions) map[string]struct{} {
	named := make(map[string]struct{}, len(o.Tenants))
	for _, name := range slices.Concat(o.Tenants, o.Policy.Tenants()) {
		named[name] = struct{}{}
	}
	return named
}

// pool is whose limits and digests apply: those of the tenant itself if the configuration names it or if there is room for
// its name, else "", which all other tenants share. Producers choose names of tenants, so their number has no bound.
func (s *Store) pool(tenant string) string {
	if _, named := s.configuredTenants[tenant]; named || s.groupsByPool[tenant] > 0 || len(s.groupsByPool) < len(s.configuredTenants)+maxPools {
		return tenant
	}
	return ""
}

// fills reports that a partition has n/of of its limit of groups or more.
func (s *Store) fills(p *Partition, n, of int) bool { return len(p.parts)*of >= s.maxParts*n }

// isFull reports that a new group of the tenant does not fit into the partition. Other tenants leave a quarter to those that the
// configuration names.
func (s *Store) isFull(p *Partition, tenant string) bool {
	if _, named := s.configuredTenants[tenant]; !named && len(s.configuredTenants) > 0 {
		return s.fills(p, 3, 4)
	}
	return s.fills(p, 1, 1)
}

// EvictDelivered evicts delivered groups while a partition is near its limit, least recently active first, until it is back
// at half of the limit. It reports whether a partition is near its limit.
func (s *Store) EvictDelivered(now time.Time) bool {
	near := false
	for _, p := range s.Partitions {
		p.nearLimit = s.fills(p, 5, 8) || p.nearLimit && s.fills(p, 1, 2)
		near = near || p.nearLimit
	}
	if !near {
		return false
	}
	excess := make(map[*Partition]int)
	for _, p := range s.Partitions {
		excess[p] = len(p.parts) - s.maxParts/2
	}
	for _, m := range s.evictable(excess, now) {
		useful := false
		for part := range m.Parts {
			useful = useful || part.Partition.nearLimit && excess[part.Partition] > 0
		}
		if useful {
			s.evict(m, excess)
		}
	}
	return true
}

// evictable returns the messages that show all of their incidents, least recently active first. It takes the parts of
// messages that are detaching from the excess. A digest stays for its interval, so that the next one waits for it.
func (s *Store) evictable(excess map[*Partition]int, now time.Time) (delivered []*Message) {
	for _, m := range s.messages {
		digestWaits := m.Kind == schemas.AlertDigest && now.Before(m.SentAt.Add(s.Options.Interval))
		if m.Phase == Detaching { // its parts are about to leave
			for part := range m.Parts {
				excess[part.Partition]--
			}
		} else if m.Phase == Sent && !m.HasPending() && !digestWaits {
			delivered = append(delivered, m)
		}
	}
	slices.SortFunc(delivered, func(a, b *Message) int {
		return cmp.Or(a.LastActivity().Compare(b.LastActivity()), strings.Compare(a.ID, b.ID))
	})
	return delivered
}

// evict detaches a message: it accepts no further groups and is not edited again.
func (s *Store) evict(m *Message, excess map[*Partition]int) {
	m.handle(partLost)
	for part := range m.Parts {
		excess[part.Partition]--
		if part.Group.Open == m {
			part.Group.Open = nil
		}
	}
	Notify(m.Channel.Changes)
}

// nearLimit reports that a partition is near its limit.
func (s *Store) nearLimit() bool {
	for _, p := range s.Partitions {
		if p.nearLimit {
			return true
		}
	}
	return false
}

// Totals are the sizes of the state and of what is pending.
type Totals struct {
	Groups        int     // in memory
	Pending       int64   // incidents that no message shows
	OldestPending float64 // age in seconds of the oldest incident that is due and has no sent message
	Messages      int
}

// Totals counts what is pending. Incidents held back by quiet hours, a silence or the daily limit do not count as oldest.
func (pl *workPlanner) Totals(now time.Time) Totals {
	out := Totals{Messages: len(pl.store.messages)}
	var oldest time.Time
	for _, p := range pl.store.Partitions {
		out.Groups += len(p.parts)
		for _, part := range p.parts {
			out.Pending += part.Pending()
			if part.Pending() > 0 && !part.Sent() && !pl.isHeldBack(part, now) {
				oldest = Earliest(oldest, part.PendingSince)
			}
		}
	}
	if !oldest.IsZero() {
		out.OldestPending = max(0, now.Sub(oldest).Seconds())
	}
	return out
}

// isHeldBack reports that a part waits by intention.
func (pl *workPlanner) isHeldBack(part *GroupPart, now time.Time) bool {
	g := part.Group
	if _, quiet := pl.quietUntil(g.Severity, g.Labels.Tenant, now); quiet {
		return true
	}
	next := pl.daily.DigestDue(DigestKey{Pool: g.Pool, Severity: g.Severity, Cause: schemas.DigestDailyLimit})
	return now.Before(next) || !pl.store.partSilencedUntil(part, now).IsZero()
}
