package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
)

// clockSlack is by how much the clock may go back without a correction: nothing waits longer than that by mistake.
const clockSlack = time.Minute

// SetClock notes the time. When the clock was set back, or records of another clock were loaded, times of the book that are
// still to come become now: nothing waits for them. Times of silences and of detection are those of others and stay. It
// reports whether it has corrected times.
func (b *Store) SetClock(now time.Time, loaded bool) bool {
	back := now.Add(clockSlack).Before(b.clock)
	b.clock = now
	if !back && !loaded {
		return false
	}
	b.nextEviction = alertlog.NotAfter(b.nextEviction, now)
	for _, s := range b.Partitions {
		for _, p := range s.parts {
			p.lastAdded, p.PendingSince = alertlog.NotAfter(p.lastAdded, now), alertlog.NotAfter(p.PendingSince, now)
		}
	}
	for _, ch := range b.Channels {
		for k, at := range ch.EvictedDigests {
			ch.EvictedDigests[k] = alertlog.NotAfter(at, now)
		}
		for m := range ch.Messages {
			m.correctTimes(now)
		}
		for g := range ch.WaitingGroups {
			ch.ChangedGroups[g] = struct{}{}
		}
		Notify(ch.Changes)
	}
	return true
}
