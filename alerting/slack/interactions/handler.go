// Package interactions turns clicks on the buttons under an alert into labels and silences.
//
// It holds what a click means ([Handler]) and the two ways by which Slack delivers one: a websocket that the worker opens
// ([Socket]), and requests that Slack signs ([Interactions]). Nothing is kept between clicks: whichever replica gets one
// can serve it, and a click that is delivered again gives the same records again.
//
// It refuses deciding who hears of what, and Kafka: where labels and silences are written is the caller's business. It
// trusts Slack about who clicked, and nobody else: what does not come over an authenticated connection or with a valid
// signature is not even parsed.
package interactions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/slack-go/slack"

	slacksink "confab/alerting/slack"
	"confab/schemas"
)

const (
	// Slack shows a warning beside the button when a click is not acknowledged within 3 s.
	defaultDeadline = 2500 * time.Millisecond
	editTimeout     = 10 * time.Second // of showing a click; it waits for the channel's turn
)

// ErrNotPublished says that write click failed: the person sees Slack's warning and may click again.
var ErrNotPublished = errors.New("the click was not written; check the brokers, then click again")

// Editor replaces what a message shows; an [alerting.Bot] does.
type Editor interface {
	Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error
}

// HandlerOptions configure a Handler.
type HandlerOptions struct {
	// Publish writes a label and returns nil once it is durable.
	Publish func(context.Context, schemas.Feedback) error
	// Silence writes a silence and returns nil once it is durable.
	Silence func(context.Context, schemas.Silence) error
	Editor  Editor // nil leaves messages as they are
	Metrics *Metrics
	Logger  *slog.Logger
	// Deadline of writing. Default: 2.5 s, so that Slack hears of it within its 3 s.
	Deadline time.Duration
}

// Handler makes labels and silences of clicks. It is safe for concurrent use and keeps nothing between clicks.
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

// Handle writes what the clicks of an interaction say, within the deadline. A nil error means that all of it is durable and
// that Slack may be answered; then show, which is never nil, edits the message to say who did what and when. What is no
// click on a button of ours is ignored. The error is [ErrInvalid] or [ErrNotPublished].
func (h *Handler) Handle(ctx context.Context, cb *slack.InteractionCallback) (show func(context.Context), err error) {
	nothing := func(context.Context) {}
	clicks, action, err := readClicks(cb)
	if err != nil {
		h.opts.Metrics.count(action, outcomeInvalid)
		h.opts.Logger.Warn("rejected click", "error", err)
		return nothing, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.opts.Deadline)
	defer cancel()
	for _, c := range clicks {
		if err := h.write(ctx, c); err != nil {
			h.opts.Metrics.count(c.action, outcomePublishFailed)
			h.opts.Logger.Error("write click failed", "action", c.action, "error", err)
			return nothing, ErrNotPublished
		}
		h.opts.Metrics.count(c.action, outcomeOK)
	}
	if len(clicks) == 0 || h.opts.Editor == nil {
		return nothing, nil
	}
	return func(ctx context.Context) { h.show(ctx, cb, clicks) }, nil
}

func (h *Handler) write(ctx context.Context, c click) error {
	if c.silence != nil {
		return h.opts.Silence(ctx, *c.silence)
	}
	return h.opts.Publish(ctx, *c.feedback)
}

// show edits the message once. A failure undoes nothing: the label is durable, and whoever follows labels shows it with
// the next edit of the message.
func (h *Handler) show(ctx context.Context, cb *slack.InteractionCallback, clicks []click) {
	blocks, changed := addClickLines(cb.Message.Blocks, clicks)
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
