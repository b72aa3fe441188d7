package alertlog

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"confab/schemas"
)

// MemberProgress is what the records of members add to the record of their group.
type MemberProgress struct {
	Generation, Ordinal int64
	At, UpdatedAt       time.Time
}

// OverflowGroup is a group of the log that does not fit into memory. It is counted in the group of its pool and deleted from
// the log; until then no incident is added to it.
type OverflowGroup struct {
	Generation         int64
	Message            string // a message that shows the group; its other groups detach first
	Severity           schemas.Severity
	Pool               string
	Pending            int64
	PossiblyDuplicated bool // an earlier message may show it
	First              time.Time
	Last               time.Time
	members            int64
	detector           bool
}

// Snapshot is what was read from a partition.
type Snapshot struct {
	Groups   map[string]schemas.AlertState
	Overflow map[string]OverflowGroup
	Members  map[string]MemberProgress // by group
	Silences map[string]schemas.Silence
	Expired  map[string]struct{}      // members that are too old to count
	Leads    map[string]*schemas.Flag // first flags of overflow groups, by the group that will count them
	sizes    map[string]int
	bytes    int

	Limit        func() Size // of the groups in memory
	Pool         func(tenant string) string
	OldestMember time.Time // older members do not count
}

// MaxMemberAge is how old the record of a member may be and still count. The record of its group has the members that were
// delivered, so older ones could only be pending that long.
const MaxMemberAge = 30 * 24 * time.Hour

// maxExpired is how many members are deleted from the log after one reading.
const maxExpired = 10_000

// Read reads the records of a partition in the order of the log. Groups beyond the limit become overflow groups: delivered
// ones first, then those that were updated least recently.
func (snap *Snapshot) Read(records iter.Seq2[Entry, error]) error {
	snap.Groups, snap.Overflow = make(map[string]schemas.AlertState), make(map[string]OverflowGroup)
	snap.Members, snap.Silences = make(map[string]MemberProgress), make(map[string]schemas.Silence)
	snap.Leads, snap.Expired, snap.sizes = make(map[string]*schemas.Flag), make(map[string]struct{}), make(map[string]int)
	for e, err := range records {
		if err != nil {
			return err
		}
		snap.applyRecord(e.Key, e.State)
	}
	snap.shrink(snap.Limit())
	snap.addMembers()
	return nil
}

func (snap *Snapshot) applyRecord(key string, rec *schemas.AlertState) {
	switch {
	case rec == nil:
		snap.removeGroup(key)
		delete(snap.Members, key)
		delete(snap.Silences, key)
		delete(snap.Expired, key)
	case rec.Silence != nil:
		snap.Silences[key] = *rec.Silence
	case rec.Group != nil:
		snap.removeGroup(key)
		snap.Groups[key] = *rec
		snap.sizes[key] = RecordSize(rec)
		snap.bytes += snap.sizes[key]
		if limit := snap.Limit(); !snap.size().Within(limit) {
			snap.shrink(limit.Fraction(7, 8)) // with a margin, so that it is rarely needed
		}
	case rec.Member != nil && rec.UpdatedAt.Before(snap.OldestMember):
		if len(snap.Expired) < maxExpired {
			snap.Expired[key] = struct{}{}
		}
	case rec.Member != nil:
		delete(snap.Expired, key)
		m := snap.Members[rec.Member.Group]
		if m.Generation > rec.Member.Generation {
			return
		} else if m.Generation < rec.Member.Generation {
			m = MemberProgress{Generation: rec.Member.Generation}
		}
		snap.Members[rec.Member.Group] = MemberProgress{
			Generation: m.Generation, Ordinal: max(m.Ordinal, rec.Member.Ordinal), At: Latest(m.At, rec.Member.At), UpdatedAt: Latest(m.UpdatedAt, rec.UpdatedAt),
		}
	}
}

