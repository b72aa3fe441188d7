package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
)

// violations checks a message for Slack's limits and for untrusted text where Slack parses it.
func violations(m message, opts card.RenderOptions) error {
	c := messageChecker{opts: opts}
	c.text("text", m.text, maxFallback, true)
	if strings.ContainsAny(m.text, "\n`") || hostPattern.MatchString(m.text) {
		c.fail("text: some clients parse %q", m.text)
	}
	c.text("minimal", m.minimal().text, 2*maxFallback, true)
	c.total = 0
	if len(m.blocks) == 0 || len(m.blocks) > 50 {
		c.fail("%d blocks", len(m.blocks))
	}
	ids := map[string]bool{}
	for _, b := range m.blocks {
		if id := b.ID(); id != "" && (ids[id] || len(id) > 255) {
			c.fail("block id %q: twice, or too long", id)
		} else {
			ids[id] = true
		}
		c.block(b)
	}
	if c.total > maxMessage {
		c.fail("%d characters in all", c.total)
	}
	return errors.Join(c.errs...)
}

// maxMessage bounds the text of all blocks. Slack rejects messages above about 11,000. The limits of the parts add up to less,
// so blocks are never dropped.
const maxMessage = 8_000

var hostPattern = regexp.MustCompile(`[\pL\pN][.。．｡․][\pL\pN]`)

// checkReadable checks that a message survives decoding and encoding by Slack's types.
func checkReadable(m message) error {
	raw, err := json.Marshal(m.blocks)
	if err != nil {
		return err
	}
	var back slack.Blocks
	if err := json.Unmarshal(raw, &back); err != nil {
		return err
	}
	again, err := json.Marshal(back)
	if err == nil && !bytes.Equal(raw, again) {
		err = errors.New("message changes when decoded")
	}
	return err
}

type messageChecker struct {
	opts  card.RenderOptions
	total int
	errs  []error
}

func (c *messageChecker) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// text checks a text that Slack shows as it is or, when escaped, in which Slack parses & < >.
func (c *messageChecker) text(where, s string, limit int, escaped bool) {
	n := samples.UTF16Length(s)
	c.total += n
	if s == "" || n > limit {
		c.fail("%s: %d characters, 1 to %d are allowed", where, n, limit)
	}
	if d := samples.Defect(s); d != "" {
		c.fail("%s: %s in %.200q", where, d, s)
	}
	if escaped && strings.ContainsAny(s, "<>&") {
		rest := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(s)
		if strings.ContainsAny(rest, "<>&") {
			c.fail("%s: not escaped: %.200q", where, s)
		}
	}
}

func (c *messageChecker) object(where string, o *slack.TextBlockObject, limit int) {
	if err := o.Validate(); err != nil {
		c.fail("%s: %w", where, err)
	}
	if o.Type != slack.PlainTextType || o.Emoji == nil || *o.Emoji || o.Verbatim {
		c.fail("%s: only plain text without emoji names may stand here", where)
	}
	c.text(where, o.Text, limit, true)
}

func (c *messageChecker) link(where, address string) {
	trace, digits, ok := strings.Cut(c.opts.TraceURL, "{trace_id}")
	id := strings.TrimSuffix(strings.TrimPrefix(address, trace), digits)
	if page, ok := strings.CutPrefix(address, strings.TrimRight(c.opts.PageURL, "/")+"/incidents/"); ok && regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(page) {
		return
	}
	if address != c.opts.RunbookURL && (!ok || address != trace+id+digits || !regexp.MustCompile(`^[A-Za-z0-9._~%-]+$`).MatchString(id)) {
		c.fail("%s: %.200q is not a configured address", where, address)
	}
}

func (c *messageChecker) block(b slack.Block) {
	switch b := b.(type) {
	case *slack.HeaderBlock:
		c.object("header", b.Text, 150)
	case *slack.SectionBlock:
		if b.Accessory != nil || (b.Text == nil) == (len(b.Fields) == 0) || len(b.Fields) > 10 {
			c.fail("section: a text or 1 to 10 fields")
		}
		if b.Text != nil {
			c.object("section", b.Text, 3000)
		}
		for _, o := range b.Fields {
			c.object("field", o, 2000)
		}
	case *slack.ContextBlock:
		if n := len(b.ContextElements.Elements); n < 1 || n > 10 {
			c.fail("context: %d elements", n)
		}
		for _, e := range b.ContextElements.Elements {
			if o, ok := e.(*slack.TextBlockObject); ok {
				c.object("context", o, 2000)
			} else {
				c.fail("context: %T", e)
			}
		}
	case *slack.ActionBlock:
		c.buttons(b)
	case *slack.RichTextBlock:
		for _, e := range b.Elements {
			c.rich(e, b.BlockID == blockFeedback)
		}
	default:
		c.fail("a block %T", b)
	}
}

