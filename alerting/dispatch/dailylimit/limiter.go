package dailylimit

import (
	"iter"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// Limiter applies the limit to planned messages. Messages that the log does not count yet are reserved.
type Limiter struct {
	store    *state.Store
	account  *Account // nil: no limit
	reserved map[*state.Message]struct{}
	digests  map[state.DigestKey]time.Time // when the last digest because of the limit was planned
	reads    map[int32]*schemas.AlertState // records of partitions that are being loaded
}

// NewLimiter makes a limiter with the limit of the store's options, which may be 0 for none.
func NewLimiter(s *state.Store, partitions int) *Limiter {
	return &Limiter{
		store: s, account: NewAccount(s.Options.DailyLimit, partitions), reserved: map[*state.Message]struct{}{},
		digests: map[state.DigestKey]time.Time{}, reads: map[int32]*schemas.AlertState{},
	}
}

// Left is how many new messages there may be now, at most the given number. Without any, more is when there will be one.
func (l *Limiter) Left(most int, now time.Time) (left int, more time.Time) {
	free, more, limited := l.account.Left(now)
	if !limited {
		return most, time.Time{}
	}
	for m := range l.reserved {
		if m.Phase == state.Closed { // dissolved before it was posted
			delete(l.reserved, m)
			continue
		}
		free--
	}
	return max(0, min(most, free)), more
}

// NoteMessage notes a planned message. One of a group is reserved. After a digest because of the limit, further incidents of
// its pool and severity wait for the next one, unless edits show them.
func (l *Limiter) NoteMessage(m *state.Message, now time.Time) {
	switch {
	case l.account == nil:
	case m.Kind == schemas.AlertGroup:
		l.reserved[m] = struct{}{}
	case m.Cause == schemas.DigestDailyLimit:
		k := m.DigestKey()
		l.digests[k] = now
		l.store.HoldBack(k, l.DigestDue(k))
	}
}

// DigestDue is when the next digest of the key may be posted, as far as the limit is concerned.
func (l *Limiter) DigestDue(k state.DigestKey) time.Time {
	at, ok := l.digests[k]
	if !ok {
		return time.Time{}
	}
	return at.Add(min(l.store.Options.Repeat, l.store.Options.StaleAfter))
}

// Plan returns the record to write before a reserved message is posted, and its partition. Without a partition the message
// must not be posted: partitions were revoked, and the others have nothing left. due is false for messages that do not
// count.
func (l *Limiter) Plan(m *state.Message, now time.Time) (p *state.Partition, write *Write, due bool) {
	if _, due = l.reserved[m]; !due {
		return nil, nil, false
	}
	number, rec, ok := l.account.Plan(now)
	if !ok {
		return nil, nil, true
	}
	return l.store.Partitions[number], &Write{message: m, partition: number, Record: rec}, true
}

// Write is a planned record.
type Write struct {
	message   *state.Message
	partition int32
	Record    schemas.AlertState
}

// Apply counts the message of a write that the log has.
func (l *Limiter) Apply(w *Write) {
	l.account.Apply(w.partition, &w.Record)
	delete(l.reserved, w.message)
}

// Read passes on the records of a partition that is being loaded, and keeps that of the limit.
func (l *Limiter) Read(partition int32, records iter.Seq2[alertlog.Entry, error]) iter.Seq2[alertlog.Entry, error] {
	rec := &schemas.AlertState{}
	l.reads[partition] = rec
	return observeRecords(records, rec)
}

// Loaded adds a partition whose records were read.
func (l *Limiter) Loaded(partition int32, now time.Time) {
	if rec := l.reads[partition]; rec != nil {
		l.account.Load(partition, rec, now)
		delete(l.reads, partition)
	}
}

// Revoke removes a partition.
func (l *Limiter) Revoke(partition int32) { l.account.Revoke(partition) }

// CorrectTimes moves times after now to now.
func (l *Limiter) CorrectTimes(now time.Time) {
	l.account.CorrectTimes(now)
	for k, at := range l.digests {
		l.digests[k] = alertlog.NotAfter(at, now)
	}
}

// DropExpired forgets digests whose pause is over.
func (l *Limiter) DropExpired(now time.Time) {
	for k := range l.digests {
		if !now.Before(l.DigestDue(k)) {
			delete(l.digests, k)
		}
	}
}
