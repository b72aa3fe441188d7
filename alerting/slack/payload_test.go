package slack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/alerting/console"
	"confab/schemas"
)

// Every payload is inert in every untrusted field, kind of message, thread and on a terminal.
func TestPayloadsStayInert(t *testing.T) {
	step, every := 5, 1 // texts that a field has alone, and that all have
	switch {
	case testing.Short():
		step, every = 20, 10
	case os.Getenv("FULL_COUNTS") != "":
		step = 1
	}
	require.GreaterOrEqual(t, len(samples.HostileTexts()), 200)
	for _, s := range samples.TextFields() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			shown := make([]bool, len(samples.Alerts()))
			for i, a := range samples.Alerts() {
				s.Put(&a, "zcanary")
				shown[i] = strings.Contains(allTexts(t, &a), "zcanary")
			}
			for i, p := range samples.HostileTexts() {
				for k, a := range samples.Alerts() {
					if i%step > 0 || !shown[k] && i%(10*step) > 0 {
						continue // a few payloads suffice for hidden fields
					}
					s.Put(&a, p)
					require.NoError(t, renderProblems(&a, alerttest.RenderAll()), "%s, payload %d: %.100q", a.Kind, i, p)
				}
			}
		})
	}
	t.Run("in all fields at once", func(t *testing.T) {
		t.Parallel()
		for i, p := range samples.HostileTexts() {
			if i%every > 0 {
				continue
			}
			for _, a := range samples.Alerts() {
				for _, s := range samples.TextFields() {
					s.Put(&a, p)
				}
				require.NoError(t, renderProblems(&a, alerttest.RenderAll()), "%s, payload %d: %.100q", a.Kind, i, p)
				require.NoError(t, checkReadable(renderAlert(&a, alerttest.RenderAll())), "%s, payload %d: %.100q", a.Kind, i, p)
				a.Flag.IncidentID = samples.IncidentID
				require.NoError(t, renderProblems(&a, card.RenderOptions{HideExcerpts: true, TraceURL: alerttest.RenderAll().TraceURL}), "%s, payload %d: %.100q", a.Kind, i, p)
				if text := renderAlert(&a, alerttest.RenderAll()).text; a.Kind == schemas.AlertGroup {
					require.Contains(t, text, samples.IncidentID, "the id is never cut")
				}
			}
		}
	})
}

// renderProblems returns the violations in all forms of an alert.
func renderProblems(a *schemas.Alert, opts card.RenderOptions) error {
	m := renderAlert(a, opts)
	errs := []error{violations(m, opts), forgedText(a, opts)}
	if !strings.Contains(m.text, strconv.FormatInt(a.Count, 10)) {
		errs = append(errs, fmt.Errorf("the fallback does not hold the count: %.100q", m.text))
	}
	return errors.Join(errs...)
}

// forgedText finds terminal sequences and forged lines.
func forgedText(a *schemas.Alert, opts card.RenderOptions) error {
	opts.TraceURL, opts.RunbookURL = "", "" // configured links are allowed
	var out bytes.Buffer
	if _, err := console.New(console.Options{Writer: &out, RenderOptions: opts}).Notify(context.Background(), *a); err != nil {
		return err
	}
	text := out.String()
	if d := samples.Defect(text); d != "" {
		return fmt.Errorf("terminal: %s in %.300q", d, text)
	}
	heads := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "▌ ALERT  ") {
			heads++
		} else if line != "\n" && !strings.HasPrefix(line, "  ") {
			return fmt.Errorf("terminal: the line %.100q is not ours", line)
		}
	}
	if heads != 1 {
		return fmt.Errorf("terminal: %d alerts in %.300q", heads, text)
	}
	return nil
}

// allTexts returns all texts of an alert.
func allTexts(t *testing.T, a *schemas.Alert) string {
	return string(indentJSON(t, renderAlert(a, alerttest.RenderAll())))
}

