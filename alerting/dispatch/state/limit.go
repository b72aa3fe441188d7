package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

const (
	// reservedGroups is how many groups each configured tenant may have beyond the limit.
	reservedGroups = 20
	// maxPools is how many other tenants have their own limit of new messages and their own digests. Further tenants share
	// one pool.
	maxPools = 20
	// evictionInterval is the least time between two evictions.
	evictionInterval = time.Second
)

// namedTenants returns the tenants that the configuration names.
func namedTenants(o *Options) map[string]struct{} {
	named := make(map[string]struct{}, len(o.Tenants))
	for _, name := range o.Tenants {
		named[name] = struct{}{}
	}
	for _, name := range o.Policy.Tenants() {
		named[name] = struct{}{}
	}
	return named
}

// pool is the tenant itself, or "" for a tenant in the shared pool.
func (s *Store) pool(tenant string) string {
	if s.IsConfiguredTenant(tenant) || s.partsByPool[tenant] > 0 || s.otherPools < maxPools && !s.nearLimit {
		return tenant
	}
	return ""
}

// ConfiguredPool is the tenant if the configuration names it, else the shared pool. It needs no lock.
func (s *Store) ConfiguredPool(tenant string) string {
	if s.IsConfiguredTenant(tenant) {
		return tenant
	}
	return ""
}

// IsConfiguredTenant reports that the configuration names the tenant.
func (s *Store) IsConfiguredTenant(pool string) bool {
	_, named := s.configuredTenants[pool]
	return named
}

// addUsage adds parts and bytes of a pool, which may be negative.
func (s *Store) addUsage(pool string, parts, bytes int) {
	had := s.partsByPool[pool] > 0
	s.usage.Groups += parts
	s.usage.Bytes += bytes
	s.partsByPool[pool] += parts
	has := s.partsByPool[pool] > 0
	if !has {
		delete(s.partsByPool, pool)
	}
	if s.IsConfiguredTenant(pool) || pool == "" || had == has {
		return
	}
	if has {
		s.otherPools++
	} else {
		s.otherPools--
	}
}

func (s *Store) updateSize(part *GroupPart) {
	size := partSize(part)
	s.usage.Bytes += size - part.size
	part.size = size
}

// admits reports that a further part of the pool fits into the state. Other tenants leave a quarter of it to configured ones.
func (s *Store) admits(pool string) bool {
	if s.usageReached(5, 8) {
		Notify(s.ShrinkRequests)
	}
	switch {
	case s.IsConfiguredTenant(pool):
		return s.partsByPool[pool] < reservedGroups || !s.usageReached(1, 1)
	case len(s.configuredTenants) > 0:
		return !s.usageReached(3, 4)
	default:
		return !s.usageReached(1, 1)
	}
}

func (s *Store) limit() alertlog.Size {
	return alertlog.Size{Groups: s.Options.MaxGroups, Bytes: s.Options.MaxBytes}
}

// usageReached reports that the state uses n/of of one of its limits or more.
func (s *Store) usageReached(n, of int) bool {
	limit := s.limit().Fraction(n, of)
	return s.usage.Groups >= limit.Groups || s.usage.Bytes >= limit.Bytes
}

// EvictDelivered evicts delivered groups while the state is near its limit, least recently active first, until the state is
// back at half of the limit. It reports whether the state is near its limit.
func (s *Store) EvictDelivered(now time.Time) bool {
	s.updateNearLimit()
	if !s.nearLimit || now.Before(s.nextEviction) {
		return s.nearLimit
	}
	s.nextEviction = now.Add(evictionInterval)
	target := s.limit().Fraction(1, 2)
	delivered, rest := s.evictable()
	for _, m := range delivered {
		if rest.Within(target) {
			break
		}
		rest = rest.Minus(m.size())
		s.evict(m)
	}
	return true
}

// updateNearLimit sets nearLimit from 5/8 of the limit on, and clears it at the half.
func (s *Store) updateNearLimit() {
	s.nearLimit = s.usageReached(5, 8) || s.nearLimit && !s.usage.Within(s.limit().Fraction(1, 2))
}

// evictable returns the messages that show all of their incidents, least recently active first, and the usage without
// messages that are detaching.
func (s *Store) evictable() (delivered []*Message, rest alertlog.Size) {
	rest = s.usage
	for _, m := range s.messages {
		if m.Phase == Detaching { // its parts are about to leave
			rest = rest.Minus(m.size())
		} else if m.Phase == Sent && !m.HasPending() {
			delivered = append(delivered, m)
		}
	}
	slices.SortFunc(delivered, func(a, b *Message) int {
		return cmp.Or(a.LastActivity().Compare(b.LastActivity()), strings.Compare(a.ID, b.ID))
	})
	return delivered, rest
}

// evict detaches a message: it accepts no further groups and is not edited again.
func (s *Store) evict(m *Message) {
	m.handle(partLost)
	for part := range m.Parts {
		if part.Group.Open == m {
			part.Group.Open = nil
		}
	}
	if m.Kind == schemas.AlertDigest {
		m.Channel.EvictedDigests[m.DigestKey()] = m.SentAt
	}
	Notify(m.Channel.Changes)
}

// partSize is the estimated memory of a part in bytes.
func partSize(part *GroupPart) int {
	n := alertlog.RecordSize(&part.Record)
	if part.nextLead != nil && part.nextLead != part.Record.Group.Lead {
		n += alertlog.FlagSize(part.nextLead)
	}
	return n
}

// Totals are the sizes of the state and of what is pending.
type Totals struct {
	Groups        int     // in memory
	Bytes         int     // of the groups
	Pending       int64   // incidents that no message shows
	OldestPending float64 // age in seconds of the oldest incident that is due and has no sent message
	Messages      int
}

// Totals counts what is pending. Incidents held back by quiet hours, a silence or the daily limit do not count as oldest.
func (s *Store) Totals(now time.Time) Totals {
	out := Totals{Groups: s.usage.Groups, Bytes: s.usage.Bytes, Messages: len(s.messages)}
	var oldest time.Time
	for _, p := range s.Partitions {
		for _, l := range p.overflow {
			out.Pending += l.Pending
		}
		for _, part := range p.parts {
			out.Pending += part.Pending()
			if part.Pending() == 0 || part.Sent() {
				continue
			}
			if _, quiet := s.Policy.Quiet(part.Group.Labels.Tenant, now); quiet && part.Group.Severity == schemas.SeverityNormal {
				continue
			}
			held := s.heldBack[DigestKey{Pool: part.Group.Pool, Severity: part.Group.Severity}]
			if now.Before(held) || !s.partSilencedUntil(part, now).IsZero() {
				continue
			}
			oldest = alertlog.Earliest(oldest, part.PendingSince)
		}
	}
	if !oldest.IsZero() {
		out.OldestPending = max(0, now.Sub(oldest).Seconds())
	}
	return out
}
