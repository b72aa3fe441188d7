package alerting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// digestCard tells of many groups at once: how many incidents each has, and why they come together.
func digestCard(alert *schemas.Alert, opts RenderOptions) card {
	c := card{
		title:    plural(alert.Count, "possible hallucination"),
		notes:    []string{why(alert.Cause)},
		groups:   groupLines(alert),
		evidence: evidence(members(alert), incidentDigits, !opts.HideExcerpts),
	}
	c.fallback = "[digest] " + c.title
	if tenant := clean(alert.Tenant, maxName); tenant != "" {
		c.title += " · " + tenant
		c.fallback += " of " + tenant
	}
	c.fields = slices.DeleteFunc([]field{
		{"Tenant", clean(alert.Tenant, maxFieldValue)},
		{"Lane", clean(string(alert.Lane), maxFieldLabel)},
		seen(alert),
		severalModels(alert),
	}, func(e field) bool { return e.value == "" })
	c.context = slices.DeleteFunc([]field{
		{"", "Every incident is in the incidents topic; confab label takes its id."},
		{"calibration", clean(alert.Flag.Calibration, maxName)},
		{"confab", clean(alert.Flag.WorkerVersion, maxName)},
	}, func(e field) bool { return e.value == "" })
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
	rest, more := alert.Count, alert.More+len(alert.Groups)-len(shown)
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
		if s = clean(s, maxFieldLabel); s != "" {
			parts = append(parts, s)
		}
	}
	var names []string
	for _, d := range l.Detectors[:min(len(l.Detectors), maxListed)] {
		if d = clean(d, maxFieldLabel); d != "" {
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
	return clamp(strings.Join(parts, " · "), maxGroupName)
}

// severalModels is the field of the models, empty when there are none to name.
func severalModels(alert *schemas.Alert) field {
	if len(alert.Models) == 0 {
		return field{}
	}
	if len(alert.Models) == 1 {
		return field{"Model", clean(alert.Models[0], maxFieldValue)}
	}
	return modelsOf(alert)
}

// brokenCard tells of a detector that fires so often that it, rather than the answers, is suspect.
func brokenCard(alert *schemas.Alert, opts RenderOptions) card {
	detector := clean(alert.Detector, maxFieldLabel)
	c := card{
		title:    fmt.Sprintf("Detector may be broken: %s fired on %s of checked answers", detector, percent(alert.Share)),
		notes:    []string{"While that lasts, nobody is told of answers on account of this detector alone."},
		evidence: evidence(members(alert), digits(alert), !opts.HideExcerpts),
		advice: "What to do: compare with the last change of the application, its sources and the model. If the answers are as before, " +
			"the detector is at fault: name it under alerting.muted, or calibrate it on labelled answers. If they are wrong, it is right: mend what makes them.",
	}
	c.fallback = "[broken] " + c.title + ", " + plural(alert.Count, "incident")
	c.fields = slices.DeleteFunc([]field{
		{"Detector", detector},
		{"Share", percent(alert.Share)},
		{"Tenant", clean(alert.Tenant, maxFieldValue)},
		seen(alert),
		severalModels(alert),
	}, func(e field) bool { return e.value == "" })
	c.context = contextOf(alert)
	c.press(alert, opts)
	c.verdicts = false
	return c
}

// percent shows a share.
func percent(share float64) string {
	if math.IsNaN(share) || share < 0 || share > 1 {
		return "an unusual share"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