func TestHiddenFields(t *testing.T) {
	var hidden []string
	for _, s := range samples.TextFields() {
		shown := false
		for _, a := range append(samples.Alerts(), samples.Notice()) {
			s.Put(&a, "zcanary")
			shown = shown || strings.Contains(allTexts(t, &a), "zcanary")
		}
		if !shown {
			hidden = append(hidden, s.Name)
		}
	}
	require.Equal(t, []string{
		"Message", "Group", "Cause", "Channel", "Groups.Group.Tenant", "Groups.Group.Problem", "Feedback.Verdict", "Flag.Pass", "Flag.InteractionID", "Flag.Provider", "Flag.SpanID",
		"Flag.ConversationID", "Flag.Tags", "Flag.Origin.Topic", "Flag.Signals.Outcome", "Flag.Signals.Measures", "Flag.Signals.Type", "Flag.Signals.Reason",
		"Flag.Signals.Evidence.Citation", "Flag.Signals.Evidence.SourceID", "Flag.Signals.Evidence.Rule",
		"Flag.Signals.Statements.Text", "Flag.Signals.Statements.Verdict", "Flag.Signals.Statements.Reason", "Flag.Action",
		"Flag.Grounding.UngroundedClaimList.Excerpt", "Flag.Grounding.Source", "Flag.Calibration", "Flag.WorkerVersion", "Flag.SampleReason",
		"Flag.IDSource", "Flag.Attributes", "Flag.SourcesFrom", "Flag.Checked", "Flag.Unchecked", "Flag.JudgeModel", "Flag.JudgePrompt", "Flag.ConfirmedBy", "Flag.UserFeedback", "Flag.UserFeedbackBy", "Flag.Shape",
	}, hidden, "fields that on-call does not need, or with invalid values")
}

func FuzzRender(f *testing.F) {
	for i, p := range samples.HostileTexts() {
		if i%10 > 0 && testing.Short() {
			continue
		}
		f.Add(p, samples.HostileTexts()[(i*7+3)%len(samples.HostileTexts())], uint64(i)*0x9e3779b97f4a7c15, int64(i), 0.5)
	}
	f.Fuzz(func(t *testing.T, first, second string, where uint64, count int64, number float64) {
		all := samples.Alerts()
		a := all[where%uint64(len(all))]
		for i, s := range samples.TextFields() {
			switch (where >> (i % 64)) & 3 {
			case 1:
				s.Put(&a, first)
			case 2:
				s.Put(&a, second)
			case 3:
				s.Put(&a, second+first)
			}
		}
		a.Count, a.EarlierCount, a.MoreGroups, a.Flag.Risk = count, count, int(count%100), &number
		for i := range a.Flag.Signals {
			a.Flag.Signals[i].Score, a.Flag.Signals[i].Threshold = number, -number
		}
		for range where % 40 {
			a.Flag.Signals = append(a.Flag.Signals, a.Flag.Signals[0])
			a.Flag.Signals[0].Evidence = append(a.Flag.Signals[0].Evidence, a.Flag.Signals[0].Evidence...)[:min(len(a.Flag.Signals), 50)%2+1]
			a.Groups = append(a.Groups, a.Groups...)[:min(2*len(a.Groups), 60)]
			a.Models = append(a.Models, first)
		}
		opts := alerttest.RenderAll()
		opts.Buttons, opts.HideExcerpts = where&4 != 0, where&8 != 0
		require.NoError(t, errors.Join(violations(renderAlert(&a, opts), opts), forgedText(&a, opts)))
	})
}

// The limits of the parts add up to less than maxMessage.
func TestLimitsAddUp(t *testing.T) {
	for _, p := range []string{"<", "&", "😀", "x", "://"} {
		p = strings.Repeat(p, 5_000)
		for _, a := range samples.Alerts() {
			for _, s := range samples.TextFields() {
				if s.Name != "Feedback.Verdict" && s.Name != "Flag.IncidentID" {
					s.Put(&a, p)
				}
			}
			for len(a.Flag.Signals) < 30 {
				a.Flag.Signals = append(a.Flag.Signals, a.Flag.Signals[0])
			}
			for i := range 30 {
				a.Groups = append(a.Groups, samples.DigestAlert("").Groups[0])
				a.Feedback = append(a.Feedback, schemas.Feedback{User: fmt.Sprintf("%d%s", i, p), Source: schemas.FromCLI, Comment: p})
			}
			require.NoError(t, renderProblems(&a, alerttest.RenderAll()))
		}
	}
}

// actionsOf returns the buttons of a message.
func actionsOf(m message) string {
	var ids []string
	for _, b := range m.blocks {
		if actions, ok := b.(*slack.ActionBlock); ok {
			for _, e := range actions.Elements.ElementSet {
				button, _ := e.(*slack.ButtonBlockElement)
				ids = append(ids, strings.TrimPrefix(button.ActionID, "confab_"))
			}
		}
	}
	return strings.Join(ids, " ")
}
