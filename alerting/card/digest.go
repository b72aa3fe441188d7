package card

import (
	"fmt"
	"slices"
	"strings"

	"confab/schemas"
)

// digestCard returns the card of a digest: the groups with their counts, and the cause.
func digestCard(alert *schemas.Alert, opts RenderOptions) Card {
	c := Card{
		Title:    formatCount(alert.Count, "possible hallucination"),
		Notes:    []string{digestReason(alert.Cause)},
		Groups:   groupLines(alert, !opts.HideExcerpts),
		Evidence: evidencePassages(alert, opts),
		Advice:   "Start with the largest group. All incidents are in the incidents topic; label them with confab label.",
	}
	c.Fallback = c.Title
	if tenant := Clean(alert.Tenant, maxName); tenant != "" {
		c.Title += " · " + tenant
		c.Fallback += " of " + tenant
	}
	c.Fallback += " (digest)"
	severity := ""
	if alert.Severity != "" {
		severity = string(alert.Severity) + " severity"
	}
	c.Summary = joinFacts(alert.Tenant, severity, modelNames(alert))
	if !alert.First.IsZero() {
		c.Context = "first " + formatTime(alert.First) + " · last " + formatTimeAfter(alert.Last, alert.First)
	}
	return c
}

// digestReason returns why the groups are sent as a digest.
func digestReason(cause schemas.DigestCause) string {
	switch cause {
	case schemas.DigestStale:
		return "Late digest: these incidents could not be delivered when they were found."
	case schemas.DigestThrottled:
		return "Digest: many new problems at once."
	}
	return "Digest."
}

// groupLines returns the largest groups of a digest with their counts, and a line for the rest.
func groupLines(alert *schemas.Alert, excerpts bool) []string {
	shown := alert.Groups[:min(len(alert.Groups), maxGroups)]
	rest, more := alert.Count, alert.MoreGroups+len(alert.Groups)-len(shown)
	lines := make([]string, 0, len(shown)+1)
	for i := range shown {
		lines = append(lines, fmt.Sprintf("%d × %s", shown[i].Count, groupLine(&shown[i], excerpts)))
		rest -= shown[i].Count
	}
	if more > 0 {
		line := "and " + formatCount(int64(more), "more group")
		if rest > 0 {
			line += " with " + formatCount(rest, "incident")
		}
		lines = append(lines, line)
	}
	return lines
}

// groupLine returns what a group is about, and its labels. A group of one problem has the sentence and the id of an incident.
func groupLine(g *schemas.GroupCount, excerpts bool) string {
	labels := Clamp(joinFacts(g.Group.Service, g.Group.Operation, g.Group.Provider, g.Group.Model), maxGroupLabels)
	about := strings.Join(atMost(g.Group.Detectors, maxListed, "%d more"), " + ")
	if said := cleanRedacted(g.Said, maxExcerpt); excerpts && said != "" {
		about = said
	} else if found := cleanRedacted(g.Found, maxExcerpt); found != "" {
		about = found
	}
	if labels+about == "" {
		return "ungrouped incidents"
	}
	parts := []string{Clamp(about, maxGroupName), labels, shortID(g.Incident)}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
