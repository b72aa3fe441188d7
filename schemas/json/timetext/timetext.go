// Package timetext parses times of RFC 3339, with or without a zone, without allocations.
package timetext

import (
	"errors"
	"time"
)

// timeLayout is the fixed part of RFC 3339: 0 stands for a digit.
const timeLayout = "0000-00-00T00:00:00"

// ParseTime parses RFC 3339 as UTC, without the allocation of package time for a zone. Letters may be lower case and a
// space may replace the T; a leap second becomes the first second of the next minute. A time without a zone is one of the
// given zone; if that is nil, it is not a time.
func ParseTime(v string, zone *time.Location) (t time.Time, ok bool) {
	if len(v) < len(timeLayout) || !matchesLayout(v) {
		return t, false
	}
	year, month, day := parseDecimal(v[:4]), parseDecimal(v[5:7]), parseDecimal(v[8:10])
	hour, minute, second := parseDecimal(v[11:13]), parseDecimal(v[14:16]), parseDecimal(v[17:19])
	nanos, rest, ok := parseFraction(v[len(timeLayout):])
	if !ok {
		return t, false
	}
	offset, ok := parseZone(rest)
	local := rest == "" && zone != nil
	if !ok && !local {
		return t, false
	}
	if second == 60 {
		second, offset = 59, offset-time.Second
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if !isClock(t, [...]int{year, month, day, hour, minute, second}) {
		return t, false // package time normalized a date such as 30 February
	}
	if t = t.Add(-offset); !local {
		return t, true
	}
	y, mo, d := t.Date()
	h, mi, s := t.Clock()
	return time.Date(y, mo, d, h, mi, s, nanos, zone).UTC(), true
}

// isClock reports whether t is the time with those parts.
func isClock(t time.Time, parts [6]int) bool {
	y, mo, d := t.Date()
	h, mi, s := t.Clock()
	return parts == [...]int{y, int(mo), d, h, mi, s}
}

// ParseLocation returns the zone of an IANA name such as Europe/Rome, UTC, or an offset such as +02:00.
func ParseLocation(name string) (*time.Location, error) {
	if offset, ok := parseZone(name); ok {
		return time.FixedZone(name, int(offset/time.Second)), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, errors.New("not a time zone: write a name such as Europe/Rome, UTC, or an offset such as +02:00")
	}
	return zone, nil
}

// matchesLayout reports whether v begins with timeLayout.
func matchesLayout(v string) bool {
	for i := range len(timeLayout) {
		c, ok := v[i], false
		switch timeLayout[i] {
		case '0':
			ok = c-'0' <= 9
		case 'T':
			ok = c == 'T' || c == 't' || c == ' '
		default:
			ok = c == timeLayout[i]
		}
		if !ok {
			return false
		}
	}
	return true
}

// parseFraction parses an optional fraction of a second; digits past the ninth are dropped.
func parseFraction(v string) (nanos int, rest string, ok bool) {
	if v == "" || v[0] != '.' {
		return 0, v, true
	}
	i, scale := 1, 100_000_000
	for ; i < len(v) && v[i]-'0' <= 9; i++ {
		nanos += int(v[i]-'0') * scale
		scale /= 10
	}
	return nanos, v[i:], i > 1
}

// parseZone parses Z or ±hh:mm, east positive.
func parseZone(v string) (offset time.Duration, ok bool) {
	if v == "Z" || v == "z" {
		return 0, true
	}
	if len(v) != len("+00:00") || (v[0] != '+' && v[0] != '-') || v[3] != ':' {
		return 0, false
	}
	hour, minute := parseDecimal(v[1:3]), parseDecimal(v[4:6])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	offset = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	if v[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// parseDecimal returns the value of a few decimal digits, -1 for other text.
func parseDecimal(v string) int {
	n := 0
	for i := range len(v) {
		d := v[i] - '0'
		if d > 9 {
			return -1
		}
		n = n*10 + int(d)
	}
	return n
}
