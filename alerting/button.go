package alerting

import (
	"errors"
	"slices"
	"strings"
)

// The ids of links in a message.
const (
	ActionTrace   = "confab_trace"   // only a link: Slack reports the click, nothing happens
	ActionRunbook = "confab_runbook" // likewise
)

const (
	buttonVersion   = "1"
	incidentDigits  = 64
	groupDigits     = 32
	traceDigits     = 32
	maxDetectorName = 40
	maxDetectors    = 16 // named in a button; what Slack gives a value, 2,000 characters, has room for more
)

// ButtonValue is what a button carries through Slack and back: ids and names of ours, nothing that others wrote.
type ButtonValue struct {
	Incident  string   // 64 lower-case hexadecimal digits
	Group     string   // the group's key, 32 of them; "" when the message knows none
	Detectors []string // which had fired, sorted
}

// String is the value as a button carries it. A detector's name that does not look like one is left out.
func (v ButtonValue) String() string {
	var names []string
	for _, d := range v.Detectors {
		if isDetectorName(d) {
			names = append(names, d)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	names = names[:min(len(names), maxDetectors)]
	return strings.Join([]string{buttonVersion, v.Incident, v.Group, strings.Join(names, ",")}, ":")
}

// ParseButtonValue reads what String wrote and refuses everything else. Its error does not quote.
func ParseButtonValue(s string) (ButtonValue, error) {
	version, rest, _ := strings.Cut(s, ":")
	incident, rest, _ := strings.Cut(rest, ":")
	group, names, _ := strings.Cut(rest, ":")
	v := ButtonValue{Incident: incident, Group: group}
	if names != "" {
		v.Detectors = strings.Split(names, ",")
	}
	if version != buttonVersion || !isHexID(incident, incidentDigits) || (group != "" && !isHexID(group, groupDigits)) || v.String() != s {
		return ButtonValue{}, errors.New("the button's value is none of ours")
	}
	return v, nil
}

// isHexID reports n lower-case hexadecimal digits.
func isHexID(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// IsIncidentID reports what an incident's id looks like.
func IsIncidentID(id string) bool { return isHexID(id, incidentDigits) }

// isDetectorName reports what a detector may be called: a lower-case letter, then letters, digits, "_" and "-".
func isDetectorName(s string) bool {
	if s == "" || len(s) > maxDetectorName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// IsSlackUser reports what Slack calls a user: U or W, then capital letters and digits.
func IsSlackUser(id string) bool {
	if len(id) < 2 || len(id) > 21 || (id[0] != 'U' && id[0] != 'W') {
		return false
	}
	return strings.Trim(id[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
