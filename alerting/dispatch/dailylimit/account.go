package dailylimit

import (
	"iter"
	"slices"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Key is the key of the record in each partition.
const Key = "daily_limit"

// window is how long a message counts.
const window = 24 * time.Hour

// Account has the posted messages of the partitions of this process. A nil account has no limit.
type Account struct {
	limit, partitions int
	posted            map[int32][]time.Time // by loaded partition, the earliest first
}

// NewAccount makes an account; nil if the limit is 0.
func NewAccount(limit, partitions int) *Account {
	if limit <= 0 {
		return nil
	}
	return &Account{limit: limit, partitions: max(1, partitions), posted: map[int32][]time.Time{}}
}

// share is the part of the limit that a partition has.
func (a *Account) share(partition int32) int {
	n := a.limit / a.partitions
	if int(partition) < a.limit%a.partitions {
		n++
	}
	return n
}

// observeRecords passes the records on and keeps the last one under Key in rec.
func observeRecords(records iter.Seq2[alertlog.Entry, error], rec *schemas.AlertState) iter.Seq2[alertlog.Entry, error] {
	return func(yield func(alertlog.Entry, error) bool) {
		for e, err := range records {
			if err == nil && e.Key == Key {
				*rec = schemas.AlertState{}
				if e.State != nil {
					*rec = *e.State
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Load adds a partition with the state of its record. Times after now count as now: the clock has gone back.
func (a *Account) Load(partition int32, rec *schemas.AlertState, now time.Time) {
	if a == nil {
		return
	}
	a.posted[partition] = slices.Clone(rec.Posted)
	a.CorrectTimes(now)
}

// Revoke removes a partition.
func (a *Account) Revoke(partition int32) {
	if a != nil {
		delete(a.posted, partition)
	}
}

// CorrectTimes moves times after now to now.
func (a *Account) CorrectTimes(now time.Time) {
	if a == nil {
		return
	}
	for _, posted := range a.posted {
		for i := range posted {
			posted[i] = alertlog.NotAfter(posted[i], now)
		}
		slices.SortFunc(posted, time.Time.Compare)
	}
}

// counted are the times of the partition that still count.
func (a *Account) counted(partition int32, now time.Time) []time.Time {
	posted := a.posted[partition]
	for len(posted) > 0 && !now.Before(posted[0].Add(window)) {
		posted = posted[1:]
	}
	return posted
}

// Left is how many messages may still be posted, and when there will be one more; limited is false without a limit.
func (a *Account) Left(now time.Time) (left int, more time.Time, limited bool) {
	if a == nil {
		return 0, time.Time{}, false
	}
	for partition := range a.posted {
		counted, share := a.counted(partition, now), a.share(partition)
		left += max(0, share-len(counted))
		if share > 0 && len(counted) >= share { // the limit may have been lowered
			more = alertlog.Earliest(more, counted[len(counted)-share].Add(window))
		}
	}
	return left, more, true
}

// Plan returns what to write before a message is posted: the new record of a partition with something left; ok is false if
// there is none.
func (a *Account) Plan(now time.Time) (partition int32, rec schemas.AlertState, ok bool) {
	most := 0
	for p := range a.posted {
		left := a.share(p) - len(a.counted(p, now))
		if left > most || left == most && left > 0 && p < partition {
			partition, most = p, left
		}
	}
	if most == 0 {
		return 0, rec, false
	}
	rec = schemas.AlertState{Status: schemas.AlertCounted, UpdatedAt: now, Posted: append(slices.Clone(a.counted(partition, now)), now)}
	return partition, rec, true
}

// Apply counts a planned record that the log has.
func (a *Account) Apply(partition int32, rec *schemas.AlertState) {
	if _, owned := a.posted[partition]; owned {
		a.posted[partition] = slices.Clone(rec.Posted)
	}
}
