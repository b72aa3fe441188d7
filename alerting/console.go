package alerting

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"confab/schemas"
)

// ConsoleOptions configure a Console.
type ConsoleOptions struct {
	Writer io.Writer
	// Color writes ANSI colors; for terminals.
	Color bool
	// RenderOptions say what is shown. There are no buttons.
	RenderOptions
}

// Console tells alerts to people at a terminal: the sink of the demo and of dry runs. It says what Slack would say.
type Console struct {
	opts ConsoleOptions
	mu   sync.Mutex // one alert is written in one piece
}

// NewConsole makes a console sink.
func NewConsole(opts ConsoleOptions) *Console { return &Console{opts: opts} }

// Notify writes the alert. The receipt is empty.
func (c *Console) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return schemas.Receipt{}, fmt.Errorf("write the alert: %w", err)
	}
	text := c.text(newCard(&alert, c.opts.RenderOptions))
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, err := io.WriteString(c.opts.Writer, text); err != nil {
		return schemas.Receipt{}, &Error{
			Class: Retryable, Reason: ReasonWrite, Op: "write the alert", Detail: "the output cannot be written to",
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

// text lays a card out: labels in one column, what belongs together on the lines beside them.
func (c *Console) text(card card) string {
	var b strings.Builder
	tone := yellow
	if card.recommendation == schemas.Block {
		tone = red
	}
	b.WriteString(c.paint(tone, "▌ ALERT  "+card.title) + "\n")
	for _, s := range card.notes {
		c.entry(&b, "note", s)
	}
	for _, f := range card.fields {
		c.entry(&b, strings.ToLower(f.label), f.value)
	}
	if len(card.groups) > 0 {
		c.entry(&b, "groups", strings.Join(card.groups, "\n"))
	}
	if card.advice != "" {
		c.entry(&b, "remedy", card.advice)
	}
	for _, e := range card.evidence {
		c.entry(&b, "evidence", e)
	}
	for _, f := range card.context {
		c.entry(&b, cmp.Or(f.label, "also"), f.value)
	}
	for _, l := range card.links {
		c.entry(&b, strings.ToLower(l.label), l.url)
	}
	for _, s := range card.feedback {
		c.entry(&b, "label", s)
	}
	return b.String() + "\n"
}

// entry writes a label and its value, whose further lines are indented to the same column.
func (c *Console) entry(b *strings.Builder, label, value string) {
	const column = 16
	pad := strings.Repeat(" ", column)
	for i, line := range strings.Split(value, "\n") {
		head := pad
		if i == 0 {
			head = fmt.Sprintf("%-*s", column, label)
		}
		b.WriteString("  " + c.paint(dim, head) + line + "\n")
	}
}

func (c *Console) paint(sequence, s string) string {
	if !c.opts.Color {
		return s
	}
	return sequence + s + reset
}
