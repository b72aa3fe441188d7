package teams

import (
	"strings"

	"confab/alerting/card"
	"confab/schemas"
)

const (
	contentType = "application/vnd.microsoft.card.adaptive"
	schemaURL   = "http://adaptivecards.io/schemas/adaptive-card.json"
	// version is that of the elements in use. Teams' mobile clients know 1.4.
	version = "1.4"

	maxMessage = 27 << 10 // bytes; Teams accepts 28 kB
	maxTitle   = 150
	maxText    = 2_000
)

// message is the body of a request: what the workflow's trigger expects.
type message struct {
	Type        string       `json:"type"`
	Attachments []attachment `json:"attachments"`
}

type attachment struct {
	ContentType string       `json:"contentType"`
	Content     adaptiveCard `json:"content"`
}

// adaptiveCard is an Adaptive Card. It never lists mentions under msteams.entities, without which Teams makes none.
type adaptiveCard struct {
	Schema       string            `json:"$schema"`
	Type         string            `json:"type"`
	Version      string            `json:"version"`
	FallbackText string            `json:"fallbackText"`
	MSTeams      map[string]string `json:"msteams"`
	Body         []richText        `json:"body"`
	Actions      []openURL         `json:"actions,omitempty"`
}

// richText is a paragraph. Unlike a TextBlock it does not parse Markdown.
type richText struct {
	Type      string    `json:"type"`
	Inlines   []textRun `json:"inlines"`
	Separator bool      `json:"separator,omitempty"`
}

type textRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight,omitempty"`
	Size   string `json:"size,omitempty"`
	Color  string `json:"color,omitempty"`
	Subtle bool   `json:"isSubtle,omitempty"`
}

type openURL struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// newMessage returns the message for an alert.
func newMessage(alert *schemas.Alert, opts card.RenderOptions) message {
	opts.Buttons = false
	c := card.NewCard(alert, opts)
	title := paragraph(c.Icon+" ", textRun{Text: c.Title})
	for i := range title.Inlines {
		title.Inlines[i].Weight, title.Inlines[i].Size, title.Inlines[i].Color = "Bolder", "Large", titleColor(alert)
	}
	body := []richText{title}
	add := func(p richText) {
		if len(p.Inlines) > 0 {
			body = append(body, p)
		}
	}
	for _, note := range c.Notes {
		add(paragraph("", textRun{Text: note, Weight: "Bolder"}))
	}
	for _, f := range c.Fields {
		add(paragraph("", textRun{Text: f.Label + ": ", Weight: "Bolder"}, textRun{Text: f.Value}))
	}
	for _, passage := range c.Evidence {
		var runs []textRun
		for _, r := range passage {
			run := textRun{Text: r.Text}
			if r.Strong {
				run.Weight = "Bolder"
			}
			runs = append(runs, run)
		}
		p := paragraph("", runs...)
		p.Separator = true
		add(p)
	}
	add(paragraph("", textRun{Text: strings.Join(c.Groups, "\n")}))
	add(paragraph("", textRun{Text: c.Summary}))
	add(paragraph("", textRun{Text: c.Advice}))
	for _, line := range c.Feedback {
		add(paragraph("", textRun{Text: line, Weight: "Bolder"}))
	}
	add(smallPrint(&c))
	return envelope(&c, body)
}

// minimal is the message to send when the full one is too large or refused.
func minimal(alert *schemas.Alert, opts card.RenderOptions) message {
	opts.HideExcerpts = true
	c := card.NewCard(alert, opts)
	c.Links = nil
	return envelope(&c, []richText{paragraph("", textRun{Text: c.Fallback})})
}

func envelope(c *card.Card, body []richText) message {
	content := adaptiveCard{
		Schema: schemaURL, Type: "AdaptiveCard", Version: version, FallbackText: inert(c.Fallback, maxTitle*2),
		MSTeams: map[string]string{"width": "Full"}, Body: body,
	}
	for _, l := range c.Links { // their addresses are the operator's
		content.Actions = append(content.Actions, openURL{"Action.OpenUrl", l.Label, l.URL})
	}
	return message{Type: "message", Attachments: []attachment{{contentType, content}}}
}

func smallPrint(c *card.Card) richText {
	var facts []string
	for _, f := range c.Context {
		facts = append(facts, strings.TrimSpace(f.Label+" "+f.Value))
	}
	return paragraph("", textRun{Text: strings.Join(facts, " · "), Subtle: true})
}

// paragraph makes a paragraph of the runs that are not empty. prefix is ours.
func paragraph(prefix string, runs ...textRun) richText {
	p := richText{Type: "RichTextBlock"}
	for _, r := range runs {
		text := inert(r.Text, maxText)
		if strings.TrimSpace(text) == "" {
			continue
		}
		r.Type, r.Text = "TextRun", prefix+text
		prefix = ""
		p.Inlines = append(p.Inlines, r)
	}
	return p
}

func titleColor(alert *schemas.Alert) string {
	if alert.Severity == schemas.SeverityHigh || alert.Flag.Recommendation == schemas.Block {
		return "Attention"
	}
	return "Warning"
}

// inert replaces what Teams, a workflow or a template could read as a mention, an element or an expression. The texts of a
// card are clean already.
func inert(s string, limit int) string {
	s = strings.NewReplacer("<", "‹", ">", "›", "@", "＠", "{", "｛", "}", "｝").Replace(s)
	return card.Clamp(s, limit)
}
