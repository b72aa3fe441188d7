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
		part := detail(&f.Signals[i], !opts.HideExcerpts)
		if used += Units(part); used > maxDetailAll || len(parts) == maxDetectors {
			left++
			continue
		}
		parts = append(parts, part)
	}
	if left > 0 {
		parts = append(parts, "and "+plural(int64(left), "more detector"))
	}
	if rest := unfired(f); rest != "" {
		parts = append(parts, rest)
	}
	parts = append(parts, commands(alert))
	var facts []string
	for _, e := range []Field{
		{"origin", origin(f)},
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

// detail is all that a detector has found.
func detail(s *schemas.Signal, excerpts bool) string {
	lines := []string{Clamp(heading(s), maxReason+maxFieldLabel), "score " + against(s)}
	if measures := measuresOf(s); measures != "" {
		lines = append(lines, "measures: "+measures)
	}
	shown := s.Evidence[:min(len(s.Evidence), maxEvidenceEach)]
	size := Units(strings.Join(lines, "\n"))
	for i := range shown {
		piece := exhibit(&shown[i], excerpts)
		piece[0] = fmt.Sprintf("%d. %s", i+1, piece[0])
		text := strings.Join(piece, "\n   ")
		if size += Units(text) + 1; size > maxDetail-maxFieldLabel { // the last line needs room
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

// measuresOf names what a score was made of.
func measuresOf(s *schemas.Signal) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
		if len(out) == maxMeasures {
			out = append(out, fmt.Sprintf("and %d more", len(s.Measures)-maxMeasures))
			break
		}
		out = append(out, Clean(name, maxFieldLabel)+" "+decimal(s.Measures[name]))
	}
	return strings.Join(out, ", ")
}

// unfired says what the other detectors have to say, a line each.
func unfired(f *schemas.Flag) string {
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
			line += ", " + quote(s.Reason, maxMark)
		}
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, "and "+plural(int64(left), "more detector"))
	}
	return strings.Join(lines, "\n")
}

// commands label the incident, and the others that the message shows, from a terminal.
func commands(alert *schemas.Alert) string {
	lines := []string{"To label at a terminal:"}
	for _, v := range schemas.HumanVerdicts() {
		lines = append(lines, "confab label "+argument(alert.Flag.IncidentID)+" --verdict "+string(v))
	}
	for _, f := range members(alert) {
		if f.IncidentID != alert.Flag.IncidentID {
			lines = append(lines, "also shown: "+argument(f.IncidentID))
		}
	}
	return strings.Join(lines, "\n")
}

// argument is an incident's id as a shell may be given it. What is none of ours is not shown: somebody might paste it.
func argument(id string) string {
	if hexID(id, incidentDigits) {
		return id
	}
	return "INCIDENT"
}