func (snap *Snapshot) removeGroup(key string) {
	snap.bytes -= snap.sizes[key]
	delete(snap.sizes, key)
	delete(snap.Groups, key)
	delete(snap.Overflow, key)
}

func (snap *Snapshot) size() Size { return Size{len(snap.Groups), snap.bytes} }

// shrink turns groups into overflow groups until the rest is within the target.
func (snap *Snapshot) shrink(target Size) {
	if snap.size().Within(target) {
		return
	}
	for _, key := range snap.overflowCandidates() {
		if snap.size().Within(target) {
			return
		}
		snap.overflow(key)
	}
}

// overflowCandidates are the groups that may overflow, in that order. Groups of pools stay.
func (snap *Snapshot) overflowCandidates() []string {
	keys := make([]string, 0, len(snap.Groups))
	for key, rec := range snap.Groups {
		if key != PoolGroup(rec.Group.Labels.Tenant, rec.Group.Severity).Key() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := snap.Groups[a], snap.Groups[b]
		return cmp.Or(cmp.Compare(pendingRank(&x), pendingRank(&y)), x.UpdatedAt.Compare(y.UpdatedAt), cmp.Compare(a, b))
	})
	return keys
}

// overflow reduces a group to its counts.
func (snap *Snapshot) overflow(key string) {
	rec := snap.Groups[key]
	g := rec.Group
	snap.removeGroup(key)
	pool := snap.Pool(g.Labels.Tenant)
	if counts := PoolGroup(pool, g.Severity).Key(); snap.Leads[counts] == nil && pendingRank(&rec) > 0 {
		snap.Leads[counts] = g.Lead
	}
	snap.Overflow[key] = OverflowGroup{
		Generation: g.Generation, Message: g.Message, Severity: g.Severity, Pool: pool, Pending: g.Members - g.DisplayedCount,
		PossiblyDuplicated: rec.PossiblyDuplicated || rec.Status == schemas.AlertPending && rec.Attempt > 0,
		First:              g.First, Last: g.Last, members: g.Members, detector: g.Detector != "",
	}
}

// pendingRank is 1 for a record with pending incidents, else 0.
func pendingRank(rec *schemas.AlertState) int {
	if rec.Group.Members > rec.Group.DisplayedCount {
		return 1
	}
	return 0
}

// addMembers adds members that the records of their groups do not count yet, and removes groups that another group counts.
func (snap *Snapshot) addMembers() {
	for key, l := range snap.Overflow {
		if m := snap.Members[key]; m.Generation == l.Generation && m.Ordinal > l.members {
			l.Pending += m.Ordinal - l.members
			l.Last = Latest(l.Last, m.At)
			snap.Overflow[key] = l
		}
	}
	for _, rec := range snap.Groups {
		for _, folded := range rec.Group.Folded {
			snap.markFolded(folded)
		}
	}
}

// markFolded removes a group that another one counts. Its record is still to be deleted.
func (snap *Snapshot) markFolded(f schemas.AlertFolded) {
	if rec, ok := snap.Groups[f.Group]; ok && rec.Group.Generation == f.Generation {
		message := rec.Group.Message
		snap.removeGroup(f.Group)
		snap.Overflow[f.Group] = OverflowGroup{Generation: f.Generation, Message: message}
	} else if l, ok := snap.Overflow[f.Group]; ok && l.Generation == f.Generation {
		snap.Overflow[f.Group] = OverflowGroup{Generation: l.Generation, Message: l.Message}
	}
}

// Add adds the pending incidents of another group. A group about a detector has no incidents.
func (l *OverflowGroup) Add(o OverflowGroup) {
	if o.Pending == 0 || o.detector {
		return
	}
	l.Pending += o.Pending
	l.PossiblyDuplicated = l.PossiblyDuplicated || o.PossiblyDuplicated
	l.First, l.Last = Earliest(l.First, o.First), Latest(l.Last, o.Last)
}
