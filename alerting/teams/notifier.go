package teams

import (
	"cmp"
	"context"

	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const (
	section = "alerting.receivers[].teams"
	opPost  = "post to the Teams workflow"
)

// Options configure a Notifier.
type Options struct {
	URL redact.Secret // of the workflow; the whole URL is the credential
	httpsend.Options
	// RenderOptions say what messages show.
	card.RenderOptions
}

// Notifier posts alerts to the channel or chat of a workflow. A workflow gives no receipt, so messages can neither be edited
// nor found.
type Notifier struct {
	url    func() string // a function, so that printing the value shows no secret
	send   *httpsend.Sender
	render card.RenderOptions
}

// New checks the URL; it makes no request.
func New(opts Options) (*Notifier, error) {
	opts.Section = cmp.Or(opts.Section, section)
	if err := httpsend.CheckURL(opts.Section+".webhook_url", opts.URL); err != nil {
		return nil, err
	}
	source := cmp.Or(opts.Credential, opts.Section+".webhook_url")
	return &Notifier{url: opts.URL.Reveal, render: opts.RenderOptions, send: httpsend.New(opts.Options, httpsend.Advice{
		Auth:     "the workflow does not accept the signature in its URL: copy the URL again and set it in " + source,
		Missing:  "the workflow is deleted or turned off: set the URL of an active one in " + source,
		Refused:  "the workflow does not take the card: it must start with \"When a Teams webhook request is received\" and post a card",
		Redirect: "redirects are not followed: correct the URL in " + source,
	})}, nil
}

// Notify posts the alert; the receipt is empty. A message that is too large or refused is posted in its minimal form.
func (n *Notifier) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	body, err := httpsend.EncodeBody(opPost, newMessage(&alert, n.render))
	small, smallErr := httpsend.EncodeBody(opPost, minimal(&alert, n.render))
	if err = cmp.Or(err, smallErr); err != nil {
		return schemas.Receipt{}, err
	}
	if len(body) > maxMessage {
		return schemas.Receipt{}, n.post(ctx, alert.Channel, small)
	}
	err = n.post(ctx, alert.Channel, body)
	if httpsend.IsRefused(err) {
		err = n.post(ctx, alert.Channel, small)
	}
	return schemas.Receipt{}, err
}

// Close ends idle connections.
func (n *Notifier) Close() { n.send.Close() }

func (n *Notifier) post(ctx context.Context, channel string, body []byte) error {
	return n.send.Post(ctx, httpsend.Post{Op: opPost, URL: n.url(), Body: body, Limit: httpsend.Limit{Key: channel}})
}
