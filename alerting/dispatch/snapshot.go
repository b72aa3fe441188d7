package dispatch

import (
	"iter"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// memberProgress is what the records of members add to the record of their group.
type memberProgress struct {
	Generation, Ordinal int64
	At, UpdatedAt       time.Time
}

// snapshot is what was read from a partition.
type snapshot struct {
	Groups   map[string]schemas.AlertState
	Members  map[string]memberProgress // by group
	Silences map[string]schemas.Silence
	Expired  map[string]struct{} // members that are too old to count; to be deleted
	Posted   []time.Time         // messages that count for the daily limit

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
		Groups: make(map[string]schemas.AlertState), Members: make(map[string]memberProgress),
		Silences: make(map[string]schemas.Silence), Expired: make(map[string]struct{}), oldestMember: now.Add(-maxMemberAge),
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
	switch {
	case rec == nil:
		delete(snap.Groups, key)
		delete(snap.Members, key)
		delete(snap.Silences, key)
		delete(snap.Expired, key)
	case key == dailyLimitKey:
		snap.Posted = rec.Posted
	case rec.Silence != nil:
		snap.Silences[key] = *rec.Silence
	case rec.Group != nil:
		snap.Groups[key] = *rec
	case rec.Member != nil && rec.UpdatedAt.Before(snap.oldestMember):
		if len(snap.Expired) < maxExpired {
			snap.Expired[key] = struct{}{}
		}
	case rec.Member != nil:
		delete(snap.Expired, key)
		m := snap.Members[rec.Member.Group]
		if m.Generation > rec.Member.Generation {
			return
		} else if m.Generation < rec.Member.Generation {
			m = memberProgress{Generation: rec.Member.Generation}
		}
		snap.Members[rec.Member.Group] = memberProgress{
			Generation: m.Generation, Ordinal: max(m.Ordinal, rec.Member.Ordinal), At: Latest(m.At, rec.Member.At), UpdatedAt: Latest(m.UpdatedAt, rec.UpdatedAt),
		}
	}
}
