package slack

import (
	"context"
	"errors"
	"net/http"

	"github.com/slack-go/slack"

	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

// WebhookOptions configure a Webhook.
type WebhookOptions struct {
	URL redact.Secret // the whole URL is the credential
	httpsend.Options
	// RenderOptions say what messages show.
	card.RenderOptions
}

// Webhook sends alerts through a Slack incoming webhook. A webhook posts to its one channel, gives no receipt, and can
// neither edit nor find a message.
type Webhook struct {
	url    func() string // a function, so that printing the value shows no secret
	send   *httpsend.Sender
	render card.RenderOptions
}

// NewWebhook checks the URL; it makes no request.
func NewWebhook(opts WebhookOptions) (*Webhook, error) {
	if err := httpsend.CheckURL(section+".webhook_url", opts.URL); err != nil {
		return nil, err
	}
	return &Webhook{url: opts.URL.Reveal, send: httpsend.New(opts.Options, slackAdvice(opts.Credential)), render: opts.RenderOptions}, nil
}

// Notify posts the alert; the receipt is empty. A message that Slack rejects is posted again in its minimal form.
func (w *Webhook) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	full := renderAlert(&alert, w.render)
	err := w.post(ctx, full)
	if httpsend.IsRefused(err) {
		err = w.post(ctx, full.minimal())
	}
	return schemas.Receipt{}, err
}

// Close ends idle connections.
func (w *Webhook) Close() { w.send.Close() }

func (w *Webhook) post(ctx context.Context, m message) error {
	msg := &slack.WebhookMessage{Text: m.text, UnfurlLinks: new(bool), UnfurlMedia: new(bool)}
	if len(m.blocks) > 0 {
		msg.Blocks = &slack.Blocks{BlockSet: m.blocks}
	}
	return w.send.Call(ctx, "post to the Slack webhook", httpsend.Limit{}, func(ctx context.Context) error {
		err := slack.PostWebhookCustomHTTPContext(ctx, w.url(), w.send.HTTP, msg)
		if status, ok := errors.AsType[slack.StatusCodeError](err); ok && status.Code/100 == http.StatusOK/100 {
			return nil // compatible sinks answer 201 or 204
		}
		return err
	})
}
