package alerting

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"confab/schemas"
)

// joinedLately is what the records of members say beyond the record of their portion.
type joinedLately struct {
	life, ordinal int64
	at, touched   time.Time
}

// overflowGroup is a group of the log that does not fit into memory. It waits to be counted in the group of its pool and to be
// deleted from the log; until then no incident joins it.
type overflowGroup struct {
	life     int64
	message  string // that shows some of it: it is left first
	lane     schemas.Lane
	pool     string
	untold   int64
	doubt    bool // an earlier message may have told of it
	first    time.Time
	last     time.Time
	members  int64
	detector bool
}

// holdings are the records of a partition, read.
type holdings struct {
	portions map[string]schemas.AlertState
	overflow map[string]overflowGroup
	members  map[string]joinedLately // by group
	silences map[string]schemas.Silence
	expired  map[string]struct{}      // members that no longer count
	leads    map[string]*schemas.Flag // an incident of the overflow groups, by the group that is to count them
	sizes    map[string]int
	bytes    int

	limit   func() stateSize // of what is kept
	pool    func(tenant string) string
	expires time.Time // members before it no longer count
}

// memberAge is how old the record of a member may be and still count: what a group has told is in its own record, so older
// ones could only be of incidents that nobody was told of for so long.
const memberAge = 30 * 24 * time.Hour

// maxExpired are the members that are deleted from the log after one reading.
const maxExpired = 10_000

// read takes what the book needs from the records of a partition, in the order of the log. Groups beyond the limit become
// overflow groups: first those that are delivered, then those to which nothing has come for longest.
func (h *holdings) read(records iter.Seq2[Entry, error]) error {
	h.portions, h.overflow = make(map[string]schemas.AlertState), make(map[string]overflowGroup)
	h.members, h.silences = make(map[string]joinedLately), make(map[string]schemas.Silence)
	h.leads, h.expired, h.sizes = make(map[string]*schemas.Flag), make(map[string]struct{}), make(map[string]int)
	for e, err := range records {
		if err != nil {
			return err
		}
		h.take(e.Key, e.State)
	}
	h.shrink(h.limit())
	h.addMembers()
	return nil
}

func (h *holdings) take(key string, rec *schemas.AlertState) {
	switch {
	case rec == nil:
		h.remove(key)
		delete(h.members, key)
		delete(h.silences, key)
		delete(h.expired, key)
	case rec.Silence != nil:
		h.silences[key] = *rec.Silence
	case rec.Group != nil:
		h.remove(key)
		h.portions[key] = *rec
		h.sizes[key] = recordSize(rec)
		h.bytes += h.sizes[key]
		if limit := h.limit(); !h.size().within(limit) {
			h.shrink(limit.fraction(7, 8)) // some way below, so that it is rarely needed
		}
	case rec.Member != nil && rec.UpdatedAt.Before(h.expires):
		if len(h.expired) < maxExpired {
			h.expired[key] = struct{}{}
		}
	case rec.Member != nil:
		delete(h.expired, key)
		m := h.members[rec.Member.Group]
		if m.life > rec.Member.Life {
			return
		} else if m.life < rec.Member.Life {
			m = joinedLately{life: rec.Member.Life}
		}
		h.members[rec.Member.Group] = joinedLately{
			life: m.life, ordinal: max(m.ordinal, rec.Member.Ordinal), at: latest(m.at, rec.Member.At), touched: latest(m.touched, rec.UpdatedAt),
		}
	}
}

func (h *holdings) remove(key string) {
	h.bytes -= h.sizes[key]
	delete(h.sizes, key)
	delete(h.portions, key)
	delete(h.overflow, key)
}

func (h *holdings) size() stateSize { return stateSize{len(h.portions), h.bytes} }

// shrink makes groups overflow until the others are within the target.
func (h *holdings) shrink(target stateSize) {
	if h.size().within(target) {
		return
	}
	for _, key := range h.removable() {
		if h.size().within(target) {
			return
		}
		h.setAside(key)
	}
}

// removable are the groups that may overflow: delivered ones first, then those to which nothing has come for longest. The groups of pools stay.
func (h *holdings) removable() []string {
	keys := make([]string, 0, len(h.portions))
	for key, rec := range h.portions {
		if key != poolGroup(rec.Group.Labels.Tenant, rec.Group.Lane).key() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := h.portions[a], h.portions[b]
		if c := cmp.Compare(pending(&x), pending(&y)); c != 0 {
			return c
		}
		return x.UpdatedAt.Compare(y.UpdatedAt)
	})
	return keys
}

// setAside keeps only the counts of a group.
func (h *holdings) setAside(key string) {
	rec := h.portions[key]
	g := rec.Group
	h.remove(key)
	pool := h.pool(g.Labels.Tenant)
	if counts := poolGroup(pool, g.Lane).key(); h.leads[counts] == nil && pending(&rec) > 0 {
		h.leads[counts] = g.Lead
	}
	h.overflow[key] = overflowGroup{
		life: g.Life, message: g.Message, lane: g.Lane, pool: pool, untold: g.Members - g.Shown,
		doubt: rec.MayRepeat || rec.Status == schemas.AlertPending && rec.Attempt > 0,
		first: g.First, last: g.Last, members: g.Members, detector: g.Detector != "",
	}
}

// pending is 1 for a record with incidents that no message shows.
func pending(rec *schemas.AlertState) int {
	if rec.Group.Members > rec.Group.Shown {
		return 1
	}
	return 0
}

// addMembers adds the members that the records of their groups do not count yet, and takes out groups that have been counted
// in another one.
func (h *holdings) addMembers() {
	for key, l := range h.overflow {
		if m := h.members[key]; m.life == l.life && m.ordinal > l.members {
			l.untold += m.ordinal - l.members
			l.last = latest(l.last, m.at)
			h.overflow[key] = l
		}
	}
	for _, rec := range h.portions {
		for _, folded := range rec.Group.Folded {
			h.markFolded(folded)
		}
	}
}

// markFolded notes a group that another one counts: only its record is still to be deleted.
func (h *holdings) markFolded(f schemas.AlertFolded) {
	if rec, ok := h.portions[f.Group]; ok && rec.Group.Life == f.Life {
		message := rec.Group.Message
		h.remove(f.Group)
		h.overflow[f.Group] = overflowGroup{life: f.Life, message: message}
	} else if l, ok := h.overflow[f.Group]; ok && l.life == f.Life {
		h.overflow[f.Group] = overflowGroup{life: l.life, message: l.message}
	}
}

// load takes over what a partition holds, and what is to be written to log from then on. It returns the labels that came
// before.
func (b *book) load(s *shelf, h *holdings, log Log, now time.Time) []schemas.Feedback {
	for _, silence := range h.silences {
		b.silence(silence, now)
	}
	for key, rec := range h.portions {
		g := rec.Group
		p := &portion{
			shelf: s, rec: rec, touched: rec.UpdatedAt,
			group: b.group(key, groupKind{labels: g.Labels, lane: g.Lane, detector: g.Detector, share: g.Share}),
		}
		if m := h.members[key]; m.life == g.Life {
			g.Members = max(g.Members, m.ordinal)
			g.Last, p.touched = latest(g.Last, m.at), latest(p.touched, m.touched)
		}
		p.since = g.First
		if g.Shown > 0 {
			p.since = g.Last
		}
		b.add(p)
		b.fresh = append(b.fresh, p)
	}
	s.overflow, s.expired, s.leads, s.log = h.overflow, h.expired, h.leads, log
	close(s.loaded)
	return b.labels.all()
}
