package console

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"confab/alerting"
	"confab/alerting/card"
	"confab/schemas"
)

// Options configure a Console.
type Options struct {
	Writer io.Writer
	// Color adds ANSI colors, for terminals.
	Color bool
	// RenderOptions say what alerts show, without buttons.
	card.RenderOptions
}

// Notifier writes alerts as text, with the content of the Slack messages.
type Notifier struct {
	opts Options
	mu   sync.Mutex // held while an alert is written
}

// New returns a console sink.
func New(opts Options) *Notifier { return &Notifier{opts: opts} }

// Notify writes the alert. The receipt is empty.
func (c *Notifier) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return schemas.Receipt{}, fmt.Errorf("write the alert: %w", err)
	}
	return schemas.Receipt{}, c.write("write the alert", c.cardText(card.NewCard(&alert, c.opts.RenderOptions)), true)
}

// write writes a text as a whole. A part of a message that repeats counts as sent.
func (c *Notifier) write(op, text string, repeats bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := io.WriteString(c.opts.Writer, text)
	if err == nil {
		return nil
	}
	return &alerting.Error{
		Class: alerting.Retryable, Reason: alerting.ReasonWrite, Op: op, Detail: "the output cannot be written to",
		Remedy: "check where standard output goes", Ambiguous: n > 0 && repeats,
	}
}

const maxRecommendation = 40

// The ANSI sequences in use.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// cardText formats a card: labels in the first column, values in the second.
func (c *Notifier) cardText(content card.Card) string {
	var b strings.Builder
	tone := yellow
	if content.Recommendation == schemas.Block {
		tone = red
	}
	label := "ALERT"
	if content.Kind == schemas.AlertNotice {
		label = "NOTICE"
	}
	b.WriteString(c.colored(tone, "▌ "+label+"  "+content.Title) + "\n")
	for _, s := range content.Notes {
		c.writeEntry(&b, "note", s)
	}
	if len(content.Groups) > 0 {
		label := "groups"
		if content.Kind == schemas.AlertNotice {
			label = "changes"
		}
		c.writeEntry(&b, label, strings.Join(content.Groups, "\n"))
	}
	for _, e := range content.Evidence {
		c.writeEntry(&b, "evidence", c.passageText(e))
	}
	if content.Summary != "" {
		c.writeEntry(&b, "where", content.Summary)
	}
	c.writeEntry(&b, "what to do", content.Advice)
	if content.Context != "" {
		c.writeEntry(&b, "summary", content.Context)
	}
	for _, l := range content.Links {
		c.writeEntry(&b, strings.ToLower(l.Label), l.URL)
	}
	for _, s := range content.Feedback {
		c.writeEntry(&b, "label", s)
	}
	return b.String() + "\n"
}

// passageText returns the lines of a passage, with its strong words in bold where there are colors.
func (c *Notifier) passageText(p card.Passage) string {
	var b strings.Builder
	for _, r := range p {
		if r.Strong {
			r.Text = c.colored(bold, r.Text)
		}
		b.WriteString(r.Text)
	}
	return b.String()
}

// writeEntry writes a label and its value, with further lines indented to the same column.
func (c *Notifier) writeEntry(b *strings.Builder, label, value string) {
	const column = 16
	pad := strings.Repeat(" ", column)
	for i, line := range strings.Split(value, "\n") {
		head := pad
		if i == 0 {
			head = fmt.Sprintf("%-*s", column, label)
		}
		b.WriteString("  " + c.colored(dim, head) + line + "\n")
	}
}

func (c *Notifier) colored(sequence, s string) string {
	if !c.opts.Color {
		return s
	}
	return sequence + s + reset
}

// Edit writes one line about the change. It ignores the receipt: the line names the incident.
func (c *Notifier) Edit(ctx context.Context, alert schemas.Alert, _ schemas.Receipt) error {
	const op = "write the change of an alert"
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	content := card.NewCard(&alert, c.opts.RenderOptions)
	line := "▌ " + content.Context
	if alert.Kind == schemas.AlertDigest {
		line = "▌ " + content.Title + ", " + content.Context
	}
	if alert.Flag.Pass == schemas.PassDeep {
		line += " · deep evaluation: " + card.Clean(string(content.Recommendation), maxRecommendation)
	}
	if n := len(content.Feedback); n > 0 {
		line += " · " + content.Feedback[n-1]
	}
	return c.write(op, c.colored(dim, line)+"\n", false)
}
