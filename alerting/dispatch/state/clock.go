package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
)

// clockSlack is how far the clock may go back without a correction.
const clockSlack = time.Minute

// SetClock sets the time. When the clock went back, or records of another process were loaded, it moves future times of the
// store to now, so that nothing waits for them. Times of silences and detections stay. It reports whether it moved times.
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
