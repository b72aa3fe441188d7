package slack

import (
	"strings"

	"github.com/slack-go/slack"

	"confab/alerting/card"
	"confab/schemas"
)

// Ids of the buttons of a message and of their block.
const (
	BlockActions  = "confab_actions"
	ActionWrong   = "confab_wrong"
	ActionFine    = "confab_fine"
	ActionSilence = "confab_silence"
)

// message is an alert in Slack's form. It contains no mrkdwn: untrusted text stands escaped in plain_text objects, or in
// rich text, which Slack does not parse.
type message struct {
	text   string // for notifications and screen readers; no text of the interaction
	blocks []slack.Block
}

func renderAlert(alert *schemas.Alert, opts card.RenderOptions) message {
	c := card.NewCard(alert, opts)
	return renderCard(&c)
}

func renderCard(c *card.Card) message {
	m := message{text: escapeText(breakHostNames(c.Fallback), maxFallback)}
	m.addBlock(slack.NewHeaderBlock(plainText(c.Icon+" "+c.Title, maxHeader)))
	m.addContext(c.Notes...)
	if len(c.Groups) > 0 {
		m.addBlock(preformatted([]string{strings.Join(c.Groups, "\n")}, maxGroupText))
	}
	if len(c.Evidence) > 0 {
		m.addBlock(quotedPassages(c.Evidence))
	}
	m.addContext(c.Summary)
	m.addBlock(slack.NewSectionBlock(plainText("What to do: "+c.Advice, maxAdvice), nil, nil))
	m.addContext(c.Context)
	m.addActions(c)
	if len(c.Feedback) > 0 {
		m.addBlock(feedbackBlock(c.Feedback))
	}
	return m
}

// minimal returns the form to send when Slack rejects the full one: the fallback text alone.
func (m message) minimal() message {
	const hint = ". The details could not be shown here; look the incident up in the incidents topic."
	return message{text: m.text + hint}
}

func (m *message) addBlock(b slack.Block) { m.blocks = append(m.blocks, b) }

// addContext adds a context block of those lines that are not empty.
func (m *message) addContext(lines ...string) {
	var elements []slack.MixedElement
	for _, s := range lines[:min(len(lines), maxContext)] {
		if s != "" {
			elements = append(elements, plainText(s, maxContextText))
		}
	}
	if elements != nil {
		m.addBlock(slack.NewContextBlock("", elements...))
	}
}

// addActions adds the buttons. Links are buttons only where clicks are received: Slack reports a click on them too, and
// warns without an answer. Otherwise they are links in rich text.
func (m *message) addActions(c *card.Card) {
	if c.Buttons == nil {
		if len(c.Links) > 0 {
			m.addBlock(linkLine(c.Links))
		}
		return
	}
	var all []slack.BlockElement
	button := func(action, label string) *slack.ButtonBlockElement {
		return slack.NewButtonBlockElement(action, c.Buttons.String(), plainText(label, maxButton))
	}
	if c.CanLabel {
		all = append(all, button(ActionWrong, "Answer is wrong").WithStyle(slack.StylePrimary), button(ActionFine, "Answer is fine"))
	}
	if c.CanSilence {
		all = append(all, button(ActionSilence, "Silence 1 h"))
	}
	for _, l := range c.Links {
		all = append(all, slack.NewButtonBlockElement(l.Action, "", plainText(l.Label, maxButton)).WithURL(l.URL))
	}
	if len(all) > 0 {
		m.addBlock(slack.NewActionBlock(BlockActions, all...))
	}
}

// linkLine returns the links as elements of rich text, which Slack does not parse.
func linkLine(links []card.Link) *slack.RichTextBlock {
	var parts []slack.RichTextSectionElement
	for i, l := range links {
		if i > 0 {
			parts = append(parts, slack.NewRichTextSectionTextElement(" · ", nil))
		}
		parts = append(parts, slack.NewRichTextSectionLinkElement(l.URL, l.Label, nil))
	}
	return slack.NewRichTextBlock(BlockActions, slack.NewRichTextSection(parts...))
}

func plainText(s string, limit int) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, escapeText(s, limit), false, false)
}

// preformatted returns each text in a box, cut to limit.
func preformatted(texts []string, limit int) *slack.RichTextBlock {
	elements := make([]slack.RichTextElement, 0, len(texts))
	for _, s := range texts {
		elements = append(elements, &slack.RichTextPreformatted{
			Type:     slack.RTEPreformatted,
			Elements: []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(card.Clamp(s, limit), nil)},
		})
	}
	return slack.NewRichTextBlock("", elements...)
}

// quotedPassages returns each passage as a quotation, its strong words in bold.
func quotedPassages(all []card.Passage) *slack.RichTextBlock {
	elements := make([]slack.RichTextElement, 0, len(all))
	for _, p := range all {
		parts := make([]slack.RichTextSectionElement, 0, len(p))
		for _, r := range p {
			var style *slack.RichTextSectionTextStyle
			if r.Strong {
				style = &slack.RichTextSectionTextStyle{Bold: true}
			}
			parts = append(parts, slack.NewRichTextSectionTextElement(r.Text, style))
		}
		elements = append(elements, &slack.RichTextQuote{Type: slack.RTEQuote, Elements: parts})
	}
	return slack.NewRichTextBlock("", elements...)
}
