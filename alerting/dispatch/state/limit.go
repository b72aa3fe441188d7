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
	// reservedGroups are those that each tenant of the configuration may have, on top of the limit if need be.
	reservedGroups = 20
	// maxPools are the tenants that the configuration does not name and that have messages of their own nevertheless.
	// Further ones share one pool: its digests, its limit of new messages, and the group of what exceeds the state.
	maxPools = 20
	// evictionInterval is the least time between two searches for what can leave the state.
	evictionInterval = time.Second
)

// namedTenants are those that the configuration names.
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

// pool is who shares new messages, digests and memory with the tenant: nobody, or all tenants of the pool "".
func (s *Store) pool(tenant string) string {
	if s.IsConfiguredTenant(tenant) || s.partsByPool[tenant] > 0 || s.otherPools < maxPools && !s.nearLimit {
		return tenant
	}
	return ""
}

// ConfiguredPool is the tenant where the configuration names it, else the pool of the others. It needs no lock.
func (s *Store) ConfiguredPool(tenant string) string {
	if s.IsConfiguredTenant(tenant) {
		return tenant
	}
	return ""
}

// IsConfiguredTenant reports that the pool is a tenant that the configuration names.
func (s *Store) IsConfiguredTenant(pool string) bool {
	_, named := s.configuredTenants[pool]
	return named
}

// addUsage counts portions of a pool, which may become fewer.
func (s *Store) addUsage(pool string, portions, bytes int) {
	had := s.partsByPool[pool] > 0
	s.usage.Groups += portions
	s.usage.Bytes += bytes
	s.partsByPool[pool] += portions
	has := s.partsByPool[pool] > 0
	if !has {
		delete(s.partsByPool, pool)
	}
	if s.IsConfiguredTenant(pool) || pool == "" || had == has {
		return
	}
	if s.otherPools--; has {
		s.otherPools += 2
	}
}

func (s *Store) updateSize(part *GroupPart) {
	size := partSize(part)
	s.usage.Bytes += size - part.size
	part.size = size
}

// admits reports that a further portion of the pool fits into the state. Tenants that the configuration does not name leave
// a quarter to those that it names.
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

// usageReached reports that the state takes n/of of one of its limits or more.
func (s *Store) usageReached(n, of int) bool {
	limit := s.limit().Fraction(n, of)
	return s.usage.Groups >= limit.Groups || s.usage.Bytes >= limit.Bytes
}

// EvictDelivered takes delivered groups out of the state while it is near its limit: as many as bring it down to half of the
// limit, those first to which nothing has come for longest. It reports whether partitions have something to forget.
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

// updateNearLimit sets whether the state is near its limit: from 5/8 of it on, until the state is back at the half.
func (s *Store) updateNearLimit() {
	s.nearLimit = s.usageReached(5, 8) || s.nearLimit && !s.usage.Within(s.limit().Fraction(1, 2))
}

// evictable are the messages that show all of their incidents, those to which nothing has come for longest first, and what the
// state takes once messages that are being left are gone.
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

// evict has the portions of a message leave it: it accepts no further groups and is not edited again.
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

// partSize is how many bytes of memory a portion takes.
func partSize(part *GroupPart) int {
	n := alertlog.RecordSize(&part.Record)
	if part.nextLead != nil && part.nextLead != part.Record.Group.Lead {
		n += alertlog.FlagSize(part.nextLead)
	}
	return n
}

// Totals are what waits to be delivered.
type Totals struct {
	Groups        int     // in memory
	Bytes         int     // that they take
	Pending       int64   // incidents that no message shows yet
	OldestPending float64 // seconds since the oldest incident was detected of which no message tells
	Messages      int
}

// Totals are how much waits. What is held until quiet hours or a silence end is not overdue.
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
			if !s.partSilencedUntil(part, now).IsZero() {
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
