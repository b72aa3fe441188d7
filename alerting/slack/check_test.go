package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
)

// violations holds a message against Slack's limits and against our rule on where text of others may stand; nil: none.
func violations(m message, opts alerting.RenderOptions) error {
	w := messageChecker{opts: opts}
	w.text("text", m.text, maxFallback, true)
	if strings.ContainsAny(m.text, "\n`") || hostPattern.MatchString(m.text) {
		w.fail("text: %q is more than words to some clients", m.text)
	}
	w.text("minimal", m.minimal().text, 2*maxFallback, true)
	w.total = 0
	if len(m.blocks) == 0 || len(m.blocks) > 50 {
		w.fail("%d blocks", len(m.blocks))
	}
	ids := map[string]bool{}
	for _, b := range m.blocks {
		if id := b.ID(); id != "" && (ids[id] || len(id) > 255) {
			w.fail("block id %q: twice, or too long", id)
		} else {
			ids[id] = true
		}
		w.block(b)
	}
	if w.total > maxMessage {
		w.fail("%d characters in all", w.total)
	}
	return errors.Join(w.errs...)
}

var hostPattern = regexp.MustCompile(`[\pL\pN][.。．｡․][\pL\pN]`)

// checkReadable says what keeps Slack's own types from reading a message as it was made; nil: nothing.
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
		err = errors.New("it reads otherwise")
	}
	return err
}

type messageChecker struct {
	opts  alerting.RenderOptions
	total int
	errs  []error
}

func (w *messageChecker) fail(format string, args ...any) {
	w.errs = append(w.errs, fmt.Errorf(format, args...))
}

// text is one that Slack shows as it is, or, escaped, one in which Slack reads & < >.
func (w *messageChecker) text(where, s string, limit int, escaped bool) {
	n := samples.UTF16Length(s)
	w.total += n
	if s == "" || n > limit {
		w.fail("%s: %d characters, 1 to %d are allowed", where, n, limit)
	}
	if d := samples.Defect(s); d != "" {
		w.fail("%s: %s in %.200q", where, d, s)
	}
	if escaped && strings.ContainsAny(s, "<>&") {
		rest := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(s)
		if strings.ContainsAny(rest, "<>&") {
			w.fail("%s: not escaped: %.200q", where, s)
		}
	}
}

func (w *messageChecker) object(where string, o *slack.TextBlockObject, limit int) {
	if err := o.Validate(); err != nil {
		w.fail("%s: %w", where, err)
	}
	if o.Type != slack.PlainTextType || o.Emoji == nil || *o.Emoji || o.Verbatim {
		w.fail("%s: only plain text without emoji names may stand here", where)
	}
	w.text(where, o.Text, limit, true)
}

func (w *messageChecker) link(where, address string) {
	trace, digits, ok := strings.Cut(w.opts.TraceURL, "{trace_id}")
	id := strings.TrimSuffix(strings.TrimPrefix(address, trace), digits)
	if address != w.opts.RunbookURL && (!ok || address != trace+id+digits || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id)) {
		w.fail("%s: %.200q is no address of the operator's", where, address)
	}
}

func (w *messageChecker) block(b slack.Block) {
	switch b := b.(type) {
	case *slack.HeaderBlock:
		w.object("header", b.Text, 150)
	case *slack.SectionBlock:
		if b.Accessory != nil || (b.Text == nil) == (len(b.Fields) == 0) || len(b.Fields) > 10 {
			w.fail("section: a text or 1 to 10 fields")
		}
		if b.Text != nil {
			w.object("section", b.Text, 3000)
		}
		for _, o := range b.Fields {
			w.object("field", o, 2000)
		}
	case *slack.ContextBlock:
		if n := len(b.ContextElements.Elements); n < 1 || n > 10 {
			w.fail("context: %d elements", n)
		}
		for _, e := range b.ContextElements.Elements {
			if o, ok := e.(*slack.TextBlockObject); ok {
				w.object("context", o, 2000)
			} else {
				w.fail("context: %T", e)
			}
		}
	case *slack.ActionBlock:
		w.buttons(b)
	case *slack.RichTextBlock:
		for _, e := range b.Elements {
			w.rich(e)
		}
	default:
		w.fail("a block %T", b)
	}
}

func (w *messageChecker) buttons(b *slack.ActionBlock) {
	if n := len(b.Elements.ElementSet); b.BlockID != BlockActions || n < 1 || n > 25 {
		w.fail("actions: block id %q, %d elements", b.BlockID, n)
	}
	ids := map[string]bool{}
	for _, e := range b.Elements.ElementSet {
		button, ok := e.(*slack.ButtonBlockElement)
		if !ok {
			w.fail("actions: %T", e)
			continue
		}
		if button.ActionID == "" || len(button.ActionID) > 255 || ids[button.ActionID] {
			w.fail("button: action id %q", button.ActionID)
		}
		ids[button.ActionID] = true
		w.object("button", button.Text, 75)
		if button.URL != "" {
			w.link("button", button.URL)
		} else if _, err := alerting.ParseButtonValue(button.Value); err != nil || len(button.Value) > 2000 {
			w.fail("button: the value %.100q", button.Value)
		}
	}
}

func (w *messageChecker) rich(e slack.RichTextElement) {
	var parts []slack.RichTextSectionElement
	switch e := e.(type) {
	case *slack.RichTextPreformatted:
		parts = e.Elements
	case *slack.RichTextSection:
		parts = e.Elements // of our own words and links
	default:
		w.fail("rich text: %T", e)
	}
	for _, p := range parts {
		switch p := p.(type) {
		case *slack.RichTextSectionTextElement:
			w.text("preformatted", p.Text, 3000, false)
		case *slack.RichTextSectionLinkElement:
			w.link("link", p.URL)
			w.text("link", p.Text, 75, true)
		default:
			w.fail("rich text: a part %T", p)
		}
	}
}

// The check finds what it is there for.
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
		"context of 11":   contextBlock("", strings.Split(strings.Repeat("x", 11), "")),
		"no fields":       slack.NewSectionBlock(nil, nil, nil),
		"foreign value":   slack.NewActionBlock(BlockActions, button(ActionConfirm, "x")),
		"foreign block":   slack.NewActionBlock("x", button(ActionConfirm, alerting.ButtonValue{Incident: samples.IncidentID}.String())),
		"foreign button":  slack.NewActionBlock(BlockActions, button(alerting.ActionTrace, "").WithURL(opts.TraceURL)),
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
