package alerting

import (
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// maxListedGroups are the groups that a digest names.
const maxListedGroups = 10

// showing is what a message showed of each portion when it was handed to the sink.
type showing map[*portion]int64

// inOrder are the portions of a message by the time of their first incident.
func (m *notice) inOrder() []*portion {
	out := make([]*portion, 0, len(m.portions))
	for p := range m.portions {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *portion) int {
		if c := a.rec.Group.First.Compare(b.rec.Group.First); c != 0 {
			return c
		}
		if c := int(a.shelf.number - b.shelf.number); c != 0 {
			return c
		}
		return strings.Compare(a.group.key, b.group.key)
	})
	return out
}

// alert is the message as a sink gets it, and what it shows.
func (b *book) alert(m *notice) (schemas.Alert, showing) {
	a := schemas.Alert{
		Kind: m.kind, Message: m.id, Lane: m.lane, Cause: m.cause, Tenant: m.tenant, Channel: m.channel.name,
		MayRepeat: m.marked || m.mayRepeat && !m.told,
	}
	shown := make(showing, len(m.portions))
	counts := make(map[*group]int64)
	for _, p := range m.inOrder() {
		g := p.rec.Group
		shown[p] = g.Members
		n := g.Members - g.Base
		if n == 0 {
			continue
		}
		counts[p.group] += n
		a.Count += n
		a.First, a.Last = earliest(a.First, g.First), latest(a.Last, g.Last)
		if a.Flag.IncidentID == "" && g.Lead != nil {
			a.Flag, a.Feedback = *g.Lead, slices.Clone(g.Feedback)
		}
		if g.Lead != nil && g.Detector == "" {
			a.Riskiest, _ = rank(a.Riskiest, g.Lead)
		}
		for i := range g.Top {
			a.Riskiest, _ = rank(a.Riskiest, &g.Top[i])
		}
		for _, model := range g.Models {
			a.Models, _ = withModel(a.Models, model)
		}
		if m.kind == schemas.AlertDigest {
			continue
		}
		a.Group = p.group.key
		a.Earlier = p.group.toldBefore(m)
		a.Detector, a.Share = g.Detector, g.Share
	}
	a.Groups, a.More = largest(counts)
	return a, shown
}

// toldBefore counts the group's incidents that other messages than m show.
func (g *group) toldBefore(m *notice) (n int64) {
	for _, p := range g.portions {
		if p.msg == m {
			n += p.rec.Group.Base
		} else {
			n += p.rec.Group.Shown
		}
	}
	return n
}

// largest are the groups of a message with most incidents, and how many others there are.
func largest(counts map[*group]int64) ([]schemas.GroupCount, int) {
	groups := make([]*group, 0, len(counts))
	for g := range counts {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *group) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a.key, b.key)
	})
	n := min(len(groups), maxListedGroups)
	out := make([]schemas.GroupCount, n)
	for i, g := range groups[:n] {
		out[i] = schemas.GroupCount{Group: g.labels, Count: counts[g]}
	}
	return out, len(groups) - n
}

// change is what becomes of a portion's record; false leaves it as it is.
type change func(p *portion, rec *schemas.AlertState) bool

// announce is written before a message is posted: whoever finds it knows that the message may be there. It is written
// once for all attempts.
func (m *notice) announce(now time.Time) change {
	return func(p *portion, rec *schemas.AlertState) bool {
		g := rec.Group
		if g.Message == m.id && rec.Status == schemas.AlertPending && rec.Attempt > 0 {
			return false
		}
		rec.Status, rec.Attempt, rec.UpdatedAt = schemas.AlertPending, rec.Attempt+1, now
		rec.Channel, rec.Timestamp, rec.MayRepeat = "", "", m.mayRepeat
		g.Message, g.Kind, g.Cause, g.Opened = m.id, m.kind, m.cause, time.Time{}
		g.Changed = false
		return true
	}
}

// posted is written once the sink has accepted a message. An earlier attempt may be what the sink has found, or what
// people read: an editor then shows the rest at once, and until it has, nothing counts as shown.
func (m *notice) posted(shown showing, correct bool, now time.Time) change {
	return func(p *portion, rec *schemas.AlertState) bool {
		g := rec.Group
		rec.Status, rec.UpdatedAt, rec.MayRepeat = schemas.AlertSent, now, m.marked
		rec.Channel, rec.Timestamp = m.receipt.Channel, m.receipt.Timestamp
		g.Opened = m.opened
		m.urgent = m.urgent || g.Changed && m.edits // since it was announced
		m.changed()
		if !correct {
			g.Shown = shown[p]
		}
		return true
	}
}

// adopted is written before a message that stands already is edited to tell of further portions: from then on they
// belong to it, whatever happens.
func (m *notice) adopted(now time.Time) change {
	return func(p *portion, rec *schemas.AlertState) bool {
		if rec.Group.Message == m.id && rec.Status == schemas.AlertSent {
			return false
		}
		*rec = m.adopt(*rec)
		rec.UpdatedAt = now
		return true
	}
}

