package dispatch

import (
	"iter"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// memberProgress is what the records of members add to the record of their group.
type memberProgress struct {
	generation, ordinal int64
	at, updatedAt       time.Time
}

// snapshot is what was read from a partition.
type snapshot struct {
	groups   map[string]schemas.AlertState
	members  map[string]memberProgress // by group
	silences map[string]schemas.Silence
	waiting  map[string]waiting
	expired  map[string]struct{} // records of incidents that are too old to count; to be deleted

	oldestMember time.Time
}

const (
	// maxMemberAge is how old the record of a member may be and still count. The record of its group has the members that were
	// delivered, so older ones could only be pending that long.
	maxMemberAge = 30 * 24 * time.Hour
	// maxExpired is how many members are deleted from the log after one reading.
	maxExpired = 10_000
)

// readSnapshot reads the records of a partition in the order of the log.
func readSnapshot(records iter.Seq2[alerting.StateEntry, error], now time.Time) (*snapshot, error) {
	snap := &snapshot{
		groups: make(map[string]schemas.AlertState), members: make(map[string]memberProgress),
		silences: make(map[string]schemas.Silence), waiting: make(map[string]waiting), expired: make(map[string]struct{}), oldestMember: now.Add(-maxMemberAge),
	}
	for e, err := range records {
		if err != nil {
			return nil, err
		}
		snap.applyRecord(e.Key, e.State)
	}
	return snap, nil
}

func (snap *snapshot) applyRecord(key string, rec *schemas.AlertState) {
	delete(snap.waiting, key)
	if rec == nil {
		delete(snap.groups, key)
		delete(snap.members, key)
		delete(snap.silences, key)
		delete(snap.expired, key)
		return
	}
	switch {
	case rec.Silence != nil:
		snap.silences[key] = *rec.Silence
	case rec.Group != nil:
		snap.groups[key] = *rec
	case rec.Waiting != nil:
		snap.waiting[key] = waiting{rec.Waiting, rec.Until}
	case isIncident(rec) && rec.UpdatedAt.Before(snap.oldestMember):
		if len(snap.expired) < maxExpired {
			snap.expired[key] = struct{}{}
		}
	default:
		if delete(snap.expired, key); rec.Member != nil {
			snap.applyMember(rec)
		}
	}
}

func (snap *snapshot) applyMember(rec *schemas.AlertState) {
	m := snap.members[rec.Member.Group]
	if m.generation > rec.Member.Generation {
		return
	} else if m.generation < rec.Member.Generation {
		m = memberProgress{generation: rec.Member.Generation}
	}
	snap.members[rec.Member.Group] = memberProgress{
		generation: m.generation, ordinal: max(m.ordinal, rec.Member.Ordinal), at: latest(m.at, rec.Member.At), updatedAt: latest(m.updatedAt, rec.UpdatedAt),
	}
}

// isIncident reports whether nothing but time can follow from the record of an incident.
func isIncident(rec *schemas.AlertState) bool {
	return rec.Member != nil || rec.Status == schemas.AlertCleared || rec.Status == schemas.AlertLabelled
}
