package alertlog

import "time"

// Latest is the later time.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Earliest prefers a time that is known.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// NotAfter is a time that is not to come; zero stays zero.
func NotAfter(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}
