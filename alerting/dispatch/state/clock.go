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
func (s *Store) SetClock(now time.Time, loaded bool) bool {
	back := now.Add(clockSlack).Before(s.clock)
	s.clock = now
	if !back && !loaded {
		return false
	}
	s.nextEviction = alertlog.NotAfter(s.nextEviction, now)
	for _, p := range s.Partitions {
		for _, part := range p.parts {
			part.lastAdded, part.PendingSince = alertlog.NotAfter(part.lastAdded, now), alertlog.NotAfter(part.PendingSince, now)
		}
	}
	for _, ch := range s.Channels {
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
