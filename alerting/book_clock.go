package alerting

import "time"

// clockSlack is by how much the clock may go back without a correction: nothing waits longer than that by mistake.
const clockSlack = time.Minute

// follow notes the time. When the clock was set back, or records of another clock were loaded, times of the book that are
// still to come become now: nothing waits for them. Times of silences and of detection are those of others and stay. It
// reports whether it has corrected times.
func (b *book) follow(now time.Time, loaded bool) bool {
	back := now.Add(clockSlack).Before(b.clock)
	b.clock = now
	if !back && !loaded {
		return false
	}
	b.nextEviction = passed(b.nextEviction, now)
	for _, s := range b.shelves {
		for _, p := range s.portions {
			p.touched, p.since = passed(p.touched, now), passed(p.since, now)
		}
	}
	for _, ch := range b.channels {
		for k, at := range ch.torn {
			ch.torn[k] = passed(at, now)
		}
		for m := range ch.messages {
			m.follow(now)
		}
		for g := range ch.waiting {
			ch.changedGroups[g] = struct{}{}
		}
		poke(ch.poke)
	}
	return true
}

// follow corrects the message's times.
func (m *notice) follow(now time.Time) {
	for _, at := range []*time.Time{&m.opened, &m.lastTold, &m.last, &m.planned} {
		*at = passed(*at, now)
	}
	m.notBefore = passed(m.notBefore, now.Add(refusedPause))
	m.changed()
}

// passed is a time that is not to come; zero stays zero.
func passed(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}
