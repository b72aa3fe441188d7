package card

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"confab/schemas"
)

const (
	maxLink      = 3_000 // characters; Slack's limit for a button
	maxLinkValue = 200   // bytes of a value in a link
)

// Link is a link to an address that the operator configured, with at most ids and names of an interaction in it.
type Link struct{ Action, Label, URL string }

// linkValues are what stands for placeholders in an address.
func linkValues(f *schemas.Flag) map[string]string {
	occurred := ""
	if !f.OccurredAt.IsZero() {
		occurred = strconv.FormatInt(f.OccurredAt.UnixMilli(), 10)
	}
	return map[string]string{
		"{trace_id}": f.TraceID, "{span_id}": f.SpanID, "{interaction_id}": f.InteractionID, "{conversation_id}": f.ConversationID,
		"{tenant}": f.Tenant, "{service}": f.Service, "{occurred_at_ms}": occurred,
	}
}

// CheckLink checks an address with placeholders: it has one at least, no unknown one, and none before its path.
func CheckLink(template string) error {
	const known = "{trace_id}, {span_id}, {interaction_id}, {conversation_id}, {tenant}, {service}, {occurred_at_ms}"
	found := regexp.MustCompile(`\{[^}]*\}?`).FindAllString(template, -1)
	for _, p := range found {
		if _, ok := linkValues(&schemas.Flag{})[p]; !ok {
			return fmt.Errorf("has an unknown placeholder: use %s; write other braces as %%7B and %%7D", known)
		}
	}
	_, address, _ := strings.Cut(template, "://")
	host, _, _ := strings.Cut(address, "/")
	if cut := strings.IndexAny(host, "?#"); cut >= 0 {
		host = host[:cut]
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("has no placeholder, such as https://traces.example.com/trace/{trace_id}: use one of %s", known)
	case strings.Contains(host, "{"):
		return errors.New("has a placeholder in its host: records must not choose it; use placeholders in the path and the query only")
	}
	return nil
}

// TraceLink returns the address of an interaction in another system, by the configured address with placeholders. It is ""
// when none is configured, or when a value is missing or has characters that an id or a name should not have.
func TraceLink(template string, f *schemas.Flag) string {
	if CheckLink(template) != nil {
		return ""
	}
	var pairs []string
	for placeholder, value := range linkValues(f) {
		if !strings.Contains(template, placeholder) {
			continue
		}
		if !isLinkValue(value) || isZeroID(placeholder, value) {
			return ""
		}
		pairs = append(pairs, placeholder, strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
	}
	return webLink(strings.NewReplacer(pairs...).Replace(template))
}

// isZeroID reports whether a value is the id of no trace or span.
func isZeroID(placeholder, value string) bool {
	return (placeholder == "{trace_id}" || placeholder == "{span_id}") && strings.Trim(value, "0") == ""
}

// isLinkValue reports whether a value is an id or a name. Percent-encoding makes any value safe in an address; characters with
// a meaning to the page behind it, and steps up in its path, are refused all the same.
func isLinkValue(s string) bool {
	if s == "" || s == "." || len(s) > maxLinkValue || strings.Contains(s, "..") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_.:/@+=~,|", r)
	})
}

// pageLink returns the address of an incident on the page, "" when none is configured or the id is invalid.
func pageLink(base, incident string) string {
	if base == "" || !isHexID(incident, incidentDigits) {
		return ""
	}
	return webLink(strings.TrimRight(base, "/") + "/incidents/" + incident)
}

// webLink returns the address if it is a valid HTTP URL, else "".
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || len(address) > maxLink {
		return ""
	}
	return u.String()
}
