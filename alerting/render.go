package alerting

import (
	"github.com/slack-go/slack"

	"confab/schemas"
)

// icons stand before the title, by recommendation.
func icon(r schemas.Recommendation) string {
	switch r {
	case schemas.Block:
		return "🔴"
	case schemas.Recommend:
		return "🟠"
	case schemas.Allow:
	}
	return "⚪"
}

// RenderOptions say what messages show.
type RenderOptions struct {
	// HideExcerpts leaves out whatever was cut from an answer or made from it.
	HideExcerpts bool
	// Buttons adds those that label and silence; only where clicks are read.
	Buttons bool
	// TraceURL opens a trace: {trace_id} in it stands for the id. Empty: no such button.
	TraceURL string
	// RunbookURL is what on-call should read first. Empty: no such button.
	RunbookURL string
}

// message is an alert in Slack's form. Nothing in it is mrkdwn: text that others wrote stands in plain_text objects,
// escaped all the same, or in preformatted rich text, whose text elements are never parsed.
type message struct {
	text   string // what notifications and screen readers show; no text of the interaction
	blocks []slack.Block
}

// render makes the full form of an alert.
func render(alert *schemas.Alert, opts RenderOptions) message {
	c := newCard(alert, opts)
	m := message{text: escape(c.fallback, maxFallback)}
	m.add(slack.NewHeaderBlock(plain(icon(c.recommendation)+" "+c.title, maxHeader)))
	if c.repeat != "" {
		m.add(slack.NewContextBlock("", plain(c.repeat, maxContextText)))
	}
	fields := make([]*slack.TextBlockObject, 0, maxFields)
	for _, f := range c.fields[:min(len(c.fields), maxFields)] {
		fields = append(fields, plain(f.label+"\n"+f.value, maxFieldLabel+maxFieldValue))
	}
	m.add(slack.NewSectionBlock(nil, fields, nil))
	if len(c.evidence) > 0 {
		m.add(preformatted(c.evidence))
	}
	facts := make([]slack.MixedElement, 0, maxContext)
	for _, s := range c.context[:min(len(c.context), maxContext)] {
		facts = append(facts, plain(s, maxContextText))
	}
	m.add(slack.NewContextBlock("", facts...))
	return m
}

// minimal is the form that a sink gets when it refuses the full one: the fallback text alone.
func (m message) minimal() message {
	const hint = ". The details could not be shown here; look the incident up in the incidents topic."
	return message{text: m.text + hint}
}

func (m *message) add(b slack.Block) { m.blocks = append(m.blocks, b) }

func plain(s string, limit int) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, escape(s, limit), false, false)
}

func preformatted(texts []string) *slack.RichTextBlock {
	elements := make([]slack.RichTextElement, 0, len(texts))
	for _, s := range texts {
		elements = append(elements, &slack.RichTextPreformatted{
			Type:     slack.RTEPreformatted,
			Elements: []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(clamp(s, maxEvidenceText), nil)},
		})
	}
	return slack.NewRichTextBlock("", elements...)
}
