package alertmanager

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/alerting"
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

// postableAlert is an alert as Alertmanager takes it. Labels identify it: two posts with equal labels are one alert.
type postableAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`

	fallback string
}

// minimal is the form that Alertmanager gets when it refuses the full one: the same alert, with one line to say.
func (p postableAlert) minimal() postableAlert {
	id := p.Annotations["incident_id"]
	p.Annotations, p.GeneratorURL = map[string]string{}, ""
	annotate(p.Annotations, "summary", p.fallback, maxSummary)
	annotate(p.Annotations, "incident_id", id, maxValue)
	return p
}

// postable makes an alert of a message. It fires from its first incident until nothing was told of it for a while, counted
// from now: an end in the past, as that of incidents told late would be, tells nobody.
func (a *Notifier) postable(alert *schemas.Alert) postableAlert {
	told := *alert
	told.PossiblyDuplicated = false // the same alert again is no repetition
	c := alerting.NewCard(&told, a.look)
	now := a.now().UTC()
	p := postableAlert{
		Labels: labelsOf(alert), Annotations: map[string]string{},
		StartsAt: now, EndsAt: now.Add(a.resolve), fallback: c.Fallback,
	}
	if first := alert.First.UTC(); !alert.First.IsZero() && first.Before(now) {
		p.StartsAt = first
	}
	annotate(p.Annotations, "summary", c.Title, maxTitle)
	annotate(p.Annotations, "description", describe(&c), maxDescription)
	annotate(p.Annotations, "incident_id", alerting.Clean(alert.Flag.IncidentID, maxValue), maxValue)
	annotate(p.Annotations, "count", strconv.FormatInt(max(alert.Count, 1), 10), maxValue)
	for _, l := range c.Links { // their addresses are the operator's
		switch l.Action {
		case alerting.ActionTrace:
			p.GeneratorURL = l.URL
		case alerting.ActionRunbook:
			p.Annotations["runbook_url"] = l.URL
		}
	}
	return p
}

// describe is what a card says below its title.
func describe(c *alerting.Card) string {
	var facts []string
	for _, f := range c.Fields {
		facts = append(facts, f.Label+": "+strings.ReplaceAll(f.Value, "\n", "; "))
	}
	lines := slices.Concat(c.Notes, c.Feedback, facts, c.Groups, []string{c.Advice}, c.Evidence)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// labelsOf are the labels of a message's alert, the same as long as the message lives.
func labelsOf(alert *schemas.Alert) map[string]string {
	l := map[string]string{"alertname": "ConfabHallucination", "severity": "warning"}
	if alert.Severity == schemas.SeverityHigh {
		l["severity"] = "critical"
	}
	labelTenant(l, cmp.Or(alert.Tenant, alert.Flag.Tenant))
	label(l, "confab_message", alert.Message)
	switch alert.Kind {
	case schemas.AlertDigest:
		l["alertname"] = "ConfabDigest"
		label(l, "cause", string(alert.Cause))
	case schemas.AlertBroken:
		l["alertname"] = "ConfabDetectorBroken"
		label(l, "detectors", alert.Detector)
	case schemas.AlertGroup:
		labelGroup(l, alert)
	default:
		labelGroup(l, alert)
	}
	return l
}

// labelTenant adds the tenant. Receivers are chosen by it, so a name that would look like another one once it is clean is
// spelled out instead.
func labelTenant(to map[string]string, tenant string) {
	label(to, "tenant", tenant)
	if tenant != "" && to["tenant"] != tenant {
		label(to, "tenant", strconv.QuoteToASCII(tenant))
	}
}

// labelGroup adds what the incidents of the group have in common; where the caller has not said, what the first one has.
func labelGroup(l map[string]string, alert *schemas.Alert) {
	f := &alert.Flag
	common := schemas.AlertGroupLabels{Service: f.Service, Operation: f.Operation, Model: f.Model, Detectors: f.Fired}
	if len(alert.Groups) == 1 {
		common = alert.Groups[0].Group
	}
	label(l, "service", common.Service)
	label(l, "operation", common.Operation)
	label(l, "provider", common.Provider)
	label(l, "model", common.Model)
	label(l, "detectors", strings.Join(slices.Sorted(slices.Values(common.Detectors)), ","))
}

// label adds a label; Alertmanager takes an empty one for an absent one.
func label(to map[string]string, name, value string) {
	annotate(to, name, alerting.Clean(value, maxLabel), maxLabel)
}

// annotate adds a text that is clean already, in a form that no receiver behind Alertmanager takes for a mention, a link or
// markup: whatever escapes one of them would show in all others.
func annotate(to map[string]string, name, value string, limit int) {
	value = strings.NewReplacer("<", "‹", ">", "›", "@", "＠").Replace(value)
	if value = alerting.Clamp(value, limit); value != "" {
		to[name] = value
	}
}
