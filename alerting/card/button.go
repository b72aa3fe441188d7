package card

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"confab/schemas"
)

// Action ids of the links in a message. Slack reports a click on them, and nothing else happens.
const (
	ActionTrace   = "confab_trace"
	ActionRunbook = "confab_runbook"
	ActionPage    = "confab_page"
)

const (
	buttonVersion   = "1"
	incidentDigits  = 64
	groupDigits     = 32
	maxDetectorName = 40
	maxDetectors    = 16 // named in a button; Slack allows 2,000 characters a value
)

// ButtonValue is the value of a button: ids and detector names only, no text of producers.
type ButtonValue struct {
	Incident  string   // 64 lower-case hexadecimal digits
	Group     string   // the group's key, 32 of them; "" when unknown
	Detectors []string // those that fired, sorted
	Judge     *schemas.Judged
}

// String encodes the value. Invalid detector names are left out.
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
	parts := []string{buttonVersion, v.Incident, v.Group, strings.Join(names, ",")}
	if j := v.Judge; j != nil && judgeName.MatchString(j.Model) && judgeName.MatchString(j.Prompt) {
		parts = append(parts, fmt.Sprintf("%t,%s,%s", j.Wrong, j.Prompt, j.Model))
	}
	return strings.Join(parts, ":")
}

// judgeName is the form of a model and of a version of a prompt.
var judgeName = regexp.MustCompile(`^[A-Za-z0-9._:/@-]{1,100}$`)

// parseJudge decodes the last part of a value.
func parseJudge(s string) *schemas.Judged {
	wrong, rest, _ := strings.Cut(s, ",")
	prompt, model, ok := strings.Cut(rest, ",")
	if !ok {
		return nil
	}
	return &schemas.Judged{Model: model, Prompt: prompt, Wrong: wrong == "true"}
}

// ParseButtonValue decodes the output of String and rejects everything else. Its error does not quote s.
func ParseButtonValue(s string) (ButtonValue, error) {
	version, rest, _ := strings.Cut(s, ":")
	incident, rest, _ := strings.Cut(rest, ":")
	group, names, _ := strings.Cut(rest, ":")
	names, judge, _ := strings.Cut(names, ":")
	v := ButtonValue{Incident: incident, Group: group, Judge: parseJudge(judge)}
	if names != "" {
		v.Detectors = strings.Split(names, ",")
	}
	if version != buttonVersion || !isHexID(incident, incidentDigits) || (group != "" && !isHexID(group, groupDigits)) || v.String() != s {
		return ButtonValue{}, errors.New("parse button value: not written by Confab")
	}
	return v, nil
}

// isHexID reports whether s is n lower-case hexadecimal digits.
func isHexID(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// IsIncidentID reports whether id has the form of an incident id.
func IsIncidentID(id string) bool { return isHexID(id, incidentDigits) }

// isDetectorName reports whether s is a lower-case letter, then lower-case letters, digits, "_" and "-".
func isDetectorName(s string) bool {
	if s == "" || len(s) > maxDetectorName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// IsSlackUser reports whether id has the form of a Slack user id: U or W, then capital letters and digits.
func IsSlackUser(id string) bool {
	if len(id) < 2 || len(id) > 21 || (id[0] != 'U' && id[0] != 'W') {
		return false
	}
	return strings.Trim(id[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
