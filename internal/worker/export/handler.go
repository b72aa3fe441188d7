package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confab/consumer"
	"confab/internal/worker/config"
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
	to, err := newDestination(name, d)
	if err != nil {
		return nil, fmt.Errorf("export.%s: %w", name, err)
	}
	return &Handler{name: name, only: d.Config.Export.Only, timeout: timeout, to: to, log: d.Logger}, nil
}

// MaxBatch is the number of flags of one delivery. A delivery that fails is repeated whole: one with many requests would never fit
// into a rate limit.
func (h *Handler) MaxBatch() int {
	if h.name == config.DestinationLangfuse { // a request per score
		return 1
	}
	return 100
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
		setTrace(r.Value, r.Header("traceparent"))
		if r.Outcome = h.selectFlag(r.Value); r.Outcome == outcomeDelivered {
			flags = append(flags, r.Value)
		}
	}
	if len(flags) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	if h.to.topic != nil {
		return h.to.topic.write(flags, out)
	}
	err := h.to.send(ctx, flags)
	if rejected, ok := errors.AsType[*rejectedError](err); ok {
		h.noteRejected(ctx, batch, rejected)
		return nil
	}
	if err != nil {
		return fmt.Errorf("deliver %d flags to %s: %w", len(flags), h.name, err)
	}
	return nil
}

// selectFlag returns outcomeDelivered for a flag that is to be sent.
func (h *Handler) selectFlag(f *schemas.Flag) string {
	switch {
	case h.only == config.ExportAlerts && !f.Alert, h.only == config.ExportFired && len(f.Fired) == 0:
		return outcomeNotSelected
	case h.to.needsTrace && !hasTrace(f):
		return outcomeNoTrace
	}
	return outcomeDelivered
}

// noteRejected marks and logs what the destination refused.
func (h *Handler) noteRejected(ctx context.Context, batch []consumer.Record[*schemas.Flag], rejected *rejectedError) {
	for i := range batch {
		r := &batch[i]
		if _, refused := rejected.flags[flagID(r.Value)]; refused && r.Outcome == outcomeDelivered {
			r.Outcome = outcomeRejected
		}
	}
	h.log.WarnContext(ctx, "destination refused flags", "destination", h.name, "flags", len(rejected.flags), "error", rejected,
		"remedy", "they stay in llm.incidents: correct the destination, then replay them by resetting the offsets of its consumer group")
}
