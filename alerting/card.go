package alerting

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
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

// RepeatMark is in the fallback text of a message that may repeat another one.
const RepeatMark = " (may repeat)"

// Card is what an alert says, whatever shows it. Every string is clean, none is escaped.
type Card struct {
	Recommendation schemas.Recommendation
	Icon           string
	Title          string
	Notes          []string // what must be known before the rest is read
	Fields         []Field
	Groups         []string // of a digest, a line each
	Advice         string
	Evidence       []string // worst first, several lines each
	Context        []Field
	Links          []Link
	Feedback       []string // a line for each person who has said something
	Buttons        *ButtonValue
	CanSilence     bool   // the buttons include the one that silences
	CanLabel       bool   // and those that label
	Fallback       string // one line without any text of the interaction
}

// Field is a labelled fact.
type Field struct{ Label, Value string }

// NewCard reads an alert.
func NewCard(alert *schemas.Alert, opts RenderOptions) Card {
	var c Card
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
	c.Recommendation, c.Icon = alert.Flag.Recommendation, icon(alert)
	c.Feedback = verdictLines(alert.Feedback)
	if alert.EarlierCount > 0 {
		c.Notes = append([]string{fmt.Sprintf("It goes on: +%d told before, by earlier messages.", alert.EarlierCount)}, c.Notes...)
	}
	if alert.PossiblyDuplicated {
		c.Notes = append([]string{"May repeat: an earlier attempt to tell this may have arrived."}, c.Notes...)
		c.Fallback += RepeatMark
	}
	if runbook := webLink(opts.RunbookURL); runbook != "" {
		c.Links = append(c.Links, Link{ActionRunbook, "Runbook", runbook})
	}
	return c
}

// groupCard tells of one problem: one incident, or many that have something in common.
func groupCard(alert *schemas.Alert, opts RenderOptions) Card {
	f := &alert.Flag
	c := Card{
		Title:    "Possible hallucination",
		Fields:   fields(alert),
		Evidence: evidence(members(alert), digits(alert), !opts.HideExcerpts),
		Context:  contextOf(alert),
		CanLabel: true,
	}
	if alert.Count > 1 {
		c.Title += fmt.Sprintf(" ×%d", alert.Count)
	}
	// What must survive the cut comes first.
	c.Fallback = fmt.Sprintf("[%s] %s, incident %s", Clean(string(f.Recommendation), maxVerdict), c.Title, Clean(f.IncidentID, maxName))
	if service := Clean(f.Service, maxName); service != "" {
		c.Title += " · " + service
		c.Fallback += ", in " + service
	}
	if trace := traceLink(opts.TraceURL, f.TraceID); trace != "" {
		c.Links = append(c.Links, Link{ActionTrace, "Open trace", trace})
	}
	c.press(alert, opts)
	return c
}

// press adds the buttons, where clicks are read and there is something of ours to send back.
func (c *Card) press(alert *schemas.Alert, opts RenderOptions) {
	if !opts.Buttons || !hexID(alert.Flag.IncidentID, incidentDigits) {
		c.CanLabel = false
		return
	}
	v := ButtonValue{Incident: alert.Flag.IncidentID, Detectors: alert.Flag.Fired}
	if hexID(alert.Group, groupDigits) {
		v.Group, c.CanSilence = alert.Group, true
	}
	c.Buttons = &v
}

// icon stands before the title: by recommendation, and one step graver in the high lane.
func icon(alert *schemas.Alert) string {
	high := alert.Severity == schemas.SeverityHigh
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

// Link leads out of a message. Its address is the operator's: of what others wrote, only a trace's id can be in it.
type Link struct{ Action, Label, URL string }

const traceMark = "{trace_id}"

const (
	maxLink = 3_000 // Slack's limit for the address of a button
)

// traceLink is the address of a trace, "" when none is configured or the id is none.
func traceLink(template, id string) string {
	if !strings.Contains(template, traceMark) || !hexID(id, traceDigits) || strings.Trim(id, "0") == "" {
		return ""
	}
	return webLink(strings.ReplaceAll(template, traceMark, id))
}

// webLink is the address if it is one of the web, else "".
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || len(address) > maxLink {
		return ""
	}
	return u.String()
}
