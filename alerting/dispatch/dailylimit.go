package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

const (
	// dailyLimitKey is the key of the record in each partition.
	dailyLimitKey = "daily_limit"
	// dailyWindow is how long a message counts.
	dailyWindow = 24 * time.Hour
)

// dailyLimit counts the messages about new problems that were posted in the last 24 hours. The limit is divided among the
// partitions of llm.alerts, so that replicas need not ask each other: the sum over all partitions never exceeds it. Messages
// that the log does not count yet are reserved. The caller owns the lock, the clock and the writes.
type dailyLimit struct {
	limit, partitions int                   // limit 0: none
	pause             time.Duration         // between digests because of the limit
	posted            map[int32][]time.Time // by loaded partition, the earliest first
	reserved          map[*message]struct{}
	digests           map[digestKey]time.Time // when the last digest because of the limit was planned
}

func newDailyLimit(o *GroupOptions, partitions int) *dailyLimit {
	return &dailyLimit{
		limit: o.DailyLimit, partitions: max(1, partitions), pause: min(o.Repeat, o.StaleAfter),
		posted: map[int32][]time.Time{}, reserved: map[*message]struct{}{}, digests: map[digestKey]time.Time{},
	}
}

// share is the part of the limit that a partition has.
func (l *dailyLimit) share(partition int32) int {
	n := l.limit / l.partitions
	if int(partition) < l.limit%l.partitions {
		n++
	}
	return n
}

// load adds a partition with the times of its record. Times after now count as now: the clock has gone back.
func (l *dailyLimit) load(partition int32, posted []time.Time, now time.Time) {
	l.posted[partition] = slices.Clone(posted)
	l.correctTimes(now)
}

// revoke removes a partition.
func (l *dailyLimit) revoke(partition int32) { delete(l.posted, partition) }

// correctTimes moves times after now to now.
func (l *dailyLimit) correctTimes(now time.Time) {
	for _, posted := range l.posted {
		for i := range posted {
			posted[i] = notAfter(posted[i], now)
		}
		slices.SortFunc(posted, time.Time.Compare)
	}
	for k, at := range l.digests {
		l.digests[k] = notAfter(at, now)
	}
}

// counted are the times of the partition that still count.
func (l *dailyLimit) counted(partition int32, now time.Time) []time.Time {
	posted := l.posted[partition]
	for len(posted) > 0 && !now.Before(posted[0].Add(dailyWindow)) {
		posted = posted[1:]
	}
	return posted
}

// left is how many new messages there may be now, at most the given number. Without any, more is when there will be one.
func (l *dailyLimit) left(most int, now time.Time) (left int, more time.Time) {
	if l.limit == 0 {
		return most, time.Time{}
	}
	for partition := range l.posted {
		counted, share := l.counted(partition, now), l.share(partition)
		left += max(0, share-len(counted))
		if share > 0 && len(counted) >= share { // the limit may have been lowered
			more = earliest(more, counted[len(counted)-share].Add(dailyWindow))
		}
	}
	for m := range l.reserved {
		if m.phase == closed { // dissolved before it was posted
			delete(l.reserved, m)
			continue
		}
		left--
	}
	return max(0, min(most, left)), more
}

// noteMessage notes a planned message. One of a group is reserved. After a digest because of the limit, further incidents of
// its pool and severity wait for the next one, unless edits show them.
func (l *dailyLimit) noteMessage(m *message, now time.Time) {
	switch {
	case l.limit == 0:
	case m.kind == schemas.AlertGroup:
		l.reserved[m] = struct{}{}
	case m.cause == schemas.DigestDailyLimit:
		l.digests[m.digestKey()] = now
	}
}

// digestDue is when the next digest of the key may be posted, as far as the limit is concerned.
func (l *dailyLimit) digestDue(k digestKey) time.Time {
	at, ok := l.digests[k]
	if !ok {
		return time.Time{}
	}
	return at.Add(l.pause)
}

// plan returns what to write before a reserved message is posted: the new record of the partition with most left; ok is false
// if none has anything left.
func (l *dailyLimit) plan(now time.Time) (partition int32, rec schemas.AlertState, ok bool) {
	most := 0
	for p := range l.posted {
		left := l.share(p) - len(l.counted(p, now))
		if left > most || left == most && left > 0 && p < partition {
			partition, most = p, left
		}
	}
	rec = schemas.AlertState{Status: schemas.AlertCounted, UpdatedAt: now, Posted: append(slices.Clone(l.counted(partition, now)), now)}
	return partition, rec, most > 0
}

// apply counts a message whose planned record the log has.
func (l *dailyLimit) apply(m *message, partition int32, posted []time.Time) {
	if _, owned := l.posted[partition]; owned {
		l.posted[partition] = posted
	}
	delete(l.reserved, m)
}

// dropExpired forgets digests whose pause is over.
func (l *dailyLimit) dropExpired(now time.Time) {
	for k := range l.digests {
		if !now.Before(l.digestDue(k)) {
			delete(l.digests, k)
		}
	}
}

// countMessage writes that a new message counts for the daily limit, before it is announced. It reports false if the message
// must not be posted: then it is dissolved, or the error says that the caller tries again.
func (d *Dispatcher) countMessage(ctx context.Context, m *message) (bool, *alerting.Error) {
	var p *partition
	var number int32
	var rec schemas.AlertState
	due := false
	d.locked(func() {
		if _, due = d.planner.daily.reserved[m]; !due {
			return
		}
		left := false
		if number, rec, left = d.planner.daily.plan(d.Now()); left {
			p = d.store.partitions[number]
		} else { // partitions were revoked
			d.store.dissolve(m)
		}
	})
	if !due || p == nil {
		return !due, nil
	}
	err := p.exclusive(ctx, func() error {
		if p.isRevoked() {
			return alerting.ErrNotOwned
		}
		if err := p.put(ctx, alerting.StateEntry{Key: dailyLimitKey, State: &rec}); err != nil {
			return err
		}
		d.locked(func() { d.planner.daily.apply(m, number, rec.Posted) })
		return nil
	})
	if errors.Is(err, alerting.ErrNotOwned) {
		return false, &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	}
	return err == nil, d.logWriteError(ctx, err)
}
