package alerting

import (
	"time"

	"confab/schemas"
)

// settle joins what was loaded with its messages, once everything is loaded. A message is edited only by who posted it
// or who has every portion of it; otherwise its portions leave it. It reports whether there was something to join.
func (b *book) settle(now time.Time) bool {
	if len(b.fresh) == 0 || !b.ready() {
		return false
	}
	lost := b.partlyHeld()
	for _, p := range b.fresh {
		if p.shelf.isGone() || p.msg != nil || p.shelf.portions[p.group.key] != p {
			continue
		}
		b.settlePortion(p, lost, now)
		b.refresh(p.group)
	}
	for _, p := range b.fresh {
		if p.told() && p.untold() > 0 {
			p.msg.unsure = b.edits
			p.msg.changed()
			p.doubt = p.rec.Status != schemas.AlertSent // it was announced, and its message was posted
		}
	}
	b.fresh = nil
	if b.hasOverflow() {
		poke(b.toShrink)
	}
	return true
}

// partlyHeld are the messages that show incidents of groups that have left them, or that are not in memory.
func (b *book) partlyHeld() map[string]bool {
	lost := make(map[string]bool)
	for _, s := range b.shelves {
		for _, p := range s.portions {
			lost[p.rec.Group.Left] = true
		}
		for _, l := range s.overflow {
			lost[l.message] = true
		}
	}
	return lost
}

// settlePortion attaches a loaded portion to the message that its record names, if it may have been posted. A message in lost
// shows more than is held, so it is not edited.
func (b *book) settlePortion(p *portion, lost map[string]bool, now time.Time) {
	g := p.rec.Group
	whole := len(b.shelves) == b.partitions && !lost[g.Message]
	sent := p.rec.Status == schemas.AlertSent
	switch {
	case g.Message == "" || !sent && p.rec.Attempt == 0: // nobody has tried to tell of it
		p.doubt = p.rec.MayRepeat
		return
	case !sent && !whole:
		p.doubt = true
		return
	}
	m := b.restore(p, now)
	m.torn = m.torn || !whole
	b.attach(p, m)
}

// restore finds or makes the message that the portion's record names, with what the record says of it.
func (b *book) restore(p *portion, now time.Time) *notice {
	g, sent := p.rec.Group, p.rec.Status == schemas.AlertSent
	m := b.messages[g.Message]
	if m == nil {
		m = b.message(g.Message, p.group, g.Kind, g.Cause)
		m.planned, m.mayRepeat = now, !sent
	}
	if sent && !m.told {
		m.told, m.mayRepeat, m.marked = true, false, p.rec.MayRepeat
		m.opened, m.receipt = g.Opened, schemas.Receipt{Channel: p.rec.Channel, Timestamp: p.rec.Timestamp}
	}
	m.lastTold = latest(m.lastTold, p.rec.UpdatedAt)
	if m.kind == schemas.AlertDigest && m.tenant != p.group.pool {
		m.tenant = "" // of several
		m.changed()
	}
	return m
}

// message makes a message that is not told yet.
func (b *book) message(id string, g *group, kind schemas.AlertKind, cause schemas.DigestCause) *notice {
	m := &notice{
		id: id, kind: kind, cause: cause, lane: g.lane, tenant: g.labels.Tenant, channel: g.channel,
		portions: make(map[*portion]struct{}), edits: b.edits,
	}
	if kind == schemas.AlertDigest {
		m.tenant = g.pool
	}
	b.messages[id] = m
	m.channel.messages[m] = struct{}{}
	m.changed()
	return m
}

// assign makes room for a partition.
func (b *book) assign(number int32) *shelf {
	s := &shelf{
		number: number, turn: make(chan struct{}, 1), loaded: make(chan struct{}), gone: make(chan struct{}),
		portions: make(map[string]*portion), overflow: make(map[string]overflowGroup),
	}
	b.shelves[number] = s
	return s
}

// revoke forgets a partition. Messages that lose a portion by it can no longer be edited.
func (b *book) revoke(number int32) {
	s, ok := b.shelves[number]
	if !ok {
		return
	}
	close(s.gone)
	delete(b.shelves, number)
	for _, p := range s.portions {
		if p.msg != nil {
			p.msg.torn = true
			p.msg.changed()
			p.group.live = nil
		}
		b.drop(p)
	}
	kept := b.fresh[:0]
	for _, p := range b.fresh {
		if p.shelf != s {
			kept = append(kept, p)
		}
	}
	b.fresh = kept
}

// remember takes note of a label, and returns the partitions that are loaded.
func (b *book) remember(label schemas.Feedback) (loaded []*shelf) {
	b.labels.add(label)
	for _, s := range b.shelves {
		if s.isLoaded() {
			loaded = append(loaded, s)
		}
	}
	return loaded
}

// label plans what follows from a label for the partition, nil where nothing does.
func (b *book) label(s *shelf, f schemas.Feedback, now time.Time) *plan {
	was, known := s.log.Get(f.IncidentID)
	if !known || was.Group != nil || was.Silence != nil {
		return nil
	}
	out := plan{apply: func() {}}
	if p := s.portionOf(was.Member); p != nil {
		if lead := p.rec.Group.Lead; lead != nil && lead.IncidentID == f.IncidentID {
			if said, changed := withLabel(p.rec.Group.Feedback, f); changed {
				rec := p.record()
				rec.Group.Feedback, rec.Group.Changed, rec.UpdatedAt = said, true, now
				out.entries = append(out.entries, Entry{Key: p.group.key, State: &rec})
				out.apply = func() { b.labelled(p, rec) }
			}
		}
	}
	if was.Status != schemas.AlertLabelled {
		was.Status, was.UpdatedAt = schemas.AlertLabelled, now
		out.entries = append(out.entries, Entry{Key: f.IncidentID, State: &was})
	}
	if len(out.entries) == 0 {
		return nil
	}
	return &out
}

func (b *book) labelled(p *portion, rec schemas.AlertState) {
	b.set(p, rec)
	if p.told() && b.edits {
		p.msg.urgent = true
		p.msg.changed()
		poke(p.group.channel.poke)
	}
}

// chunk is how many records are written at once.
const chunk = 500

// end plans the end of the partition's groups that are over, as many as one write takes. Nothing to write means that there
// are none.
func (b *book) end(s *shelf, now time.Time) plan {
	var over []*portion
	var out plan
	for _, p := range s.portions {
		if len(over) == chunk {
			break
		}
		if b.over(p, now) {
			over = append(over, p)
			out.entries = append(out.entries, Entry{Key: p.group.key})
		}
	}
	out.apply = func() {
		for _, p := range over {
			b.drop(p)
		}
	}
	return out
}

// tidy forgets what has run out by itself.
func (b *book) tidy(now time.Time) {
	for _, ch := range b.channels {
		for k, at := range ch.torn {
			if !now.Before(at.Add(b.opts.Interval)) {
				delete(ch.torn, k)
			}
		}
	}
	for id, s := range b.silences {
		if !now.Before(s.Until) {
			delete(b.silences, id)
		}
	}
}
