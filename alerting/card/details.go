package card

import (
	"fmt"
	"strings"

	"confab/schemas"
)

// Limits on the details.
const (
	maxDetail       = 1_200 // of one detector
	maxDetailAll    = 5_000 // of all detectors
	maxEvidenceEach = 8     // of one detector
	maxUnfired      = 8     // detectors that did not fire
)

// Details is the content of the reply in the thread of a message.
type Details struct {
	Fallback string
	Parts    []string // of several lines
	Facts    []string
}

// NewDetails returns the details of the first incident of an alert: every detector with its outcome and evidence, the position of the interaction, and the commands that label it.
func NewDetails(alert *schemas.Alert, opts RenderOptions) Details {
	f := &alert.Flag
	id := Clean(f.IncidentID, maxName)
	var parts []string
	used, fit := 0, 0
	for i := range f.Signals {
		if f.Signals[i].Outcome == schemas.Fired {
			part := signalDetails(&f.Signals[i], !opts.HideExcerpts)
			if used += UTF16Length(part); used <= maxDetailAll && fit < maxDetectors {
				fit++
			}
			parts = append(parts, part)
		}
	}
	parts = firstLines(parts, fit)
	if rest := unfiredLines(f); rest != "" {
		parts = append(parts, rest)
	}
	parts = append(parts, labelCommands(alert))
	var facts []string
	for _, e := range []struct{ label, value string }{
		{"origin", originPath(f)},
		{"interaction", f.InteractionID},
		{"conversation", f.ConversationID},
		{"trace", f.TraceID},
		{"span", f.SpanID},
		{"incident", f.IncidentID},
		{"model", modelName(f)},
		{"evaluation", evaluationText(f)},
		{"recommendation", recommendationText(f)},
		{"calibration", versionText(f)},
	} {
		if v := Clean(e.value, maxName); v != "" {
			facts = append(facts, e.label+" "+v)
		}
	}
	return Details{Fallback: "Details of incident " + id, Parts: parts, Facts: facts}
}

// versionText returns the version of the calibration and of the program.
func versionText(f *schemas.Flag) string {
	if f.WorkerVersion == "" {
		return f.Calibration
	}
	return strings.TrimSpace(f.Calibration + " confab " + f.WorkerVersion)
}

// signalDetails returns the reason, score and evidence of a signal.
func signalDetails(s *schemas.Signal, excerpts bool) string {
	lines := []string{Clamp(signalHeading(s), maxReason+maxFieldLabel), "score " + scoreAndThreshold(s)}
	size, shown := UTF16Length(strings.Join(lines, "\n")), 0
	for i := range s.Evidence[:min(len(s.Evidence), maxEvidenceEach)] {
		piece := evidenceLines(&s.Evidence[i], excerpts)
		piece[0] = fmt.Sprintf("%d. %s", i+1, piece[0])
		text := strings.Join(piece, "\n   ")
		if size += UTF16Length(text) + 1; size > maxDetail-maxFieldLabel { // space for the last line
			break
		}
		lines, shown = append(lines, text), i+1
	}
	if more := len(s.Evidence) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// unfiredLines returns one line for each detector that did not fire.
func unfiredLines(f *schemas.Flag) string {
	var lines []string
	for i := range f.Signals {
		s := &f.Signals[i]
		if s.Outcome == schemas.Fired {
			continue
		}
		line := Clean(s.Detector, maxFieldLabel) + ": " + Clean(strings.ReplaceAll(string(s.Outcome), "_", " "), maxFieldLabel)
		if s.Reason != "" {
			line += ", " + cleanRedacted(s.Reason, maxReference)
		}
		lines = append(lines, line)
	}
	return strings.Join(firstLines(lines, maxUnfired), "\n")
}

// firstLines returns the first n lines, and how many detectors the others are about.
func firstLines(lines []string, n int) []string {
	if more := len(lines) - n; more > 0 {
		lines = append(lines[:n:n], "and "+formatCount(int64(more), "more detector"))
	}
	return lines
}

// labelCommands returns the commands that label the incidents of the message.
func labelCommands(alert *schemas.Alert) string {
	lines := []string{"To label on the command line:"}
	for _, v := range schemas.HumanVerdicts() {
		lines = append(lines, "confab label "+incidentArgument(alert.Flag.IncidentID)+" --verdict "+string(v))
	}
	for _, f := range shownFlags(alert) {
		if f.IncidentID != alert.Flag.IncidentID {
			lines = append(lines, "also shown: "+incidentArgument(f.IncidentID))
		}
	}
	return strings.Join(lines, "\n")
}

// incidentArgument returns a valid incident id as it is. Other text must not be pasted into a shell.
func incidentArgument(id string) string {
	if isHexID(id, incidentDigits) {
		return id
	}
	return "INCIDENT"
}
