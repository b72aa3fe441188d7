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
	named := make(map[string]struct{}, len(o.tenants))
	for _, name := range slices.Concat(o.tenants, o.policy.Tenants()) {
		named[name] = struct{}{}
	}
	return named
}

// pool is whose limits and digests apply: those of the tenant itself if the configuration names it or if there is room for
// its name, else "", which all other tenants share. Producers choose names of tenants, so their number has no bound.
func (s *store) pool(tenant string) string {
	if _, named := s.configuredTenants[tenant]; named || s.groupsByPool[tenant] > 0 || len(s.groupsByPool) < len(s.configuredTenants)+maxPools {
		return tenant
	}
	return ""
}

// fills reports that a partition has n/of of its limit of groups or more.
func (s *store) fills(p *partition, n, of int) bool { return len(p.parts)*of >= s.maxParts*n }

// isFull reports that a new group of the tenant does not fit into the partition. Other tenants leave a quarter to those that the
// configuration names.
func (s *store) isFull(p *partition, tenant string) bool {
	if _, named := s.configuredTenants[tenant]; !named && len(s.configuredTenants) > 0 {
		return s.fills(p, 3, 4)
	}
	return s.fills(p, 1, 1)
}

// evictDelivered evicts delivered groups while a partition is near its limit, least recently active first, until it is back
// at half of the limit. It reports whether a partition is near its limit.
func (s *store) evictDelivered(now time.Time) bool {
	near := false
	for _, p := range s.partitions {
		p.nearLimit = s.fills(p, 5, 8) || p.nearLimit && s.fills(p, 1, 2)
		near = near || p.nearLimit
	}
	if !near {
		return false
	}
	excess := make(map[*partition]int)
	for _, p := range s.partitions {
		excess[p] = len(p.parts) - s.maxParts/2
	}
	for _, m := range s.evictable(excess, now) {
		useful := false
		for part := range m.parts {
			useful = useful || part.partition.nearLimit && excess[part.partition] > 0
		}
		if useful {
			s.evict(m, excess)
		}
	}
	return true
}

// evictable returns the messages that show all of their incidents, least recently active first. It takes the parts of
// messages that are detaching from the excess. A digest stays for its interval, so that the next one waits for it.
func (s *store) evictable(excess map[*partition]int, now time.Time) (delivered []*message) {
	for _, m := range s.messages {
		digestWaits := m.kind == schemas.AlertDigest && now.Before(m.sentAt.Add(s.options.Interval))
		if m.phase == detaching { // its parts are about to leave
			for part := range m.parts {
				excess[part.partition]--
			}
		} else if m.phase == sent && !m.hasPending() && !digestWaits {
			delivered = append(delivered, m)
		}
	}
	slices.SortFunc(delivered, func(a, b *message) int {
		return cmp.Or(a.lastActivity().Compare(b.lastActivity()), strings.Compare(a.id, b.id))
	})
	return delivered
}

// evict detaches a message: it accepts no further groups and is not edited again.
func (s *store) evict(m *message, excess map[*partition]int) {
	m.handle(partLost)
	for part := range m.parts {
		excess[part.partition]--
		if part.group.open == m {
			part.group.open = nil
		}
	}
	notify(m.channel.changes)
}

// nearLimit reports that a partition is near its limit.
func (s *store) nearLimit() bool {
	for _, p := range s.partitions {
		if p.nearLimit {
			return true
		}
	}
	return false
}

// totals are the sizes of the state and of what is pending.
type totals struct {
	groups        int     // in memory
	pending       int64   // incidents that no message shows
	oldestPending float64 // age in seconds of the oldest incident that is due and has no sent message
	messages      int
}

// totals counts what is pending. Incidents held back by quiet hours, a silence or the daily limit do not count as oldest.
func (pl *workPlanner) totals(now time.Time) totals {
	out := totals{messages: len(pl.store.messages)}
	var oldest time.Time
	for _, p := range pl.store.partitions {
		out.groups += len(p.parts)
		for _, part := range p.parts {
			out.pending += part.pending()
			if part.pending() > 0 && !part.sent() && !pl.isHeldBack(part, now) {
				oldest = earliest(oldest, part.pendingSince)
			}
		}
	}
	if !oldest.IsZero() {
		out.oldestPending = max(0, now.Sub(oldest).Seconds())
	}
	return out
}

// isHeldBack reports that a part waits by intention.
func (pl *workPlanner) isHeldBack(part *groupPart, now time.Time) bool {
	g := part.group
	if _, quiet := pl.quietUntil(g.severity, g.labels.Tenant, now); quiet {
		return true
	}
	next := pl.daily.digestDue(digestKey{pool: g.pool, severity: g.severity, cause: schemas.DigestDailyLimit})
	return now.Before(next) || !pl.store.partSilencedUntil(part, now).IsZero()
}
