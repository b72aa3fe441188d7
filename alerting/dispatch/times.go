package dispatch

import "time"

// Latest returns the later time.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Earliest returns the earlier time. Zero means unknown.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// NotAfter returns at, or now if at is later.
func NotAfter(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}
