package card

import (
	"fmt"

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

// incidentName returns the id and the risk of an incident.
func incidentName(f *schemas.Flag) string {
	name := "incident " + Clean(f.IncidentID, maxName)
	if f.Risk != nil {
		name += ", risk " + formatDecimal(*f.Risk)
	}
	return name
}

// shortID returns an id that `confab label` accepts.
func shortID(id string) string {
	if isHexID(id, incidentDigits) {
		return id[:shortIDDigits]
	}
	return Clean(id, 2*shortIDDigits)
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

// evidencePlace returns the position in the answer, the citation, and the source or the call.
func evidencePlace(e *schemas.Evidence, excerpts bool) string {
	where := "no position in the answer"
	if e.Start >= 0 {
		where = fmt.Sprintf("answer bytes %d–%d", e.Start, e.End)
	}
	if !excerpts && e.CallID != "" {
		where += ", " + speaker(e)
	}
	if excerpts && e.Citation != "" {
		where += ", citation " + cleanRedacted(e.Citation, maxReference)
	}
	switch {
	case e.SourceID != "":
		where += ", source " + Clean(e.SourceID, maxReference)
	case e.SourceNumber > 0:
		where += fmt.Sprintf(", source number %d", e.SourceNumber)
	}
	if e.SourceID != "" || e.Citation != "" {
		where += ", similarity " + formatDecimal(e.Similarity)
	}
	return where
}
