package alerting

import (
	"slices"
	"time"

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
func namedTenants(o *bookOptions) map[string]struct{} {
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
func (b *book) pool(tenant string) string {
	if b.isNamed(tenant) || b.held[tenant] > 0 || b.unnamed < maxPools && !b.nearLimit {
		return tenant
	}
	return ""
}

// namedPool is the tenant where the configuration names it, else the pool of the others. It needs no lock.
func (b *book) namedPool(tenant string) string {
	if b.isNamed(tenant) {
		return tenant
	}
	return ""
}

// isNamed reports that the pool is a tenant that the configuration names.
func (b *book) isNamed(pool string) bool {
	_, named := b.named[pool]
	return named
}

// charge counts portions of a pool, which may become fewer.
func (b *book) charge(pool string, portions, bytes int) {
	had := b.held[pool] > 0
	b.size.groups += portions
	b.size.bytes += bytes
	b.held[pool] += portions
	has := b.held[pool] > 0
	if !has {
		delete(b.held, pool)
	}
	if b.isNamed(pool) || pool == "" || had == has {
		return
	}
	if b.unnamed--; has {
		b.unnamed += 2
	}
}

func (b *book) resize(p *portion) {
	size := sizeOf(p)
	b.size.bytes += size - p.size
	p.size = size
}

// admits reports that a further portion of the pool fits into the state. Tenants that the configuration does not name leave
// a quarter to those that it names.
func (b *book) admits(pool string) bool {
	if b.reached(5, 8) {
		poke(b.toShrink)
	}
	switch {
	case b.isNamed(pool):
		return b.held[pool] < reservedGroups || !b.reached(1, 1)
	case len(b.named) > 0:
		return !b.reached(3, 4)
	default:
		return !b.reached(1, 1)
	}
}

// stateSize is what the state takes, or may take.
type stateSize struct{ groups, bytes int }

// minus is s without o.
func (s stateSize) minus(o stateSize) stateSize {
	return stateSize{s.groups - o.groups, s.bytes - o.bytes}
}

// fraction is n/of of a limit.
func (s stateSize) fraction(n, of int) stateSize {
	return stateSize{s.groups * n / of, s.bytes * n / of}
}

// within reports that neither groups nor bytes exceed the limit.
func (s stateSize) within(limit stateSize) bool {
	return s.groups <= limit.groups && s.bytes <= limit.bytes
}

func (b *book) limit() stateSize { return stateSize{groups: b.opts.MaxGroups, bytes: b.opts.MaxBytes} }

// reached reports that the state takes n/of of one of its limits or more.
func (b *book) reached(n, of int) bool {
	limit := b.limit().fraction(n, of)
	return b.size.groups >= limit.groups || b.size.bytes >= limit.bytes
}

// evictDelivered takes delivered groups out of the state while it is near its limit: as many as bring it down to half of the
// limit, those first to which nothing has come for longest. It reports whether partitions have something to forget.
func (b *book) evictDelivered(now time.Time) bool {
	b.updateNearLimit()
	if !b.nearLimit || now.Before(b.nextEviction) {
		return b.nearLimit
	}
	b.nextEviction = now.Add(evictionInterval)
	target := b.limit().fraction(1, 2)
	delivered, rest := b.evictable()
	for _, m := range delivered {
		if rest.within(target) {
			break
		}
		rest = rest.minus(m.size())
		b.evict(m)
	}
	return true
}

// updateNearLimit sets whether the state is near its limit: from 5/8 of it on, until the state is back at the half.
func (b *book) updateNearLimit() {
	b.nearLimit = b.reached(5, 8) || b.nearLimit && !b.size.within(b.limit().fraction(1, 2))
}

// evictable are the messages that show all of their incidents, those to which nothing has come for longest first, and what the
// state takes once messages that are being left are gone.
func (b *book) evictable() (delivered []*notice, rest stateSize) {
	rest = b.size
	for _, m := range b.messages {
		switch {
		case !m.told:
		case m.torn: // its portions are about to leave
			rest = rest.minus(m.size())
		case !m.behind() && !m.unsure && !m.urgent:
			delivered = append(delivered, m)
		}
	}
	slices.SortFunc(delivered, func(a, b *notice) int { return a.touched().Compare(b.touched()) })
	return delivered, rest
}

// evict has the portions of a message leave it: it accepts no further groups and is not edited again.
func (b *book) evict(m *notice) {
	m.torn = true
	for p := range m.portions {
		if p.group.live == m {
			p.group.live = nil
		}
	}
	if m.kind == schemas.AlertDigest {
		m.channel.torn[m.digestKey()] = m.opened
	}
	m.changed()
	poke(m.channel.poke)
}

func (m *notice) size() stateSize {
	out := stateSize{groups: len(m.portions)}
	for p := range m.portions {
		out.bytes += p.size
	}
	return out
}

// Estimated bytes of what the state consists of, maps and allocation classes included. TestStateBytes holds them against the heap.
const (
	groupBytes    = 1700
	flagBytes     = 700
	signalBytes   = 112
	evidenceBytes = 128
	measureBytes  = 28
	stringBytes   = 8 // what an allocation rounds up to, on average
)

// sizeOf is how many bytes of memory a portion takes.
func sizeOf(p *portion) int {
	n := recordSize(&p.rec)
	if p.next != nil && p.next != p.rec.Group.Lead {
		n += flagSize(p.next)
	}
	return n
}

// recordSize is how many bytes of memory the record of a group takes.
func recordSize(rec *schemas.AlertState) int {
	g := rec.Group
	n := groupBytes + len(g.Labels.Tenant) + len(g.Labels.Service) + len(g.Labels.Operation) + len(g.Labels.Provider) +
		len(g.Labels.Model) + textSize(g.Labels.Detectors) + textSize(g.Models)
	if g.Lead != nil {
		n += flagSize(g.Lead)
	}
	for i := range g.Top {
		n += flagSize(&g.Top[i])
	}
	for i := range g.Feedback {
		n += 200 + len(g.Feedback[i].User) + len(g.Feedback[i].Comment)
	}
	return n
}

// flagSize is how many bytes of memory a flag takes.
func flagSize(f *schemas.Flag) int {
	n := flagBytes + len(f.InteractionID) + len(f.Tenant) + len(f.Service) + len(f.Operation) + len(f.Provider) + len(f.Model) +
		len(f.TraceID) + len(f.SpanID) + len(f.ConversationID) + len(f.Calibration) + len(f.WorkerVersion) + textSize(f.Fired) +
		len(f.Unusual)*2*measureBytes
	for i := range f.Signals {
		s := &f.Signals[i]
		n += signalBytes + len(s.Detector) + len(s.Reason) + 2*stringBytes + len(s.Measures)*2*measureBytes
		for j := range s.Evidence {
			e := &s.Evidence[j]
			n += evidenceBytes + len(e.Excerpt) + len(e.Note) + len(e.Citation) + len(e.SourceID) + 2*stringBytes
		}
	}
	return n
}

func textSize(texts []string) (n int) {
	for _, s := range texts {
		n += 16 + len(s) + stringBytes
	}
	return n
}
