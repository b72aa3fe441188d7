package alerting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/schemas"
)

// card is what an alert says, whatever shows it. Every string is clean, none is escaped.
type card struct {
	recommendation schemas.Recommendation
	title          string
	repeat         string // set when the alert may have been told before
	fields         []field
	evidence       []string // worst first, several lines each
	context        []string
	fallback       string // one line without any text of the interaction
}

type field struct{ label, value string }

// newCard reads an alert. Without excerpts nothing that was cut from an answer or made from it is shown: only places,
// scores and the detectors' own words.
func newCard(alert *schemas.Alert, opts RenderOptions) card {
	excerpts := !opts.HideExcerpts
	f := &alert.Flag
	c := card{
		recommendation: f.Recommendation,
		title:          "Possible hallucination",
		fields:         fields(f),
		evidence:       evidence(f, excerpts),
		context:        contextOf(f),
	}
	// What must survive the cut comes first.
	c.fallback = fmt.Sprintf("[%s] Possible hallucination, incident %s",
		clean(string(f.Recommendation), maxFieldLabel), clean(f.IncidentID, maxName))
	if alert.MayRepeat {
		c.repeat = "May repeat: an earlier attempt to tell this incident may have arrived."
		c.fallback += " (may repeat)"
	}
	if service := clean(f.Service, maxName); service != "" {
		c.title += " · " + service
		c.fallback += ", in " + service
	}
	return c
}

// fields are the facts at a glance; an empty one is left out.
func fields(f *schemas.Flag) []field {
	model := f.Model
	if f.Provider != "" {
		model = strings.TrimSuffix(f.Provider+" / "+f.Model, " / ")
	}
	risk := "not calibrated"
	if f.Risk != nil {
		risk = decimal(*f.Risk)
	}
	look := string(f.Pass)
	if f.SampleReason != "" {
		look += ", sampled: " + f.SampleReason
	}
	recommended := string(f.Recommendation)
	if f.Action != "" {
		recommended += ", policy " + string(f.Action)
	}
	all := []field{
		{"Detectors", detectorsOf(f)},
		{"Recommendation", recommended},
		{"Model", model},
		{"Operation", f.Operation},
		{"Tenant", f.Tenant},
		{"Risk", risk},
		{"Look", look},
		{"Answered", moment(f.OccurredAt)},
	}
	kept := all[:0]
	for i, e := range all {
		if i > 0 { // the first is built of clean parts and has several lines
			e.value = clean(e.value, maxFieldValue)
		}
		if e.value != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

// detectorsOf says how many of the detectors that could check have fired, and by how much.
func detectorsOf(f *schemas.Flag) string {
	checked, fired := 0, 0
	var lines []string
	for i := range f.Signals {
		s := &f.Signals[i]
		switch s.Outcome {
		case schemas.Fired:
			checked, fired = checked+1, fired+1
			if fired <= maxListed {
				lines = append(lines, fmt.Sprintf("%s %s ≥ %s", clean(s.Detector, maxFieldLabel), decimal(s.Score), decimal(s.Threshold)))
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

// evidence is the worst piece of every fired signal, then the second ones, up to maxEvidence.
func evidence(f *schemas.Flag, excerpts bool) []string {
	var out []string
	for round, more := 0, true; more && len(out) < maxEvidence; round++ {
		more = false
		for i := range f.Signals {
			s := &f.Signals[i]
			if s.Outcome != schemas.Fired || round >= max(1, len(s.Evidence)) || len(out) == maxEvidence {
				continue
			}
			more = true
			var e *schemas.Evidence
			if round < len(s.Evidence) {
				e = &s.Evidence[round]
			}
			out = append(out, exhibit(s, e, excerpts))
		}
	}
	return out
}

// exhibit is one piece of evidence; e is nil when the signal has none beside its reason.
func exhibit(s *schemas.Signal, e *schemas.Evidence, excerpts bool) string {
	head := clean(s.Detector, maxFieldLabel)
	if s.Type != "" {
		head += " (" + clean(string(s.Type), maxFieldLabel) + ")"
	}
	if s.Reason != "" {
		head += ": " + quote(s.Reason, maxReason)
	}
	if e == nil {
		return head
	}
	lines := []string{head}
	if excerpts && e.Excerpt != "" {
		lines = append(lines, "“"+quote(e.Excerpt, maxExcerpt)+"”")
	}
	if excerpts && e.Note != "" {
		lines = append(lines, "note: "+quote(e.Note, maxNote))
	}
	return clamp(strings.Join(append(lines, place(e, excerpts)), "\n"), maxEvidenceText)
}

// place says where the evidence stands and what it was held against.
func place(e *schemas.Evidence, excerpts bool) string {
	where := "no place in the answer"
	if e.Start >= 0 {
		where = fmt.Sprintf("answer bytes %d–%d", e.Start, e.End)
	}
	if excerpts && e.Citation != "" {
		where += ", citation " + quote(e.Citation, maxMark)
	}
	if e.SourceID != "" {
		where += ", source " + clean(e.SourceID, maxMark)
	}
	if e.SourceID != "" || e.Citation != "" {
		where += ", similarity " + decimal(e.Similarity)
	}
	return where
}

// contextOf names what an engineer looks up next.
func contextOf(f *schemas.Flag) []string {
	all := []field{
		{"incident", f.IncidentID},
		{"interaction", f.InteractionID},
		{"origin", fmt.Sprintf("%s/%d/%d", f.Origin.Topic, f.Origin.Partition, f.Origin.Offset)},
		{"conversation", f.ConversationID},
		{"trace", f.TraceID},
		{"calibration", f.Calibration},
		{"confab", f.WorkerVersion},
	}
	var out []string
	for _, e := range all {
		if v := clean(e.value, maxName); v != "" {
			out = append(out, e.label+" "+v)
		}
	}
	return out
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// moment shows a time to the second, in UTC, and "" for an unknown one.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
