package json

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"confab/internal/recordformat"
)

// timeShape is RFC 3339, with or without seconds and a zone, or a date alone. Package time is less strict.
var timeShape = regexp.MustCompile(`^(?i)(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$`)

// parseTime parses RFC 3339 as UTC. Letters may be lower case and a space may replace the T; a leap second becomes the first
// second of the next minute. A time without a zone is one of the given zone, a date its midnight; if that is nil, it is not a time.
// With a zone, dates that people write are read, too; order says whether day or month is first where that is open: dmy, mdy, or "".
func parseTime(text string, zone *time.Location, order string) (t time.Time, ok bool) {
	part := timeShape.FindStringSubmatch(text)
	if part == nil && zone != nil {
		part = timeShape.FindStringSubmatch(rewriteDate(text, order))
	}
	if part == nil || part[5] == "" && zone == nil {
		return t, false
	}
	part[2] = cmp.Or(part[2], "00:00")
	var leap time.Duration
	switch part[3] {
	case "":
		part[3] = "00"
	case "60":
		part[3], leap = "59", time.Second
	}
	shape, local := time.RFC3339, strings.ToUpper(part[5])
	if local == "" {
		shape = "2006-01-02T15:04:05"
	} else {
		zone = time.UTC
	}
	t, err := time.ParseInLocation(shape, part[1]+"T"+part[2]+":"+part[3]+part[4]+local, zone)
	return t.Add(leap).UTC(), err == nil
}

// dateShape is year, day, and month or its name in any order, and a time of 12 or 24 hours.
var dateShape = regexp.MustCompile(`^(?i)(?:[a-z]{3,9},? )?(\d{1,4}|[a-z]{3,9})(?:st|nd|rd|th)?(\.? |[./-])(\d{1,2}|[a-z]{3,9})(?:st|nd|rd|th)?(?:[.,]? |[./-])(\d{1,4})` +
	`(?:,? (?:at )?(\d\d?):(\d\d)(:\d\d(?:\.\d+)?)?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT|[+-]\d\d:\d\d))?)?$`)

// rewriteDate writes such a time as RFC 3339; "" for another text, or one whose order is open.
func rewriteDate(text, order string) string {
	part := dateShape.FindStringSubmatch(strings.Join(strings.Fields(text[:min(len(text), 64)]), " "))
	if part == nil {
		return ""
	}
	open := part[2][0] != '.' && part[3] < "A" // which of two numbers is the day
	day, month, year := part[1], part[3], part[4]
	switch {
	case part[1] < "A" && len(part[1]) == 4:
		year, day = part[1], part[4]
	case part[1] >= "A", open && order == "mdy":
		day, month = part[3], part[1]
	case open && order != "dmy":
		return ""
	}
	number := func(s string) (n int) { n, _ = strconv.Atoi(s); return n }
	m := time.Month(number(month))
	for month >= "A" && m <= time.December && (m == 0 || !strings.HasPrefix(strings.ToLower(m.String()), strings.ToLower(month))) {
		m++
	}
	hour := number(part[5])
	if half := strings.ToLower(part[8]); half != "" && 1 <= hour && hour <= 12 {
		hour = hour%12 + 12*strings.Index("ap", half)
	}
	zone := strings.NewReplacer("UTC", "Z", "GMT", "Z").Replace(strings.ToUpper(part[9]))
	return fmt.Sprintf("%s-%02d-%02dT%02d:%s%s%s", year, m, number(day), hour, cmp.Or(part[6], "00"), part[7], zone)
}

// ParseTime is a time as records have it: RFC 3339 or a date that people write, without a zone that of UTC, or a number since 1970;
// zero for another text, and for one of another order of day and month: dmy, mdy, or "".
func ParseTime(text, order string) (t time.Time) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if ms, ok := recordformat.MillisOf(n); ok {
			t = time.UnixMilli(ms).UTC()
		}
		return t
	}
	t, _ = parseTime(text, time.UTC, order)
	return t
}

// ParseLocation returns the zone of an IANA name such as Europe/Rome, UTC, or an offset such as +02:00.
func ParseLocation(name string) (*time.Location, error) {
	if at, ok := parseTime("2006-01-02T15:04:05"+name, nil, ""); ok {
		offset := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC).Sub(at)
		return time.FixedZone(name, int(offset/time.Second)), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, errors.New("not a time zone: write a name such as Europe/Rome, UTC, or an offset such as +02:00")
	}
	return zone, nil
}
