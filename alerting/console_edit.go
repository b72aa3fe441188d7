package alerting

import (
	"context"
	"fmt"
	"io"
	"strings"

	"confab/schemas"
)

// Edit writes one line: what is printed stays as it is. The receipt is not needed, the line names the incident.
func (c *Console) Edit(ctx context.Context, alert schemas.Alert, _ schemas.Receipt) error {
	const op = "write the change of an alert"
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	line := c.paint(dim, "▌ "+strings.Join(changes(&alert), " · ")) + "\n"
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.opts.Writer, line); err != nil {
		return &Error{
			Class: Retryable, Reason: ReasonWrite, Op: op, Detail: "the output cannot be written to",
			Remedy: "check where standard output goes",
		}
	}
	return nil
}
