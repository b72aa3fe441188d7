package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/schemas"
)

// defaultTenant is the tenant of records without one.
const defaultTenant = "default"

// joinFacts joins names and figures on one line, without empty ones.
func joinFacts(parts ...string) string {
	for i := range parts {
		parts[i] = Clean(parts[i], maxFieldLabel)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// summaryLine returns service, model, risk and recommendation, with tenant and operation when they are set.
func summaryLine(alert *schemas.Alert) string {
	f := &alert.Flag
	tenant, models, risk := f.Tenant, cmp.Or(modelNames(alert), f.Model), ""
	if tenant == defaultTenant {
		tenant = ""
	}
	if f.Risk != nil {
		risk = "risk " + formatDecimal(*f.Risk)
	}
	recommended := ""
	if f.Recommendation != "" {
		recommended = "recommends " + string(f.Recommendation)
	}
	return joinFacts(tenant, f.Service, f.Operation, models, risk, recommended)
}

// modelNames returns the first models of the incidents.
func modelNames(alert *schemas.Alert) string {
	return strings.Join(atMost(alert.Models, maxListed, "%d more"), ", ")
}

// contextLine returns the small print: the time or the count, and the incident's abbreviated id.
func contextLine(alert *schemas.Alert) string {
	first := ""
	if alert.Count > 1 {
		first = groupSummary(alert)
	} else if at := formatTime(alert.Flag.OccurredAt); at != "" {
		first = "answered " + at
	}
	return strings.TrimPrefix(first+" · incident "+shortID(alert.Flag.IncidentID), " · ")
}

// groupSummary returns a summary such as "37 similar, 3 models, last 14:05:10 UTC".
func groupSummary(alert *schemas.Alert) string {
	s := fmt.Sprintf("%d similar", alert.Count-1)
	if n := len(alert.Models); n > 1 {
		s += ", " + formatCount(int64(n), "model")
	}
	if !alert.Last.IsZero() {
		s += ", last " + formatTimeAfter(alert.Last, alert.First)
	}
	return s
}
