package alerting

import (
	"fmt"
	"strconv"
	"time"

	"confab/schemas"
)

// RenderOptions say what messages show.
type RenderOptions struct {
	// HideExcerpts leaves out whatever was cut from an answer or made from it: only places, scores and the detectors' own
	// words are shown.
	HideExcerpts bool
	// Buttons adds those that label and silence; only where clicks are read.
	Buttons bool
	// TraceURL opens a trace: {trace_id} in it stands for the id. Empty: no such button.
	TraceURL string
	// RunbookURL is what on-call should read first. Empty: no such button.
	RunbookURL string
}

// repeatMark is in the fallback text of a message that may repeat another one.
const repeatMark = " (may repeat)"

// card is what an alert says, whatever shows it. Every string is clean, none is escaped.
type card struct {
	recommendation schemas.Recommendation
	icon           string
	title          string
	notes          []string // what must be known before the rest is read
	fields         []field
	groups         []string // of a digest, a line each
	advice         string
	evidence       []string // worst first, several lines each
	context        []field
	links          []link
	feedback       []string // a line for each person who has said something
	buttons        *ButtonValue
	silence        bool   // the buttons include the one that silences
	verdicts       bool   // and those that label
	fallback       string // one line without any text of the interaction
}

// field is a labelled fact.
type field struct{ label, value string }

// newCard reads an alert.
func newCard(alert *schemas.Alert, opts RenderOptions) card {
	var c card
	switch alert.Kind {
	case schemas.AlertDigest:
		c = digestCard(alert, opts)
	case schemas.AlertBroken:
		c = brokenCard(alert, opts)
	case schemas.AlertGroup:
		c = groupCard(alert, opts)
	default: // alerts of callers that know one kind only
		c = groupCard(alert, opts)
	}
	c.recommendation, c.icon = alert.Flag.Recommendation, icon(alert)
	c.feedback = verdictLines(alert.Feedback)
	if alert.Earlier > 0 {
		c.notes = append([]string{fmt.Sprintf("It goes on: +%d told before, by earlier messages.", alert.Earlier)}, c.notes...)
	}
	if alert.MayRepeat {
		c.notes = append([]string{"May repeat: an earlier attempt to tell this may have arrived."}, c.notes...)
		c.fallback += repeatMark
	}
	if runbook := webLink(opts.RunbookURL); runbook != "" {
		c.links = append(c.links, link{ActionRunbook, "Runbook", runbook})
	}
	return c
}

// groupCard tells of one problem: one incident, or many that have something in common.
func groupCard(alert *schemas.Alert, opts RenderOptions) card {
	f := &alert.Flag
	c := card{
		title:    "Possible hallucination",
		fields:   fields(alert),
		evidence: evidence(members(alert), digits(alert), !opts.HideExcerpts),
		context:  contextOf(alert),
		verdicts: true,
	}
	if alert.Count > 1 {
		c.title += fmt.Sprintf(" ×%d", alert.Count)
	}
	// What must survive the cut comes first.
	c.fallback = fmt.Sprintf("[%s] %s, incident %s", clean(string(f.Recommendation), maxVerdict), c.title, clean(f.IncidentID, maxName))
	if service := clean(f.Service, maxName); service != "" {
		c.title += " · " + service
		c.fallback += ", in " + service
	}
	if trace := traceLink(opts.TraceURL, f.TraceID); trace != "" {
		c.links = append(c.links, link{ActionTrace, "Open trace", trace})
	}
	c.press(alert, opts)
	return c
}

// press adds the buttons, where clicks are read and there is something of ours to send back.
func (c *card) press(alert *schemas.Alert, opts RenderOptions) {
	if !opts.Buttons || !hexID(alert.Flag.IncidentID, incidentDigits) {
		c.verdicts = false
		return
	}
	v := ButtonValue{Incident: alert.Flag.IncidentID, Detectors: alert.Flag.Fired}
	if hexID(alert.Group, groupDigits) {
		v.Group, c.silence = alert.Group, true
	}
	c.buttons = &v
}

// icon stands before the title: by recommendation, and one step graver in the high lane.
func icon(alert *schemas.Alert) string {
	high := alert.Lane == schemas.LaneHigh
	switch {
	case alert.Kind == schemas.AlertBroken:
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

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// plural is n with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}

// moment shows a time to the second, in UTC, and "" for an unknown one.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// later shows a time that follows another one: without the day, when that is the same.
func later(t, after time.Time) string {
	t, after = t.UTC(), after.UTC()
	if !after.IsZero() && t.YearDay() == after.YearDay() && t.Year() == after.Year() {
		return t.Format("15:04:05 UTC")
	}
	return moment(t)
}
