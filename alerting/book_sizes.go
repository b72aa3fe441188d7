package alerting

import (
	"time"

	"confab/schemas"
)

// sizes are what waits to be delivered.
type sizes struct {
	groups   int     // in memory
	bytes    int     // that they take
	untold   int64   // incidents that no message shows yet
	overdue  float64 // seconds since the oldest incident was detected of which no message tells
	messages int
}

// sizes are how much waits. What is held until quiet hours or a silence end is not overdue.
func (b *book) sizes(now time.Time) sizes {
	out := sizes{groups: b.size.groups, bytes: b.size.bytes, messages: len(b.messages)}
	var oldest time.Time
	for _, s := range b.shelves {
		for _, l := range s.overflow {
			out.untold += l.untold
		}
		for _, p := range s.portions {
			out.untold += p.untold()
			if p.untold() == 0 || p.told() {
				continue
			}
			if _, quiet := b.policy.Quiet(p.group.labels.Tenant, now); quiet && p.group.lane == schemas.LaneNormal {
				continue
			}
			if !b.waitsForSilence(p, now).IsZero() {
				continue
			}
			oldest = earliest(oldest, p.since)
		}
	}
	if !oldest.IsZero() {
		out.overdue = max(0, now.Sub(oldest).Seconds())
	}
	return out
}