// edited is written once a message shows more.
func (m *notice) edited(shown showing, now time.Time) change {
	return func(p *portion, rec *schemas.AlertState) bool {
		n, ok := shown[p]
		if !ok || rec.Group.Shown == n && !rec.Group.Changed {
			return false
		}
		rec.Group.Shown, rec.Group.Changed, rec.UpdatedAt = n, false, now
		return true
	}
}

// parted is written when a portion leaves a message that stands: what is shown there is told, the rest is not.
func (m *notice) parted(now time.Time) change {
	return func(p *portion, rec *schemas.AlertState) bool {
		g := rec.Group
		g.Base, g.Left = g.Shown, m.id
		leave(rec, now)
		if p.next != nil && p.untold() > 0 {
			newLead(g, p.next, p.since)
		}
		return true
	}
}

// leave takes the record out of its message.
func leave(rec *schemas.AlertState, now time.Time) {
	rec.Status, rec.Attempt, rec.MayRepeat, rec.UpdatedAt = schemas.AlertPending, 0, false, now
	rec.Channel, rec.Timestamp = "", ""
	g := rec.Group
	g.Message, g.Kind, g.Cause, g.Opened = "", "", "", time.Time{}
}

// refusedPause is how long a message waits that the sink refuses.
const refusedPause = time.Minute

// countRepeat notes that the message may repeat another one, and reports whether it does so for the first time.
func (m *notice) countRepeat() bool {
	first := !m.counted
	m.counted = true
	return first
}

// accepted notes that the sink has accepted a message, and returns what is to be written of that.
func (b *book) accepted(m *notice, alert *schemas.Alert, shown showing, at schemas.Receipt, now time.Time) change {
	m.told, m.receipt, m.opened, m.lastTold = true, at, now, now
	m.marked = alert.MayRepeat && !at.Found // every edit keeps the mark: two messages may stand
	correct := b.edits && m.mayRepeat && !m.torn
	m.urgent = correct
	m.changed()
	b.reply(m, &alert.Flag)
	return m.posted(shown, correct, now)
}

// startEdit is what an edit of the message shows, and whether it was urgent. Nothing is shown of a message that has just
// lost a partition: without what that holds it would show less than it has told.
func (b *book) startEdit(m *notice) (alert schemas.Alert, shown showing, urgent bool) {
	if m.torn {
		return schemas.Alert{}, nil, false
	}
	urgent = m.urgent
	m.unsure = true
	m.urgent = false // what comes from now on is due again
	m.changed()
	alert, shown = b.alert(m)
	return alert, shown, urgent
}

// editTried notes the end of an edit; again says that the next one is urgent.
func (m *notice) editTried(now time.Time, again bool) {
	m.lastTold = now
	m.urgent = m.urgent || again
	m.changed()
}

// editWritten notes that the log knows all that the message shows.
func (m *notice) editWritten() {
	m.unsure = false
	m.changed()
}

// failed notes a failure of the sink.
func (m *notice) failed(e *Error, now time.Time) {
	if e.Ambiguous && !m.told {
		m.mayRepeat = true
	}
	if e.Reason == ReasonRefused {
		m.notBefore = now.Add(refusedPause)
	}
	m.changed()
}

// lost counts what was shown of portions that have been taken away since, and that the log does not have as shown.
func (s showing) lost() (n int64) {
	for p, shown := range s {
		if p.shelf.isGone() {
			n += shown - p.rec.Group.Shown
		}
	}
	return n
}

// detachFrom takes those of the portions out of the message that are still in it.
func (b *book) detachFrom(m *notice, portions []*portion) {
	for _, p := range portions {
		if p.msg == m {
			b.detach(p)
		}
	}
}

// records are the new records of some of the message's portions, and what makes them the book's.
func (b *book) records(m *notice, some []*portion, ch change) ([]Entry, func()) {
	var entries []Entry
	var changed []*portion
	var recs []schemas.AlertState
	for _, p := range some {
		rec := p.record()
		if p.msg != m || !ch(p, &rec) {
			continue
		}
		written, g := rec, *rec.Group
		written.Group = &g
		entries, changed, recs = append(entries, Entry{Key: p.group.key, State: &written}), append(changed, p), append(recs, rec)
	}
	return entries, func() {
		for i, p := range changed {
			if recs[i].Group.Members == recs[i].Group.Shown {
				p.next = nil
			}
			b.set(p, recs[i])
		}
	}
}

// in are the message's portions that lie in a partition.
func (m *notice) in(s *shelf) []*portion {
	var out []*portion
	for p := range m.portions {
		if p.shelf == s {
			out = append(out, p)
		}
	}
	return out
}

// shelves are the partitions that the message's portions lie in, in order.
func (m *notice) shelves() []*shelf {
	var out []*shelf
	for p := range m.portions {
		if !slices.Contains(out, p.shelf) {
			out = append(out, p.shelf)
		}
	}
	slices.SortFunc(out, func(a, b *shelf) int { return int(a.number - b.number) })
	return out
}
