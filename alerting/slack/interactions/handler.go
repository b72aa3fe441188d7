// Package interactions turns clicks on the buttons under an alert into labels and silences.
//
// [Handler] processes clicks. Slack delivers them over a websocket that the worker opens ([Socket]). No state is kept between
// clicks: every replica can serve every click, and a click that is delivered again gives the same records. The caller writes
// labels and silences.
package interactions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/slack-go/slack"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/schemas"
)

const (
	// Slack shows a warning next to the button when a click is not acknowledged within 3 s.
	defaultDeadline = 2500 * time.Millisecond
	editTimeout     = 10 * time.Second // includes the wait for the rate limit
)

// ErrNotPublished means that the click was not written. The user sees Slack's warning and can click again.
var ErrNotPublished = errors.New("write click failed; check the brokers, then click again")

// Editor replaces the content of a message, such as a Slack bot.
type Editor interface {
	Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error
}

// HandlerOptions configure a Handler.
type HandlerOptions struct {
	// Publish writes a label and returns nil once it is durable.
	Publish func(context.Context, schemas.Feedback) error
	// Silence writes a silence and returns nil once it is durable.
	Silence func(context.Context, schemas.Silence) error
	Editor  Editor // nil: messages are not edited
	Metrics *Metrics
	Logger  *slog.Logger
	// Deadline of writing. Default: 2.5 s, below the 3 s of Slack.
	Deadline time.Duration
}

// Handler turns clicks into labels and silences. It is safe for concurrent use and stateless.
type Handler struct {
	opts HandlerOptions
}

// NewHandler makes a Handler.
func NewHandler(opts HandlerOptions) *Handler {
	if opts.Deadline <= 0 {
		opts.Deadline = defaultDeadline
	}
	return &Handler{opts: opts}
}

// Handle writes the clicks of an interaction within the deadline. A nil error means that they are durable and that Slack
// may be answered. Then show, which is never nil, adds user, action and time to the message. Other interactions are
// ignored. The error is [ErrInvalid] or [ErrNotPublished].
func (h *Handler) Handle(ctx context.Context, cb *slack.InteractionCallback) (show func(context.Context), err error) {
	noEdit := func(context.Context) {}
	clicks, action, err := readClicks(cb)
	if err != nil {
		h.opts.Metrics.count(action, outcomeInvalid)
		h.opts.Logger.Warn("rejected click", "error", err)
		return noEdit, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.opts.Deadline)
	defer cancel()
	for _, c := range clicks {
		if err := h.write(ctx, c); err != nil {
			h.opts.Metrics.count(c.action, outcomePublishFailed)
			h.opts.Logger.Error("write click failed", "action", c.action, "error", err)
			return noEdit, ErrNotPublished
		}
		h.opts.Metrics.count(c.action, outcomeOK)
	}
	if len(clicks) == 0 || h.opts.Editor == nil {
		return noEdit, nil
	}
	return func(ctx context.Context) { h.show(ctx, cb, clicks) }, nil
}

func (h *Handler) write(ctx context.Context, c click) error {
	if c.silence != nil {
		return h.opts.Silence(ctx, *c.silence)
	}
	return h.opts.Publish(ctx, *c.feedback)
}

// show edits the message once. After a failure the label is still durable, and the next edit of the message shows it.
func (h *Handler) show(ctx context.Context, cb *slack.InteractionCallback, clicks []click) {
	blocks, changed := cb.Message.Blocks, false
	for _, c := range clicks {
		line := ""
		if c.silence != nil {
			line = card.SilenceLine(c.silence)
		} else {
			line = card.VerdictLine(c.feedback)
		}
		var isNew bool
		blocks, isNew = slacksink.Acknowledge(blocks, line)
		changed = changed || isNew
	}
	if !changed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, editTimeout)
	defer cancel()
	at := schemas.Receipt{Channel: cb.Channel.ID, Timestamp: cb.Message.Timestamp}
	err := h.opts.Editor.Replace(ctx, at, cb.Message.Text, blocks)
	if err == nil {
		return
	}
	h.opts.Metrics.count(clicks[0].action, outcomeEditFailed)
	h.opts.Logger.Warn("show click in Slack message failed", "action", clicks[0].action, "error", err)
}

var _ Editor = (*slacksink.Bot)(nil)
