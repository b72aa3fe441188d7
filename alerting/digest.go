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
		Title:    plural(alert.Count, "possible hallucination"),
		Notes:    []string{why(alert.Cause)},
		Groups:   groupLines(alert),
		Evidence: evidence(members(alert), incidentDigits, !opts.HideExcerpts),
	}
	c.Fallback = "[digest] " + c.Title
	if tenant := Clean(alert.Tenant, maxName); tenant != "" {
		c.Title += " · " + tenant
		c.Fallback += " of " + tenant
	}
	c.Fields = slices.DeleteFunc([]Field{
		{"Tenant", Clean(alert.Tenant, maxFieldValue)},
		{"Lane", Clean(string(alert.Severity), maxFieldLabel)},
		seen(alert),
		severalModels(alert),
	}, func(e Field) bool { return e.Value == "" })
	c.Context = slices.DeleteFunc([]Field{
		{"", "Every incident is in the incidents topic; confab label takes its id."},
		{"calibration", Clean(alert.Flag.Calibration, maxName)},
		{"confab", Clean(alert.Flag.WorkerVersion, maxName)},
	}, func(e Field) bool { return e.Value == "" })
	return c
}

// why says what made a digest of messages that would have come one by one.
func why(cause schemas.DigestCause) string {
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
	rest, more := alert.Count, alert.MoreGroups+len(alert.Groups)-len(shown)
	lines := make([]string, 0, len(shown)+1)
	for i := range shown {
		lines = append(lines, fmt.Sprintf("%d × %s", shown[i].Count, groupName(&shown[i].Group)))
		rest -= shown[i].Count
	}
	if more > 0 {
		line := "and " + plural(int64(more), "more group")
		if rest > 0 {
			line += " with " + plural(rest, "incident")
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

// severalModels is the field of the models, empty when there are none to name.
func severalModels(alert *schemas.Alert) Field {
	if len(alert.Models) == 0 {
		return Field{}
	}
	if len(alert.Models) == 1 {
		return Field{"Model", Clean(alert.Models[0], maxFieldValue)}
	}
	return modelsOf(alert)
}

// brokenCard tells of a detector that fires so often that it, rather than the answers, is suspect.
func brokenCard(alert *schemas.Alert, opts RenderOptions) Card {
	detector := Clean(alert.Detector, maxFieldLabel)
	c := Card{
		Title:    fmt.Sprintf("Detector may be broken: %s fired on %s of checked answers", detector, percent(alert.FiringRate)),
		Notes:    []string{"While that lasts, nobody is told of answers on account of this detector alone."},
		Evidence: evidence(members(alert), digits(alert), !opts.HideExcerpts),
		Advice: "What to do: compare with the last change of the application, its sources and the model. If the answers are as before, " +
			"the detector is at fault: name it under alerting.muted, or calibrate it on labelled answers. If they are wrong, it is right: mend what makes them.",
	}
	c.Fallback = "[broken] " + c.Title + ", " + plural(alert.Count, "incident")
	c.Fields = slices.DeleteFunc([]Field{
		{"Detector", detector},
		{"Share", percent(alert.FiringRate)},
		{"Tenant", Clean(alert.Tenant, maxFieldValue)},
		seen(alert),
		severalModels(alert),
	}, func(e Field) bool { return e.Value == "" })
	c.Context = contextOf(alert)
	c.press(alert, opts)
	c.CanLabel = false
	return c
}

// percent shows a share.
func percent(share float64) string {
	if math.IsNaN(share) || share < 0 || share > 1 {
		return "an unusual share"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
