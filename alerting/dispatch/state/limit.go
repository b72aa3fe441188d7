package state

import (
	"slices"
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
func (b *Store) pool(tenant string) string {
	if b.IsConfiguredTenant(tenant) || b.partsByPool[tenant] > 0 || b.otherPools < maxPools && !b.nearLimit {
		return tenant
	}
	return ""
}

// ConfiguredPool is the tenant where the configuration names it, else the pool of the others. It needs no lock.
func (b *Store) ConfiguredPool(tenant string) string {
	if b.IsConfiguredTenant(tenant) {
		return tenant
	}
	return ""
}

// IsConfiguredTenant reports that the pool is a tenant that the configuration names.
func (b *Store) IsConfiguredTenant(pool string) bool {
	_, named := b.configuredTenants[pool]
	return named
}

// addUsage counts portions of a pool, which may become fewer.
func (b *Store) addUsage(pool string, portions, bytes int) {
	had := b.partsByPool[pool] > 0
	b.usage.Groups += portions
	b.usage.Bytes += bytes
	b.partsByPool[pool] += portions
	has := b.partsByPool[pool] > 0
	if !has {
		delete(b.partsByPool, pool)
	}
	if b.IsConfiguredTenant(pool) || pool == "" || had == has {
		return
	}
	if b.otherPools--; has {
		b.otherPools += 2
	}
}

func (b *Store) updateSize(p *GroupPart) {
	size := partSize(p)
	b.usage.Bytes += size - p.size
	p.size = size
}

// admits reports that a further portion of the pool fits into the state. Tenants that the configuration does not name leave
// a quarter to those that it names.
func (b *Store) admits(pool string) bool {
	if b.usageReached(5, 8) {
		Notify(b.ShrinkRequests)
	}
	switch {
	case b.IsConfiguredTenant(pool):
		return b.partsByPool[pool] < reservedGroups || !b.usageReached(1, 1)
	case len(b.configuredTenants) > 0:
		return !b.usageReached(3, 4)
	default:
		return !b.usageReached(1, 1)
	}
}

func (b *Store) limit() alertlog.Size {
	return alertlog.Size{Groups: b.Options.MaxGroups, Bytes: b.Options.MaxBytes}
}

// usageReached reports that the state takes n/of of one of its limits or more.
func (b *Store) usageReached(n, of int) bool {
	limit := b.limit().Fraction(n, of)
	return b.usage.Groups >= limit.Groups || b.usage.Bytes >= limit.Bytes
}

// EvictDelivered takes delivered groups out of the state while it is near its limit: as many as bring it down to half of the
// limit, those first to which nothing has come for longest. It reports whether partitions have something to forget.
func (b *Store) EvictDelivered(now time.Time) bool {
	b.updateNearLimit()
	if !b.nearLimit || now.Before(b.nextEviction) {
		return b.nearLimit
	}
	b.nextEviction = now.Add(evictionInterval)
	target := b.limit().Fraction(1, 2)
	delivered, rest := b.evictable()
	for _, m := range delivered {
		if rest.Within(target) {
			break
		}
		rest = rest.Minus(m.size())
		b.evict(m)
	}
	return true
}

// updateNearLimit sets whether the state is near its limit: from 5/8 of it on, until the state is back at the half.
func (b *Store) updateNearLimit() {
	b.nearLimit = b.usageReached(5, 8) || b.nearLimit && !b.usage.Within(b.limit().Fraction(1, 2))
}

// evictable are the messages that show all of their incidents, those to which nothing has come for longest first, and what the
// state takes once messages that are being left are gone.
func (b *Store) evictable() (delivered []*Message, rest alertlog.Size) {
	rest = b.usage
	for _, m := range b.messages {
		switch {
		case !m.Sent:
		case m.Orphaned: // its portions are about to leave
			rest = rest.Minus(m.size())
		case !m.HasPending() && !m.Unsynced && !m.Urgent:
			delivered = append(delivered, m)
		}
	}
	slices.SortFunc(delivered, func(a, b *Message) int { return a.LastActivity().Compare(b.LastActivity()) })
	return delivered, rest
}

// evict has the portions of a message leave it: it accepts no further groups and is not edited again.
func (b *Store) evict(m *Message) {
	m.Orphaned = true
	for p := range m.Parts {
		if p.Group.Open == m {
			p.Group.Open = nil
		}
	}
	if m.Kind == schemas.AlertDigest {
		m.Channel.EvictedDigests[m.DigestKey()] = m.SentAt
	}
	m.MarkChanged()
	Notify(m.Channel.Changes)
}

// partSize is how many bytes of memory a portion takes.
func partSize(p *GroupPart) int {
	n := alertlog.RecordSize(&p.Record)
	if p.nextLead != nil && p.nextLead != p.Record.Group.Lead {
		n += alertlog.FlagSize(p.nextLead)
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
func (b *Store) Totals(now time.Time) Totals {
	out := Totals{Groups: b.usage.Groups, Bytes: b.usage.Bytes, Messages: len(b.messages)}
	var oldest time.Time
	for _, s := range b.Partitions {
		for _, l := range s.overflow {
			out.Pending += l.Pending
		}
		for _, p := range s.parts {
			out.Pending += p.Pending()
			if p.Pending() == 0 || p.Sent() {
				continue
			}
			if _, quiet := b.Policy.Quiet(p.Group.Labels.Tenant, now); quiet && p.Group.Severity == schemas.SeverityNormal {
				continue
			}
			if !b.partSilencedUntil(p, now).IsZero() {
				continue
			}
			oldest = alertlog.Earliest(oldest, p.PendingSince)
		}
	}
	if !oldest.IsZero() {
		out.OldestPending = max(0, now.Sub(oldest).Seconds())
	}
	return out
}
