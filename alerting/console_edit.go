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

// changes are the parts of a message that may have changed since it was told.
func changes(alert *schemas.Alert) []string {
	f := &alert.Flag
	parts := []string{fmt.Sprintf("+%d similar", max(alert.Count-1, 0))}
	if alert.Kind == schemas.AlertDigest {
		parts[0] = fmt.Sprintf("digest of %d incidents", alert.Count)
	}
	if n := len(alert.Models); n > 1 {
		parts = append(parts, fmt.Sprintf("%d models", n))
	}
	if last := moment(alert.Last); last != "" {
		parts = append(parts, "last "+last)
	}
	if f.Pass == schemas.PassDeep {
		parts = append(parts, "deep look: "+clean(string(f.Recommendation), maxFieldLabel))
	}
	if n := len(alert.Feedback); n > 0 {
		parts = append(parts, verdictLine(&alert.Feedback[n-1]))
	}
	if service := clean(f.Service, maxName); service != "" {
		parts = append(parts, service)
	}
	return append(parts, "incident "+clean(f.IncidentID, maxName))
}
