package card

import (
	"fmt"
	"slices"
	"strings"

	"confab/schemas"
)

// defaultTenant is the tenant of records without one.
const defaultTenant = "default"

// summaryLine returns service, model, risk and recommendation, with tenant and operation when they are set.
func summaryLine(alert *schemas.Alert) string {
	f := &alert.Flag
	parts := []string{f.Service, f.Operation, strings.Join(alert.Models[:min(len(alert.Models), maxListed)], ", "), "", string(f.Recommendation)}
	if len(alert.Models) == 0 {
		parts[2] = f.Model
	}
	if more := len(alert.Models) - maxListed; more > 0 {
		parts[2] += fmt.Sprintf(" and %d more", more)
	}
	if f.Risk != nil {
		parts[3] = "risk " + formatDecimal(*f.Risk)
	}
	if f.Tenant != defaultTenant {
		parts = slices.Insert(parts, 0, f.Tenant)
	}
	for i := range parts {
		parts[i] = Clean(parts[i], maxFieldLabel)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// evaluationText returns the pass, and why a deep one was chosen.
func evaluationText(f *schemas.Flag) string {
	if f.SampleReason == "" {
		return string(f.Pass)
	}
	return string(f.Pass) + ", sampled: " + f.SampleReason
}

// recommendationText returns the recommendation and the policy of the tenant.
func recommendationText(f *schemas.Flag) string {
	if f.Action == "" {
		return string(f.Recommendation)
	}
	return string(f.Recommendation) + ", policy " + string(f.Action)
}

// modelName returns provider and model.
func modelName(f *schemas.Flag) string {
	if f.Provider == "" {
		return f.Model
	}
	return strings.TrimSuffix(f.Provider+" / "+f.Model, " / ")
}

// modelField returns the model, or the models when the incidents have several; an empty field without any.
func modelField(alert *schemas.Alert) Field {
	switch len(alert.Models) {
	case 0:
		return Field{}
	case 1:
		return Field{"Model", Clean(alert.Models[0], maxFieldValue)}
	}
	lines := make([]string, 0, maxListed+1)
	for _, m := range alert.Models[:min(len(alert.Models), maxListed)] {
		lines = append(lines, Clean(m, maxFieldLabel))
	}
	if more := len(alert.Models) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return Field{"Models", strings.Join(lines, "\n")}
}

// occurrenceField returns the time of the answer, or for several incidents their count, first and last time.
func occurrenceField(alert *schemas.Alert) Field {
	if alert.Count < 2 {
		return Field{"Answered", formatTime(alert.Flag.OccurredAt)}
	}
	lines := []string{formatCount(alert.Count, "incident")}
	if !alert.First.IsZero() {
		lines = append(lines, "first "+formatTime(alert.First))
	}
	if !alert.Last.IsZero() {
		lines = append(lines, "last "+formatTimeAfter(alert.Last, alert.First))
	}
	return Field{"Seen", strings.Join(lines, "\n")}
}

// scoreAndThreshold formats the score of a fired signal and its threshold.
func scoreAndThreshold(s *schemas.Signal) string {
	return formatDecimal(s.Score) + " ≥ " + formatDecimal(s.Threshold)
}

// contextFields returns the small print: the time or the count, and the incident's abbreviated id. The rest is in the
// thread.
func contextFields(alert *schemas.Alert) []Field {
	all := []Field{{"answered", formatTime(alert.Flag.OccurredAt)}, {"incident", shortID(alert.Flag.IncidentID)}}
	if alert.Count > 1 {
		all[0] = Field{"", groupSummary(alert)}
	}
	return slices.DeleteFunc(all, func(e Field) bool { return e.Value == "" })
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

// originPath returns topic, partition and offset of the interaction.
func originPath(f *schemas.Flag) string {
	return fmt.Sprintf("%s/%d/%d", f.Origin.Topic, f.Origin.Partition, f.Origin.Offset)
}

// ChangeSummary returns the parts of a message that an edit may change.
func ChangeSummary(alert *schemas.Alert) []string {
	f := &alert.Flag
	parts := []string{fmt.Sprintf("+%d similar", max(alert.Count-1, 0))}
	if alert.Kind == schemas.AlertDigest {
		parts[0] = fmt.Sprintf("digest of %d incidents", alert.Count)
	}
	if n := len(alert.Models); n > 1 {
		parts = append(parts, fmt.Sprintf("%d models", n))
	}
	if last := formatTime(alert.Last); last != "" {
		parts = append(parts, "last "+last)
	}
	if f.Pass == schemas.PassDeep {
		parts = append(parts, "deep evaluation: "+Clean(string(f.Recommendation), maxFieldLabel))
	}
	if n := len(alert.Feedback); n > 0 {
		parts = append(parts, VerdictLine(&alert.Feedback[n-1], nil))
	}
	if service := Clean(f.Service, maxName); service != "" {
		parts = append(parts, service)
	}
	return append(parts, "incident "+Clean(f.IncidentID, maxName))
}
