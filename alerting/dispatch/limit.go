package dispatch

import (
	"slices"
	"time"
)

// The number of groups is limited by partition: max_groups divided by all partitions, so that a process never holds more than
// max_groups, whichever partitions it gets. At the limit, the incidents of a new group are counted in one group of their tenant
// and severity.

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

// isFull reports that a new group of the tenant does not fit into the partition. Other tenants leave a quarter to those that the
// configuration names.
func (s *store) isFull(p *partition, tenant string) bool {
	if _, named := s.configuredTenants[tenant]; !named && len(s.configuredTenants) > 0 {
		return len(p.parts)*4 >= s.maxParts*3
	}
	return len(p.parts) >= s.maxParts
}

// totals are the sizes of the state and of what is pending.
type totals struct {
	groups        int     // in memory
	waiting       int     // alerts that wait for a second opinion
	pending       int64   // incidents that no message shows
	oldestPending float64 // age in seconds of the oldest incident that is due and has no sent message
}

// totals counts what is pending. Incidents held back by a silence do not count as oldest.
func (s *store) totals(now time.Time) (out totals) {
	var oldest time.Time
	for _, p := range s.partitions {
		out.groups += len(p.parts)
		out.waiting += len(p.waiting)
		for _, part := range p.parts {
			out.pending += part.pending()
			if part.pending() > 0 && !part.sent() && s.partSilencedUntil(part, now).IsZero() {
				oldest = earliest(oldest, part.pendingSince)
			}
		}
	}
	if !oldest.IsZero() {
		out.oldestPending = max(0, now.Sub(oldest).Seconds())
	}
	return out
}
