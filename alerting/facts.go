package alerting

import (
	"fmt"
	"slices"
	"strings"

	"confab/schemas"
)

// factFields returns the fields of a group card, without empty ones.
func factFields(alert *schemas.Alert) []Field {
	f := &alert.Flag
	risk := "not calibrated"
	if f.Risk != nil {
		risk = formatDecimal(*f.Risk)
	}
	evaluation := string(f.Pass)
	if f.SampleReason != "" {
		evaluation += ", sampled: " + f.SampleReason
	}
	recommended := string(f.Recommendation)
	if f.Action != "" {
		recommended += ", policy " + string(f.Action)
	}
	all := []Field{
		{"Detectors", detectorsText(f)},
		{"Recommendation", Clean(recommended, maxFieldValue)},
		modelField(alert),
		{"Operation", Clean(f.Operation, maxFieldValue)},
		{"Tenant", Clean(f.Tenant, maxFieldValue)},
		{"Risk", risk},
		{"Evaluation", Clean(evaluation, maxFieldValue)},
		occurrenceField(alert),
	}
	return slices.DeleteFunc(all, func(e Field) bool { return e.Value == "" })
}

// modelField returns the model, or the models when the incidents have several.
func modelField(alert *schemas.Alert) Field {
	if len(alert.Models) < 2 {
		f := &alert.Flag
		model := f.Model
		if f.Provider != "" {
			model = strings.TrimSuffix(f.Provider+" / "+f.Model, " / ")
		}
		return Field{"Model", Clean(model, maxFieldValue)}
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

// detectorsText returns how many of the detectors that could check fired, with their scores.
func detectorsText(f *schemas.Flag) string {
	checked, fired := 0, 0
	var lines []string
	for i := range f.Signals {
		s := &f.Signals[i]
		switch s.Outcome {
		case schemas.Fired:
			checked, fired = checked+1, fired+1
			if fired <= maxListed {
				lines = append(lines, Clean(s.Detector, maxFieldLabel)+" "+scoreAndThreshold(s))
			}
		case schemas.Clear:
			checked++
		case schemas.NotCheckable, schemas.Skipped, schemas.Failed:
		}
	}
	lines = slices.Insert(lines, 0, fmt.Sprintf("%d of %d fired", fired, checked))
	if fired > maxListed {
		lines = append(lines, fmt.Sprintf("and %d more", fired-maxListed))
	}
	return strings.Join(lines, "\n")
}

// scoreAndThreshold formats the score of a fired signal and its threshold.
func scoreAndThreshold(s *schemas.Signal) string {
	return formatDecimal(s.Score) + " ≥ " + formatDecimal(s.Threshold)
}

// contextFields returns ids, origin and versions.
func contextFields(alert *schemas.Alert) []Field {
	f := &alert.Flag
	all := []Field{
		{"incident", f.IncidentID},
		{"interaction", f.InteractionID},
		{"origin", originPath(f)},
		{"conversation", f.ConversationID},
		{"trace", f.TraceID},
		{"calibration", f.Calibration},
		{"confab", f.WorkerVersion},
	}
	for i := range all {
		all[i].Value = Clean(all[i].Value, maxName)
	}
	if alert.Count > 1 {
		all = slices.Insert(all, 0, Field{"", groupSummary(alert)})
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
		parts = append(parts, VerdictLine(&alert.Feedback[n-1]))
	}
	if service := Clean(f.Service, maxName); service != "" {
		parts = append(parts, service)
	}
	return append(parts, "incident "+Clean(f.IncidentID, maxName))
}
