package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confab/consumer"
	"confab/internal/worker/config"
	"confab/internal/worker/export/delivery"
	"confab/internal/worker/export/events"
	"confab/schemas"
)

// Outcomes of flags in metrics.
const (
	outcomeDelivered   = "delivered"
	outcomeRejected    = "rejected"     // the destination refused it for good
	outcomeNoTrace     = "no_trace_id"  // it cannot be a span
	outcomeNotSelected = "not_selected" // by export.only
)

// Outcomes are the outcomes that a handler gives.
func Outcomes() []string {
	return []string{outcomeDelivered, outcomeRejected, outcomeNoTrace, outcomeNotSelected}
}

// maxWait bounds the wait that a destination asks for.
const maxWait = 5 * time.Minute

// Handler is a consumer.Handler that sends flags to one destination.
type Handler struct {
	name    string
	only    string
	timeout time.Duration
	to      *destination
	log     *slog.Logger
}

// NewHandler returns the handler of the destination with that name. timeout bounds one delivery of a batch, which the loop
// then repeats. Close it after the loop.
func NewHandler(name string, d *Dependencies, timeout time.Duration) (*Handler, error) {
	build, ok := builders()[name]
	if !ok {
		return nil, fmt.Errorf("export: %q is not a destination", name)
	}
	to, err := build(d)
	if err != nil {
		return nil, fmt.Errorf("export.%s: %w", name, err)
	}
	return &Handler{name: name, only: d.Config.Export.Only, timeout: timeout, to: to, log: d.Logger}, nil
}

// Close ends idle connections.
func (h *Handler) Close() {
	if h.to.close != nil {
		h.to.close()
	}
}

// Check asks the destination without sending results. Destinations that cannot be asked give nil.
func (h *Handler) Check(ctx context.Context) error {
	if h.to.check == nil {
		return nil
	}
	return h.to.check(ctx)
}

// Handle implements consumer.Handler.
func (h *Handler) Handle(ctx context.Context, batch []consumer.Record[*schemas.Flag], out consumer.Producer) error {
	flags := make([]*schemas.Flag, 0, len(batch))
	for i := range batch {
		r := &batch[i]
		events.SetTrace(r.Value, r.Header("traceparent"))
		if r.Outcome = h.selectFlag(r.Value); r.Outcome == outcomeDelivered {
			flags = append(flags, r.Value)
		}
	}
	if len(flags) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	err := h.to.send(ctx, flags, out)
	if rejected, ok := errors.AsType[*delivery.RejectedError](err); ok {
		h.noteRejected(ctx, batch, rejected)
		return nil
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("deliver %d flags to %s: %w", len(flags), h.name, err)
	if wait, ok := errors.AsType[*delivery.RetryAfterError](err); ok {
		return &pauseError{error: err, after: min(wait.After, maxWait)}
	}
	return err
}

// selectFlag returns outcomeDelivered for a flag that is to be sent.
func (h *Handler) selectFlag(f *schemas.Flag) string {
	switch {
	case h.only == config.ExportAlerts && !f.Alert, h.only == config.ExportFired && len(f.Fired) == 0:
		return outcomeNotSelected
	case h.to.needsTrace && !events.HasTrace(f):
		return outcomeNoTrace
	}
	return outcomeDelivered
}

// noteRejected marks and logs what the destination refused.
func (h *Handler) noteRejected(ctx context.Context, batch []consumer.Record[*schemas.Flag], rejected *delivery.RejectedError) {
	for i := range batch {
		r := &batch[i]
		if _, refused := rejected.Flags[delivery.FlagID(r.Value)]; refused && r.Outcome == outcomeDelivered {
			r.Outcome = outcomeRejected
		}
	}
	h.log.WarnContext(ctx, "destination refused flags", "destination", h.name, "flags", len(rejected.Flags), "error", rejected,
		"remedy", "they stay in llm.incidents: correct the destination, then replay them by resetting the offsets of its consumer group")
}

// pauseError gives the consumer's loop the time to wait before the next attempt.
type pauseError struct {
	error
	after time.Duration
}

// RetryAfter is the wait.
func (e *pauseError) RetryAfter() time.Duration { return e.after }

// Unwrap returns the failure.
func (e *pauseError) Unwrap() error { return e.error }
