package alerting

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// QuietHours are hours of the week, in local time, in which alerts of normal severity wait.
type QuietHours struct {
	// On which days they begin: mon, tue, wed, thu, fri, sat, sun. Empty: every day.
	Days []string `yaml:"days"`
	// When they begin, as HH:MM.
	From string `yaml:"from"`
	// When they end, as HH:MM. Before the beginning means on the next day; 24:00 is midnight.
	To string `yaml:"to"`
	// Time zone by its IANA name, such as Europe/Berlin. Empty: UTC.
	TimeZone string `yaml:"time_zone"`
}

const (
	dayMinutes = 24 * 60
	week       = 7 * 24 * time.Hour
)

// quietWindow is QuietHours, parsed.
type quietWindow struct {
	days     [7]bool // by time.Weekday
	from, to int     // minutes since midnight
	zone     *time.Location
}

// weekdayNames returns the names of days in the order of time.Weekday.
func weekdayNames() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// quietWindows parses quiet hours and leaves out invalid ones.
func quietWindows(list []QuietHours) []quietWindow {
	var ws []quietWindow
	for _, q := range list {
		if w, errs := q.window(""); errs == nil {
			ws = append(ws, w)
		}
	}
	return ws
}

// window parses the hours. Errors name the setting by its path.
func (q QuietHours) window(path string) (quietWindow, []error) {
	var w quietWindow
	var errs []error
	fail := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s.%s: %s", path, key, fmt.Sprintf(format, args...)))
	}
	names := weekdayNames()
	for _, day := range q.Days {
		at := slices.Index(names, day)
		if at < 0 {
			fail("days", "%q is not a day; use %s", day, strings.Join(append(names[1:], names[0]), ", "))
			continue
		}
		w.days[at] = true
	}
	if len(q.Days) == 0 {
		w.days = [7]bool{true, true, true, true, true, true, true}
	}
	var ok bool
	if w.from, ok = parseMinutes(q.From); !ok || w.from == dayMinutes {
		fail("from", "%q is not a time of day; use 00:00 to 23:59", q.From)
	}
	if w.to, ok = parseMinutes(q.To); !ok {
		fail("to", "%q is not a time of day; use 00:00 to 24:00", q.To)
	}
	if errs == nil && w.from == w.to {
		fail("to", "%s is when the quiet hours begin; write another time, or 00:00 to 24:00 for whole days", q.To)
	}
	zone, err := time.LoadLocation(q.TimeZone)
	if err != nil || q.TimeZone == "Local" {
		fail("time_zone", "%q is not a time zone; use an IANA name such as Europe/Berlin, or leave it out for UTC", q.TimeZone)
	}
	w.zone = zone
	return w, errs
}

// parseMinutes parses HH:MM, up to 24:00, as minutes since midnight.
func parseMinutes(text string) (int, bool) {
	if text == "24:00" {
		return dayMinutes, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == len("15:04")
}

// remaining returns how long the window still lasts, 0 outside it. It ignores clock changes.
func (w *quietWindow) remaining(local time.Time) time.Duration {
	h, m, s := local.Clock()
	since := time.Duration(h*3600+m*60+s)*time.Second + time.Duration(local.Nanosecond())
	from, to := time.Duration(w.from)*time.Minute, time.Duration(w.to)*time.Minute
	today := w.days[local.Weekday()]
	switch {
	case from < to && today && since >= from && since < to:
		return to - since
	case from < to:
		return 0
	case today && since >= from:
		return 24*time.Hour - since + to
	case w.days[(local.Weekday()+6)%7] && since < to: // since yesterday
		return to - since
	}
	return 0
}

// quietUntil reports whether now lies in a window, and when the windows end; adjacent windows are one. It stops after a
// week for windows that never end.
//
// Windows are in local time: an hour that a clock change repeats is quiet twice, and an hour that it skips is not.
func quietUntil(ws []quietWindow, now time.Time) (until time.Time, quiet bool) {
	until = now
	for i := 0; i < len(ws) && until.Sub(now) <= week; i++ {
		local := until.In(ws[i].zone)
		left := ws[i].remaining(local)
		if left == 0 {
			continue
		}
		end := until.Add(left)
		if _, change := local.ZoneBounds(); !change.IsZero() && change.Before(end) {
			end = change // evaluated again from there in the new offset
		}
		until, quiet = end.In(now.Location()), true
		i = -1
	}
	return until, quiet
}

// validateQuiet reports every invalid setting, and hours that never end.
func validateQuiet(path string, list []QuietHours) []error {
	var errs []error
	ws := make([]quietWindow, 0, len(list))
	for i, q := range list {
		w, invalid := q.window(fmt.Sprintf("%s[%d]", path, i))
		ws, errs = append(ws, w), append(errs, invalid...)
	}
	if errs != nil {
		return errs
	}
	monday := time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) // any day
	if until, _ := quietUntil(ws, monday); until.Sub(monday) > week {
		errs = append(errs, fmt.Errorf("%s: quiet hours never end, so alerts of normal severity would never be sent; leave a gap", path))
	}
	return errs
}
