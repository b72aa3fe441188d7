package json

import (
	"cmp"
	"errors"
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
	if part == nil {
		return parseDate(text, zone, order)
	}
	if part[5] == "" && zone == nil {
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

var millis = regexp.MustCompile(`(:\d\d),(\d{3})$`)

// parseDate parses a date as people write it, with or without a time.
func parseDate(text string, zone *time.Location, order string) (t time.Time, ok bool) {
	if len(text) > 64 || zone == nil {
		return t, false
	}
	plain := strings.NewReplacer(",", "", ". ", " ", " AM", "AM", " PM", "PM", " A.M.", "AM", " P.M.", "PM", "SEPT ", "SEP ", "SEPT. ", "SEP ", " UTC", "Z", " GMT", "Z", " +", "+")
	text = millis.ReplaceAllString(strings.Join(strings.Fields(strings.ToUpper(text)), " "), "$1.$2") // of Python's logs
	text = plain.Replace(strings.TrimSuffix(text, " UHR"))
	dates := []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "2-Jan-2006"}
	for _, day := range []string{"2 Jan", "2 January", "Jan 2", "January 2"} {
		dates = append(dates, day+" 2006", "Mon "+day+" 2006", "Monday "+day+" 2006")
	}
	dates = append(dates, map[string][]string{"dmy": {"2/1/2006", "2-1-2006"}, "mdy": {"1/2/2006", "1-2-2006"}}[order]...)
	for _, date := range dates {
		for _, clock := range []string{"", " 15:04", " 15:04:05", " 3:04PM", " 3:04:05PM", " 15:04Z07:00", " 15:04:05Z07:00", " 3:04PMZ07:00", " 3:04:05PMZ07:00"} {
			if t, err := time.ParseInLocation(date+clock, text, zone); err == nil {
				return t.UTC(), true
			}
		}
	}
	return t, false
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
