package alerting

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
)

// The parts of a message's thread.
const (
	maxDetail       = 1_200 // of one detector
	maxDetailAll    = 5_000 // of all detectors
	maxMeasures     = 8
	maxEvidenceEach = 8 // pieces of one detector
	maxUnfired      = 8 // detectors that have not fired
)

// Details is what a message has no room for.
type Details struct {
	Fallback string
	Parts    []string // several lines each
	Facts    []string
}

// NewDetails is what the message about an alert has no room for, to be read in its thread: of its first incident every
// detector that fired with its measures and evidence, what did not fire, where the interaction lies, and how to label.
func NewDetails(alert *schemas.Alert, opts RenderOptions) Details {
	f := &alert.Flag
	id := Clean(f.IncidentID, maxName)
	parts, used, left := []string{}, 0, 0
	for i := range f.Signals {
		if f.Signals[i].Outcome != schemas.Fired {
			continue
		}
		part := signalDetails(&f.Signals[i], !opts.HideExcerpts)
		if used += UTF16Length(part); used > maxDetailAll || len(parts) == maxDetectors {
			left++
			continue
		}
		parts = append(parts, part)
	}
	if left > 0 {
		parts = append(parts, "and "+formatCount(int64(left), "more detector"))
	}
	if rest := unfiredLines(f); rest != "" {
		parts = append(parts, rest)
	}
	parts = append(parts, labelCommands(alert))
	var facts []string
	for _, e := range []Field{
		{"origin", originPath(f)},
		{"interaction", f.InteractionID},
		{"conversation", f.ConversationID},
		{"trace", f.TraceID},
		{"span", f.SpanID},
	} {
		if v := Clean(e.Value, maxName); v != "" {
			facts = append(facts, e.Label+" "+v)
		}
	}
	return Details{Fallback: "Details of incident " + id, Parts: parts, Facts: facts}
}

// signalDetails is all that a detector has found.
func signalDetails(s *schemas.Signal, excerpts bool) string {
	lines := []string{Clamp(signalHeading(s), maxReason+maxFieldLabel), "score " + scoreAndThreshold(s)}
	if measures := measuresText(s); measures != "" {
		lines = append(lines, "measures: "+measures)
	}
	shown := s.Evidence[:min(len(s.Evidence), maxEvidenceEach)]
	size := UTF16Length(strings.Join(lines, "\n"))
	for i := range shown {
		piece := evidenceLines(&shown[i], excerpts)
		piece[0] = fmt.Sprintf("%d. %s", i+1, piece[0])
		text := strings.Join(piece, "\n   ")
		if size += UTF16Length(text) + 1; size > maxDetail-maxFieldLabel { // the last line needs room
			shown = shown[:i]
			break
		}
		lines = append(lines, text)
	}
	if more := len(s.Evidence) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// measuresText names what a score was made of.
func measuresText(s *schemas.Signal) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
		if len(out) == maxMeasures {
			out = append(out, fmt.Sprintf("and %d more", len(s.Measures)-maxMeasures))
			break
		}
		out = append(out, Clean(name, maxFieldLabel)+" "+formatDecimal(s.Measures[name]))
	}
	return strings.Join(out, ", ")
}

// unfiredLines says what the other detectors have to say, a line each.
func unfiredLines(f *schemas.Flag) string {
	var lines []string
	left := 0
	for i := range f.Signals {
		s := &f.Signals[i]
		if s.Outcome == schemas.Fired {
			continue
		}
		if len(lines) == maxUnfired {
			left++
			continue
		}
		line := Clean(s.Detector, maxFieldLabel) + ": " + Clean(strings.ReplaceAll(string(s.Outcome), "_", " "), maxFieldLabel)
		if s.Reason != "" {
			line += ", " + cleanRedacted(s.Reason, maxReference)
		}
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, "and "+formatCount(int64(left), "more detector"))
	}
	return strings.Join(lines, "\n")
}

// labelCommands label the incident, and the others that the message shows, from a terminal.
func labelCommands(alert *schemas.Alert) string {
	lines := []string{"To label at a terminal:"}
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

// incidentArgument is an incident's id as a shell may be given it. What is none of ours is not shown: somebody might paste it.
func incidentArgument(id string) string {
	if isHexID(id, incidentDigits) {
		return id
	}
	return "INCIDENT"
}
