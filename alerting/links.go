package alerting

import (
	"net/url"
	"strings"
)

// link leads out of a message. Its address is the operator's: of what others wrote, only a trace's id can be in it.
type link struct{ action, label, url string }

const (
	traceMark = "{trace_id}"
	maxLink   = 3_000 // Slack's limit for the address of a button
)

// traceLink is the address of a trace, "" when none is configured or the id is none.
func traceLink(template, id string) string {
	if !strings.Contains(template, traceMark) || !hexID(id, traceDigits) || strings.Trim(id, "0") == "" {
		return ""
	}
	return webLink(strings.ReplaceAll(template, traceMark, id))
}

// webLink is the address if it is one of the web, else "".
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || len(address) > maxLink {
		return ""
	}
	return u.String()
}
