package pagerduty

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/schemas"
)

// Limits of an event, at or below those of PagerDuty. A whole event may have 512 kB.
const (
	maxKey     = 255
	maxSummary = 1_000 // PagerDuty allows 1,024
	maxField   = 250
	maxDetail  = 4_000
)

// The actions of an event.
const (
	actionTrigger     = "trigger"
	actionAcknowledge = "acknowledge"
	actionResolve     = "resolve"
)

// event is a request of the Events API v2.
type event struct {
	RoutingKey string   `json:"routing_key"` // a secret, set when it is sent
	Action     string   `json:"event_action"`
	DedupKey   string   `json:"dedup_key"`
	Payload    *payload `json:"payload,omitempty"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Links      []link   `json:"links,omitempty"`
}

type link struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

type payload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Severity  string            `json:"severity"`
	Timestamp string            `json:"timestamp,omitempty"`
	Component string            `json:"component,omitempty"`
	Group     string            `json:"group,omitempty"`
	Class     string            `json:"class,omitempty"`
	Details   map[string]string `json:"custom_details,omitempty"`
}

// dedupKey identifies the incident at PagerDuty: the group, whose messages continue it, or the message of a digest.
func dedupKey(alert *schemas.Alert) string {
	if alert.Kind != schemas.AlertDigest && alert.Group != "" {
		return plain("confab-"+alert.Group, maxKey)
	}
	return plain("confab-"+cmp.Or(alert.Message, alert.Flag.IncidentID), maxKey)
}

// trigger returns the event that opens or continues the incident.
func trigger(alert *schemas.Alert, opts card.RenderOptions) event {
	content := *alert
	content.PossiblyDuplicated = false // PagerDuty removes duplicates by the dedup_key
	c := card.NewCard(&content, opts)
	f := &alert.Flag
	e := event{Action: actionTrigger, DedupKey: dedupKey(alert), Client: "Confab", Payload: &payload{
		Summary:  plain(c.Fallback, maxSummary),
		Source:   cmp.Or(plain(f.Service, maxField), plain(cmp.Or(alert.Tenant, f.Tenant), maxField), "confab"),
		Severity: severityOf(alert), Component: plain(f.Service, maxField), Group: plain(cmp.Or(alert.Tenant, f.Tenant), maxField),
		Class: className(alert), Details: details(alert, &c, opts.HideExcerpts),
	}}
	if !alert.First.IsZero() {
		e.Payload.Timestamp = alert.First.UTC().Format(time.RFC3339)
	}
	for _, l := range c.Links { // their addresses are the operator's
		e.Links = append(e.Links, link{l.URL, l.Label})
		if l.Action == card.ActionPage {
			e.ClientURL = l.URL
		}
	}
	return e
}

// minimal is the form to send when PagerDuty rejects the full one.
func (e event) minimal() event {
	if e.Payload == nil {
		return e
	}
	p := *e.Payload
	p.Component, p.Group, p.Class, p.Details, p.Timestamp = "", "", "", nil, ""
	return event{Action: e.Action, DedupKey: e.DedupKey, Payload: &p}
}

// severityOf maps severity and recommendation to one of PagerDuty's.
func severityOf(alert *schemas.Alert) string {
	switch {
	case alert.Severity == schemas.SeverityHigh:
		return "critical"
	case alert.Kind == schemas.AlertBroken:
		return "warning"
	case alert.Flag.Recommendation == schemas.Block:
		return "error"
	}
	return "warning"
}

func className(alert *schemas.Alert) string {
	switch alert.Kind {
	case schemas.AlertDigest:
		return "digest"
	case schemas.AlertBroken:
		return "detector broken"
	case schemas.AlertGroup:
	}
	return "possible hallucination"
}

// details are the facts of the alert. Text of the answer and its sources is there only if excerpts are shown.
func details(alert *schemas.Alert, c *card.Card, hidden bool) map[string]string {
	out := map[string]string{}
	addText := func(name, value string, limit int) {
		if value = plain(value, limit); value != "" {
			out[name] = value
		}
	}
	add := func(name, value string) { addText(name, value, maxField) }
	f := &alert.Flag
	addText("summary", c.Summary, maxSummary)
	add("tenant", cmp.Or(alert.Tenant, f.Tenant))
	add("operation", f.Operation)
	add("model", f.Model)
	add("detectors", strings.Join(f.Fired, ", "))
	add("recommendation", string(f.Recommendation))
	if f.Risk != nil {
		add("risk", strconv.FormatFloat(*f.Risk, 'f', 2, 64))
	}
	add("incident_id", f.IncidentID)
	add("trace_id", f.TraceID)
	add("count", strconv.FormatInt(max(alert.Count, 1), 10))
	addText("notes", strings.Join(c.Notes, "\n"), maxDetail)
	addText("groups", strings.Join(c.Groups, "\n"), maxDetail)
	addText("what_to_do", c.Advice, maxDetail)
	if !hidden {
		var evidence []string
		for _, p := range c.Evidence {
			evidence = append(evidence, p.String())
		}
		addText("evidence", strings.Join(evidence, "\n\n"), maxDetail)
	}
	return out
}

// plain replaces what a receiver of PagerDuty may read as markup or a mention, and cuts.
func plain(s string, limit int) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = card.Clean(lines[i], limit)
	}
	s = strings.NewReplacer("<", "‹", ">", "›", "@", "＠").Replace(strings.Join(lines, "\n"))
	return card.Clamp(s, limit)
}
