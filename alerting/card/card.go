package card

import (
	"fmt"
	"strconv"
	"time"

	"confab/schemas"
)

// RenderOptions say what messages show.
type RenderOptions struct {
	// HideExcerpts leaves out everything derived from the text of an answer. Positions, scores and reasons remain.
	HideExcerpts bool
	// Buttons adds buttons that label and silence. Set it only where clicks are received.
	Buttons bool
	// TraceURL is the address of an interaction, with placeholders such as {trace_id}. Empty: no link.
	TraceURL string
	// PageURL is the address of the page of incidents, confab ui. Empty: no link.
	PageURL string
	// RunbookURL is the address of the runbook. Empty: no link.
	RunbookURL string
}

// DuplicateMark is in the fallback text of a message that may be a duplicate.
const DuplicateMark = " (possible duplicate)"

// Card is the content of an alert, independent of the sink. Its strings are cleaned ([Clean]) but not escaped.
type Card struct {
	Kind           schemas.AlertKind
	Recommendation schemas.Recommendation
	Icon           string
	Title          string
	Notes          []string  // to read first
	Groups         []string  // of a digest, one line each
	Advice         string    // what to do
	Evidence       []Passage // worst first, several lines each
	Summary        string    // service, model, risk and recommendation in one line
	Context        string    // the small print in one line
	Links          []Link
	Feedback       []string // one line for each user
	Buttons        *ButtonValue
	CanSilence     bool   // whether to show the silence button
	CanLabel       bool   // whether to show the label buttons
	Fallback       string // one line without text of the interaction
}

// NewCard returns the content of an alert.
func NewCard(alert *schemas.Alert, opts RenderOptions) Card {
	var c Card
	switch alert.Kind {
	case schemas.AlertDigest:
		c = digestCard(alert, opts)
	case schemas.AlertNotice:
		c = noticeCard(alert)
	case schemas.AlertGroup:
		c = groupCard(alert, opts)
	default: // the zero kind is a group
		c = groupCard(alert, opts)
	}
	c.Kind, c.Recommendation, c.Icon = alert.Kind, alert.Flag.Recommendation, cardIcon(alert)
	c.Feedback = verdictLines(alert.Feedback)
	if alert.EarlierCount > 0 {
		c.Notes = append([]string{fmt.Sprintf("%d earlier incidents in previous messages.", alert.EarlierCount)}, c.Notes...)
	}
	if alert.PossiblyDuplicated {
		c.Notes = append([]string{"Possible duplicate: an earlier attempt to send this message may have arrived."}, c.Notes...)
		c.Fallback += DuplicateMark
	}
	if runbook := webLink(opts.RunbookURL); runbook != "" {
		c.Links = append(c.Links, Link{ActionRunbook, "Runbook", runbook})
	}
	return c
}

// groupCard returns the card of an alert group: one incident, or several with equal labels.
func groupCard(alert *schemas.Alert, opts RenderOptions) Card {
	f := &alert.Flag
	c := Card{
		Title:    "Possible hallucination",
		Evidence: evidencePassages(alert, opts),
		Summary:  summaryLine(alert),
		Context:  contextLine(alert),
		Advice:   "Compare the evidence with the sources. If the answer is wrong, correct it and label it wrong; else label it fine.",
		CanLabel: true,
	}
	if note := confirmation(f); note != "" {
		c.Notes = append(c.Notes, note)
	}
	if witness := f.DescribeWitness(); witness != "" {
		c.Notes = append(c.Notes, Clean(witness, maxNote))
	}
	if alert.Count > 1 {
		c.Title += fmt.Sprintf(" ×%d", alert.Count)
	}
	c.Fallback = c.Title
	if service := Clean(f.Service, maxName); service != "" {
		c.Title += " · " + service
		c.Fallback += " in " + Clean(service, maxShortName)
	}
	c.Fallback += fmt.Sprintf(" (%s), incident %s", Clean(string(f.Recommendation), maxVerdict), Clean(f.IncidentID, maxName))
	if page := pageLink(opts.PageURL, f.IncidentID); page != "" {
		c.Links = append(c.Links, Link{ActionPage, "Open incident", page})
	}
	if trace := TraceLink(opts.TraceURL, f); trace != "" {
		c.Links = append(c.Links, Link{ActionTrace, "Open trace", trace})
	}
	c.addButtons(alert, opts)
	return c
}

// confirmation says what the second opinion on an incident is; "" if none was due.
func confirmation(f *schemas.Flag) string {
	switch {
	case f.ConfirmedBy == schemas.JudgeDetector:
		return "Confirmed by the judge."
	case f.ConfirmedBy == schemas.NotConfirmed:
		return "Not confirmed: the judge has given no second opinion."
	case f.Pass == schemas.PassDeep && !f.Alert:
		return "Cleared after this message was sent: the judge found the answer fine."
	}
	return ""
}

// addButtons adds the buttons when clicks are received and the incident id is valid.
func (c *Card) addButtons(alert *schemas.Alert, opts RenderOptions) {
	if !opts.Buttons || !isHexID(alert.Flag.IncidentID, incidentDigits) {
		c.CanLabel = false
		c.Advice = "Compare the evidence with the sources. If the answer is wrong, correct it. Label it: confab label " + shortID(alert.Flag.IncidentID) + " --verdict wrong, or fine."
		return
	}
	v := ButtonValue{Incident: alert.Flag.IncidentID, Detectors: alert.Flag.Fired, Judge: alert.Flag.Judged()}
	if isHexID(alert.Group, groupDigits) {
		v.Group, c.CanSilence = alert.Group, true
	}
	c.Buttons = &v
}

// cardIcon returns the icon of the recommendation, one step higher at high severity.
func cardIcon(alert *schemas.Alert) string {
	high := alert.Severity == schemas.SeverityHigh
	switch {
	case alert.Kind == schemas.AlertNotice:
		return "🔧"
	case alert.Kind == schemas.AlertDigest && high:
		return "🚨"
	case alert.Kind == schemas.AlertDigest:
		return "📚"
	case alert.Flag.Recommendation == schemas.Block && high:
		return "🚨"
	case alert.Flag.Recommendation == schemas.Block, high:
		return "🔴"
	case alert.Flag.Recommendation == schemas.Recommend:
		return "🟠"
	}
	return "⚪"
}

func formatDecimal(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// formatCount returns n with its noun.
func formatCount(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}

// formatTime formats a time to the second, in UTC. The zero time gives "".
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// formatTimeAfter formats t like formatTime, without the date when it is that of after.
func formatTimeAfter(t, after time.Time) string {
	t, after = t.UTC(), after.UTC()
	if !after.IsZero() && t.YearDay() == after.YearDay() && t.Year() == after.Year() {
		return t.Format("15:04:05 UTC")
	}
	return formatTime(t)
}
