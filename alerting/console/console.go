package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"confab/alerting"
	"confab/schemas"
)

// Options configure a Console.
type Options struct {
	Writer io.Writer
	// Color adds ANSI colors, for terminals.
	Color bool
	// RenderOptions say what alerts show, without buttons.
	alerting.RenderOptions
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
	text := c.cardText(alerting.NewCard(&alert, c.opts.RenderOptions))
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, err := io.WriteString(c.opts.Writer, text); err != nil {
		return schemas.Receipt{}, &alerting.Error{
			Class: alerting.Retryable, Reason: alerting.ReasonWrite, Op: "write the alert", Detail: "the output cannot be written to",
			Remedy: "check where standard output goes", Ambiguous: n > 0,
		}
	}
	return schemas.Receipt{}, nil
}

// The ANSI sequences in use.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// cardText formats a card: labels in the first column, values in the second.
func (c *Notifier) cardText(card alerting.Card) string {
	var b strings.Builder
	tone := yellow
	if card.Recommendation == schemas.Block {
		tone = red
	}
	b.WriteString(c.colored(tone, "▌ ALERT  "+card.Title) + "\n")
	for _, s := range card.Notes {
		c.writeEntry(&b, "note", s)
	}
	for _, f := range card.Fields {
		c.writeEntry(&b, strings.ToLower(f.Label), f.Value)
	}
	if len(card.Groups) > 0 {
		c.writeEntry(&b, "groups", strings.Join(card.Groups, "\n"))
	}
	for _, e := range card.Evidence {
		c.writeEntry(&b, "evidence", e)
	}
	c.writeEntry(&b, "what to do", card.Advice)
	for _, f := range card.Context {
		c.writeEntry(&b, cmp.Or(f.Label, "summary"), f.Value)
	}
	for _, l := range card.Links {
		c.writeEntry(&b, strings.ToLower(l.Label), l.URL)
	}
	for _, s := range card.Feedback {
		c.writeEntry(&b, "label", s)
	}
	return b.String() + "\n"
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
	line := c.colored(dim, "▌ "+strings.Join(alerting.ChangeSummary(&alert), " · ")) + "\n"
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.opts.Writer, line); err != nil {
		return &alerting.Error{
			Class: alerting.Retryable, Reason: alerting.ReasonWrite, Op: op, Detail: "the output cannot be written to",
			Remedy: "check where standard output goes",
		}
	}
	return nil
}
