package alerting

import (
	"fmt"
	"strings"

	"confab/schemas"
)

// shortIDDigits is the length of an abbreviated incident id. `confab label` accepts it.
const shortIDDigits = 12

// shownFlags returns the incidents whose evidence is shown, each once, the riskiest first.
func shownFlags(alert *schemas.Alert) []*schemas.Flag {
	var out []*schemas.Flag
	seen := make(map[string]bool, maxEvidence)
	for i := range alert.Riskiest {
		f := &alert.Riskiest[i]
		if !seen[f.IncidentID] && len(out) < maxEvidence {
			seen[f.IncidentID] = true
			out = append(out, f)
		}
	}
	if len(out) == 0 || alert.Count < 2 {
		return []*schemas.Flag{&alert.Flag}
	}
	return out
}

// idDigits returns how many digits of the incident id precede each piece of evidence: none when all belong to the first
// incident.
func idDigits(alert *schemas.Alert) int {
	if all := shownFlags(alert); len(all) == 1 && all[0].IncidentID == alert.Flag.IncidentID {
		return 0
	}
	return shortIDDigits
}

// evidenceTexts returns the worst evidence of every incident, then the second worst, up to maxEvidence.
func evidenceTexts(flags []*schemas.Flag, digits int, excerpts bool) []string {
	pieces := make([][]string, len(flags))
	for i, f := range flags {
		pieces[i] = signalEvidence(f, excerpts)
		for j := range pieces[i] {
			if digits > 0 {
				pieces[i][j] = Clamp(incidentName(f, digits)+"\n"+pieces[i][j], maxEvidenceText)
			}
		}
	}
	var out []string
	for round := range maxEvidence {
		for _, texts := range pieces {
			if round < len(texts) && len(out) < maxEvidence {
				out = append(out, texts[round])
			}
		}
	}
	return out
}

// incidentName returns the abbreviated id and the risk of an incident.
func incidentName(f *schemas.Flag, digits int) string {
	id := Clean(f.IncidentID, maxName)
	if isHexID(id, incidentDigits) {
		id = id[:digits]
	}
	if f.Risk == nil {
		return "incident " + id
	}
	return "incident " + id + ", risk " + formatDecimal(*f.Risk)
}

// signalEvidence returns the worst evidence of every fired signal, then the second worst, up to maxEvidence.
func signalEvidence(f *schemas.Flag, excerpts bool) []string {
	var out []string
	for round, more := 0, true; more && len(out) < maxEvidence; round++ {
		more = false
		for i := range f.Signals {
			s := &f.Signals[i]
			if s.Outcome != schemas.Fired || round >= max(1, len(s.Evidence)) || len(out) == maxEvidence {
				continue
			}
			more = true
			lines := []string{signalHeading(s)}
			if round < len(s.Evidence) {
				lines = append(lines, evidenceLines(&s.Evidence[round], excerpts)...)
			}
			out = append(out, Clamp(strings.Join(lines, "\n"), maxEvidenceText))
		}
	}
	return out
}

// signalHeading returns the detector, type and reason of a signal.
func signalHeading(s *schemas.Signal) string {
	head := Clean(s.Detector, maxFieldLabel)
	if s.Type != "" {
		head += " (" + Clean(string(s.Type), maxFieldLabel) + ")"
	}
	if s.Reason != "" {
		head += ": " + cleanRedacted(s.Reason, maxReason)
	}
	return head
}

// evidenceLines returns the lines of one piece of evidence.
func evidenceLines(e *schemas.Evidence, excerpts bool) []string {
	var lines []string
	if excerpts && e.Excerpt != "" {
		lines = append(lines, "“"+cleanRedacted(e.Excerpt, maxExcerpt)+"”")
	}
	if excerpts && e.Note != "" {
		lines = append(lines, "note: "+cleanRedacted(e.Note, maxNote))
	}
	return append(lines, evidencePlace(e, excerpts))
}

// evidencePlace returns the position in the answer, the citation and the source.
func evidencePlace(e *schemas.Evidence, excerpts bool) string {
	where := "no position in the answer"
	if e.Start >= 0 {
		where = fmt.Sprintf("answer bytes %d–%d", e.Start, e.End)
	}
	if excerpts && e.Citation != "" {
		where += ", citation " + cleanRedacted(e.Citation, maxReference)
	}
	if e.SourceID != "" {
		where += ", source " + Clean(e.SourceID, maxReference)
	}
	if e.SourceID != "" || e.Citation != "" {
		where += ", similarity " + formatDecimal(e.Similarity)
	}
	return where
}