func (c *messageChecker) buttons(b *slack.ActionBlock) {
	if n := len(b.Elements.ElementSet); b.BlockID != BlockActions || n < 1 || n > 25 {
		c.fail("actions: block id %q, %d elements", b.BlockID, n)
	}
	ids := map[string]bool{}
	for _, e := range b.Elements.ElementSet {
		button, ok := e.(*slack.ButtonBlockElement)
		if !ok {
			c.fail("actions: %T", e)
			continue
		}
		if button.ActionID == "" || len(button.ActionID) > 255 || ids[button.ActionID] {
			c.fail("button: action id %q", button.ActionID)
		}
		ids[button.ActionID] = true
		c.object("button", button.Text, 75)
		if button.URL != "" {
			c.link("button", button.URL)
		} else if _, err := card.ParseButtonValue(button.Value); err != nil || len(button.Value) > 2000 {
			c.fail("button: the value %.100q", button.Value)
		}
	}
}

func (c *messageChecker) rich(e slack.RichTextElement, feedback bool) {
	var parts []slack.RichTextSectionElement
	switch e := e.(type) {
	case *slack.RichTextPreformatted:
		parts = e.Elements
	case *slack.RichTextQuote:
		parts = e.Elements
	case *slack.RichTextSection:
		parts = e.Elements // links, and who labelled
	default:
		c.fail("rich text: %T", e)
	}
	for _, p := range parts {
		switch p := p.(type) {
		case *slack.RichTextSectionTextElement:
			c.text("preformatted", p.Text, 3000, false)
		case *slack.RichTextSectionLinkElement:
			c.link("link", p.URL)
			c.text("link", p.Text, 75, true)
		case *slack.RichTextSectionUserElement:
			if !feedback || !card.IsSlackUser(p.UserID) {
				c.fail("rich text: a mention of %q", p.UserID)
			}
		default:
			c.fail("rich text: a part %T", p)
		}
	}
}

func TestCheckFindsViolations(t *testing.T) {
	alert := samples.GroupAlert()
	opts := alerttest.RenderAll()
	require.NoError(t, violations(renderAlert(&alert, opts), opts))
	object := func(kind, text string, emoji bool) *slack.TextBlockObject {
		return slack.NewTextBlockObject(kind, text, emoji, false)
	}
	text := func(parts ...slack.RichTextSectionElement) slack.Block {
		return slack.NewRichTextBlock("", slack.NewRichTextSection(parts...))
	}
	button := func(id, value string) *slack.ButtonBlockElement {
		return slack.NewButtonBlockElement(id, value, object(slack.PlainTextType, "x", false))
	}
	for name, b := range map[string]slack.Block{
		"mrkdwn":          slack.NewSectionBlock(object(slack.MarkdownType, "x", false), nil, nil),
		"emoji names":     slack.NewHeaderBlock(object(slack.PlainTextType, ":x:", true)),
		"not escaped":     slack.NewHeaderBlock(object(slack.PlainTextType, "<!channel>", false)),
		"half escaped":    slack.NewHeaderBlock(object(slack.PlainTextType, "a & b", false)),
		"header too long": slack.NewHeaderBlock(object(slack.PlainTextType, strings.Repeat("x", 151), false)),
		"empty":           slack.NewHeaderBlock(object(slack.PlainTextType, "", false)),
		"zero width":      slack.NewHeaderBlock(object(slack.PlainTextType, "a\u200bb", false)),
		"direction":       slack.NewHeaderBlock(object(slack.PlainTextType, "a\u202eb", false)),
		"control":         slack.NewHeaderBlock(object(slack.PlainTextType, "a\x1bb", false)),
		"link in a text":  text(slack.NewRichTextSectionTextElement("https://evil.example", nil)),
		"www in a text":   text(slack.NewRichTextSectionTextElement("WWW.evil.example", nil)),
		"foreign link":    text(slack.NewRichTextSectionLinkElement("https://evil.example", "x", nil)),
		"mention":         text(slack.NewRichTextSectionUserElement("U1", nil)),
		"list":            slack.NewRichTextBlock("", slack.NewRichTextList(slack.RTEListBullet, 0)),
		"image":           slack.NewImageBlock("https://evil.example", "x", "", nil),
		"context of 11":   slack.NewContextBlock("", slices.Repeat([]slack.MixedElement{object(slack.PlainTextType, "x", false)}, 11)...),
		"no fields":       slack.NewSectionBlock(nil, nil, nil),
		"foreign value":   slack.NewActionBlock(BlockActions, button(ActionWrong, "x")),
		"foreign block":   slack.NewActionBlock("x", button(ActionWrong, card.ButtonValue{Incident: samples.IncidentID}.String())),
		"foreign button":  slack.NewActionBlock(BlockActions, button(card.ActionTrace, "").WithURL(opts.TraceURL)),
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, violations(message{text: "x", blocks: []slack.Block{b}}, opts))
		})
	}
	require.Error(t, violations(message{text: "x"}, opts), "no block")
	require.Error(t, violations(message{text: "<!channel>", blocks: []slack.Block{slack.NewDividerBlock()}}, opts))
	long := slack.NewSectionBlock(object(slack.PlainTextType, strings.Repeat("x", 2900), false), nil, nil)
	require.Error(t, violations(message{text: "x", blocks: []slack.Block{long, long, long}}, opts), "too much in all")
}
