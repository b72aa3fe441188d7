package alerting

import (
	"slices"
	"time"

	"confab/schemas"
)

const (
	// reservedGroups are those that each tenant of the configuration may have however many others there are.
	reservedGroups = 20
	// maxPools are the tenants that the configuration does not name and that have messages of their own nevertheless.
	// Further ones share one pool: its digests, its limit of new messages, and the group of what exceeds the state.
	maxPools = 20
	// roomPause is the least time between two searches for what can leave the state.
	roomPause = time.Second
)

// namedTenants are those that the configuration names.
func namedTenants(o *DispatcherOptions) map[string]struct{} {
	named := make(map[string]struct{}, len(o.Tenants))
	for _, name := range o.Tenants {
		named[name] = struct{}{}
	}
	if o.Policy != nil {
		for name := range o.Policy.tenants {
			named[name] = struct{}{}
		}
	}
	return named
}

// pool is who shares new messages, digests and memory with the tenant: nobody, or all tenants of the pool "".
func (b *book) pool(tenant string) string {
	if b.isNamed(tenant) || b.held[tenant] > 0 || b.others < maxPools && !b.pressed {
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
	b.portions += portions
	b.bytes += bytes
	b.held[pool] += portions
	has := b.held[pool] > 0
	if !has {
		delete(b.held, pool)
	}
	if b.isNamed(pool) || pool == "" || had == has {
		return
	}
	if b.others--; has {
		b.others += 2
	}
}

func (b *book) resize(p *portion) {
	size := sizeOf(p)
	b.bytes += size - p.size
	p.size = size
}

// admits reports that a further portion of the pool fits into the state. Tenants that the configuration does not name leave
// a quarter to those that it names.
func (b *book) admits(pool string) bool {
	groups, bytes := b.opts.MaxGroups, b.opts.MaxBytes
	if b.portions >= groups*5/8 || b.bytes >= bytes*5/8 {
		poke(b.full)
	}
	if b.isNamed(pool) && b.held[pool] < reservedGroups {
		return true
	} else if !b.isNamed(pool) && len(b.named) > 0 {
		groups, bytes = groups*3/4, bytes*3/4
	}
	return b.portions < groups && b.bytes < bytes
}

// longest is the queue whose first group has waited longest, nil when all are empty. Tenants of the configuration come first.
func (b *book) longest(queues []*queue) (first *queue) {
	for _, q := range queues {
		if g, ok := q.first(); ok && (first == nil || b.before(g, first.items[0])) {
			first = q
		}
	}
	return first
}

// before reports that a gets a message of its own before b.
func (b *book) before(x, y *group) bool {
	if named := b.isNamed(x.pool); named != b.isNamed(y.pool) {
		return named
	}
	return longer(x, y)
}

// press decides whether what is delivered leaves the state, which it does from 5/8 of a limit on until the half, and has as many messages as necessary left by their groups, those
// to which nothing has come for longest first. It reports whether partitions have something to forget.
func (b *book) press(now time.Time) bool {
	groups, bytes := b.opts.MaxGroups/2, b.opts.MaxBytes/2
	near := b.portions >= b.opts.MaxGroups*5/8 || b.bytes >= b.opts.MaxBytes*5/8
	b.pressed = near || b.pressed && (b.portions > groups || b.bytes > bytes)
	if !b.pressed || now.Before(b.makeRoom) {
		return b.pressed
	}
	b.makeRoom = now.Add(roomPause)
	var told []*notice
	for _, m := range b.messages {
		switch {
		case m.torn && m.told: // its portions are about to leave
			groups, bytes = groups+len(m.portions), bytes+m.size()
		case m.told && !m.behind() && !m.unsure && !m.urgent:
			told = append(told, m)
		}
	}
	slices.SortFunc(told, func(a, b *notice) int { return a.touched().Compare(b.touched()) })
	for _, m := range told {
		if b.portions <= groups && b.bytes <= bytes {
			break
		}
		groups, bytes = groups+len(m.portions), bytes+m.size()
		m.torn = true
		for p := range m.portions {
			if p.group.live == m {
				p.group.live = nil
			}
		}
		if m.kind == schemas.AlertDigest {
			m.channel.agenda.torn[m.digestKey()] = m.opened
		}
		m.changed()
		poke(m.channel.poke)
	}
	return true
}

func (m *notice) size() (n int) {
	for p := range m.portions {
		n += p.size
	}
	return n
}

// Estimated bytes of what the state consists of, maps and allocation classes included. TestStateBytes holds them against the heap.
const (
	portionBytes  = 1700
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

func recordSize(rec *schemas.AlertState) int {
	g := rec.Group
	n := portionBytes + len(g.Labels.Tenant) + len(g.Labels.Service) + len(g.Labels.Operation) + len(g.Labels.Provider) +
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
