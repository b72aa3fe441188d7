package alertmanager

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/schemas"
)

const (
	maxLabel       = 200
	maxTitle       = 150
	maxSummary     = 300
	maxValue       = 120 // of a short annotation
	maxVersion     = 60
	maxDescription = 4_000
)

// postableAlert is an alert in Alertmanager's API. Labels identify it: two posts with equal labels are one alert.
type postableAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`

	fallback string
}

// minimal returns the form to send when Alertmanager rejects the full one: the same alert with a summary only.
func (p postableAlert) minimal() postableAlert {
	id := p.Annotations["incident_id"]
	p.Annotations, p.GeneratorURL = map[string]string{}, ""
	addAnnotation(p.Annotations, "summary", p.fallback, maxSummary)
	addAnnotation(p.Annotations, "incident_id", id, maxValue)
	return p
}

// postable converts a message. The alert fires from its first incident until the resolve timeout after now, because
// Alertmanager does not notify about an alert that has ended.
func (a *Notifier) postable(alert *schemas.Alert) postableAlert {
	content := *alert
	content.PossiblyDuplicated = false // Alertmanager removes duplicates
	c := card.NewCard(&content, a.render)
	now := a.now().UTC()
	p := postableAlert{
		Labels: alertLabels(alert), Annotations: map[string]string{},
		StartsAt: now, EndsAt: now.Add(a.resolve), fallback: c.Fallback,
	}
	if first := alert.First.UTC(); !alert.First.IsZero() && first.Before(now) {
		p.StartsAt = first
	}
	addAnnotation(p.Annotations, "summary", c.Title, maxTitle)
	addAnnotation(p.Annotations, "description", descriptionText(&c), maxDescription)
	addAnnotation(p.Annotations, "incident_id", card.Clean(alert.Flag.IncidentID, maxValue), maxValue)
	addAnnotation(p.Annotations, "count", strconv.FormatInt(max(alert.Count, 1), 10), maxValue)
	for _, l := range c.Links { // their addresses are the operator's
		switch l.Action {
		case card.ActionTrace:
			p.GeneratorURL = l.URL
		case card.ActionPage:
			p.Annotations["incident_url"] = l.URL
		case card.ActionRunbook:
			p.Annotations["runbook_url"] = l.URL
		}
	}
	return p
}

// descriptionText returns the content of a card without its title.
func descriptionText(c *card.Card) string {
	evidence := make([]string, 0, len(c.Evidence))
	for _, e := range c.Evidence {
		evidence = append(evidence, e.String())
	}
	lines := slices.Concat(c.Notes, c.Feedback, evidence, []string{c.Summary}, c.Groups, []string{"What to do: " + c.Advice})
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// alertLabels returns the labels of the alert, which stay the same for all edits of a message.
func alertLabels(alert *schemas.Alert) map[string]string {
	l := map[string]string{"alertname": "ConfabHallucination", "severity": "warning"}
	if alert.Severity == schemas.SeverityHigh {
		l["severity"] = "critical"
	}
	addTenantLabel(l, cmp.Or(alert.Tenant, alert.Flag.Tenant))
	addLabel(l, "confab_message", alert.Message)
	switch alert.Kind {
	case schemas.AlertDigest:
		l["alertname"] = "ConfabDigest"
		addLabel(l, "cause", string(alert.Cause))
	case schemas.AlertNotice:
		l["alertname"], l["severity"] = "ConfabNotice", "info"
	case schemas.AlertGroup:
		addGroupLabels(l, alert)
	default:
		addGroupLabels(l, alert)
	}
	return l
}

// addTenantLabel adds the tenant. Routes use it, so a name that cleaning would change is quoted instead: it must not equal
// another tenant.
func addTenantLabel(to map[string]string, tenant string) {
	addLabel(to, "tenant", tenant)
	if tenant != "" && to["tenant"] != tenant {
		addLabel(to, "tenant", strconv.QuoteToASCII(tenant))
	}
}

// addGroupLabels adds the labels of the group, or those of the first incident when unset.
func addGroupLabels(l map[string]string, alert *schemas.Alert) {
	f := &alert.Flag
	common := schemas.AlertGroupLabels{Service: f.Service, Operation: f.Operation, Model: f.Model, Detectors: f.Fired}
	if len(alert.Groups) == 1 {
		common = alert.Groups[0].Group
	}
	addLabel(l, "service", common.Service)
	addLabel(l, "operation", common.Operation)
	addLabel(l, "provider", common.Provider)
	addLabel(l, "model", common.Model)
	addLabel(l, "problem", common.Problem)
	addLabel(l, "detectors", strings.Join(slices.Sorted(slices.Values(common.Detectors)), ","))
}

// addLabel adds a label unless it is empty.
func addLabel(to map[string]string, name, value string) {
	addAnnotation(to, name, card.Clean(value, maxLabel), maxLabel)
}

// addAnnotation adds a cleaned text, with characters replaced that a receiver of Alertmanager may read as markup or a
// mention. The escapes of one receiver would be visible in the others.
func addAnnotation(to map[string]string, name, value string, limit int) {
	value = strings.NewReplacer("<", "‹", ">", "›", "@", "＠").Replace(value)
	if value = card.Clamp(value, limit); value != "" {
		to[name] = value
	}
}
