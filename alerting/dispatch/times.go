package dispatch

import "time"

// latest returns the later time.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earliest returns the earlier time. Zero means unknown.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// notAfter returns at, or now if at is later: the clock of another process may be ahead.
func notAfter(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}
