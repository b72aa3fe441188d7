package alerting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// digestCard tells of many groups at once: how many incidents each has, and why they come together.
func digestCard(alert *schemas.Alert, opts RenderOptions) Card {
	c := Card{
		Title:    formatCount(alert.Count, "possible hallucination"),
		Notes:    []string{digestReason(alert.Cause)},
		Groups:   groupLines(alert),
		Evidence: evidenceTexts(shownFlags(alert), incidentDigits, !opts.HideExcerpts),
	}
	c.Fallback = "[digest] " + c.Title
	if tenant := Clean(alert.Tenant, maxName); tenant != "" {
		c.Title += " · " + tenant
		c.Fallback += " of " + tenant
	}
	c.Fields = slices.DeleteFunc([]Field{
		{"Tenant", Clean(alert.Tenant, maxFieldValue)},
		{"Lane", Clean(string(alert.Lane), maxFieldLabel)},
		occurrenceField(alert),
		digestModelField(alert),
	}, func(e Field) bool { return e.Value == "" })
	c.Context = slices.DeleteFunc([]Field{
		{"", "Every incident is in the incidents topic; confab label takes its id."},
		{"calibration", Clean(alert.Flag.Calibration, maxName)},
		{"confab", Clean(alert.Flag.WorkerVersion, maxName)},
	}, func(e Field) bool { return e.Value == "" })
	return c
}

// digestReason says what made a digest of messages that would have come one by one.
func digestReason(cause schemas.DigestCause) string {
	switch cause {
	case schemas.DigestStale:
		return "Told late and together: nobody could be reached when these were found."
	case schemas.DigestThrottled:
		return "Told together: more new problems came at once than alerting.new_messages lets through."
	case schemas.DigestQuiet:
		return "Told together: these came in quiet hours."
	}
	return "Told together."
}

// groupLines are the largest groups of a digest with their counts, and a line for the rest.
func groupLines(alert *schemas.Alert) []string {
	shown := alert.Groups[:min(len(alert.Groups), maxGroups)]
	rest, more := alert.Count, alert.More+len(alert.Groups)-len(shown)
	lines := make([]string, 0, len(shown)+1)
	for i := range shown {
		lines = append(lines, fmt.Sprintf("%d × %s", shown[i].Count, groupName(&shown[i].Group)))
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

// groupName is what the incidents of a group have in common.
func groupName(l *schemas.AlertGroupLabels) string {
	var parts []string
	for _, s := range []string{l.Service, l.Operation, l.Provider, l.Model} {
		if s = Clean(s, maxFieldLabel); s != "" {
			parts = append(parts, s)
		}
	}
	var names []string
	for _, d := range l.Detectors[:min(len(l.Detectors), maxListed)] {
		if d = Clean(d, maxFieldLabel); d != "" {
			names = append(names, d)
		}
	}
	if more := len(l.Detectors) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) > 0 {
		parts = append(parts, strings.Join(names, " + "))
	}
	if len(parts) == 0 {
		return "incidents that were not told apart"
	}
	return Clamp(strings.Join(parts, " · "), maxGroupName)
}

// digestModelField is the field of the models, empty when there are none to name.
func digestModelField(alert *schemas.Alert) Field {
	if len(alert.Models) == 0 {
		return Field{}
	}
	if len(alert.Models) == 1 {
		return Field{"Model", Clean(alert.Models[0], maxFieldValue)}
	}
	return modelField(alert)
}

// brokenCard tells of a detector that fires so often that it, rather than the answers, is suspect.
func brokenCard(alert *schemas.Alert, opts RenderOptions) Card {
	detector := Clean(alert.Detector, maxFieldLabel)
	c := Card{
		Title:    fmt.Sprintf("Detector may be broken: %s fired on %s of checked answers", detector, formatPercent(alert.Share)),
		Notes:    []string{"While that lasts, nobody is told of answers on account of this detector alone."},
		Evidence: evidenceTexts(shownFlags(alert), idDigits(alert), !opts.HideExcerpts),
		Advice: "What to do: compare with the last change of the application, its sources and the model. If the answers are as before, " +
			"the detector is at fault: name it under alerting.muted, or calibrate it on labelled answers. If they are wrong, it is right: mend what makes them.",
	}
	c.Fallback = "[broken] " + c.Title + ", " + formatCount(alert.Count, "incident")
	c.Fields = slices.DeleteFunc([]Field{
		{"Detector", detector},
		{"Share", formatPercent(alert.Share)},
		{"Tenant", Clean(alert.Tenant, maxFieldValue)},
		occurrenceField(alert),
		digestModelField(alert),
	}, func(e Field) bool { return e.Value == "" })
	c.Context = contextFields(alert)
	c.addButtons(alert, opts)
	c.CanLabel = false
	return c
}

// formatPercent shows a share.
func formatPercent(share float64) string {
	if math.IsNaN(share) || share < 0 || share > 1 {
		return "an unusual share"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
