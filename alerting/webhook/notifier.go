package webhook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const section = "alerting.webhook"

// Options configure a Notifier.
type Options struct {
	// URL to post to. It is a secret: it may hold a token.
	URL redact.Secret
	// Secrets sign the requests, each whsec_ and base64, with white space between. Empty: requests are not signed.
	Secrets redact.Secret
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	httpsend.Options
	// RenderOptions say what messages show.
	card.RenderOptions
}

// Notifier posts alerts as JSON. Every repetition of a message has the webhook-id of the first attempt, by which receivers
// drop duplicates.
type Notifier struct {
	url    func() string // a function, so that printing the value shows no secret
	signer signer
	now    func() time.Time
	send   *httpsend.Sender
	render card.RenderOptions
}

// New checks the options; it makes no request.
func New(opts Options) (*Notifier, error) {
	if err := httpsend.CheckURL(section+".url", opts.URL); err != nil {
		return nil, err
	}
	source := cmp.Or(opts.Credential, section+".secrets")
	signer, err := newSigner(opts.Secrets, source)
	if err != nil {
		return nil, err
	}
	if opts.Interval == 0 {
		opts.Interval = -1 // the receiver answers 429 if it has a limit
	}
	n := &Notifier{
		url: opts.URL.Reveal, signer: signer, now: opts.Now, render: opts.RenderOptions,
		send: httpsend.New(opts.Options, httpsend.Advice{
			Auth:     "the receiver does not accept the signature: set the secret that it has in " + source,
			Missing:  "no receiver at this address: correct " + section + ".url",
			Refused:  httpsend.ReportRemedy,
			Redirect: "redirects are not followed: set " + section + ".url to where they lead",
		}),
	}
	if n.now == nil {
		n.now = time.Now
	}
	return n, nil
}

// Notify posts the alert. The receipt holds the message id only. A message that the receiver rejects is posted again in a
// minimal form.
func (n *Notifier) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	if err := n.post(ctx, "post to the webhook", typeFired, &alert); err != nil {
		return schemas.Receipt{}, err
	}
	return schemas.Receipt{Timestamp: alert.Message}, nil
}

// Edit posts the alert with its new content.
func (n *Notifier) Edit(ctx context.Context, alert schemas.Alert, _ schemas.Receipt) error {
	return httpsend.Unambiguous(n.post(ctx, "post an update to the webhook", typeUpdated, &alert))
}

// Close ends idle connections.
func (n *Notifier) Close() { n.send.Close() }

func (n *Notifier) post(ctx context.Context, op, kind string, alert *schemas.Alert) error {
	m, err := newMessage(kind, alert, n.render)
	if err != nil {
		_, err = httpsend.EncodeBody(op, func() {}) // an error that holds nothing of the flag
		return err
	}
	err = n.postOnce(ctx, op, m, alert)
	if httpsend.IsRefused(err) {
		err = n.postOnce(ctx, op, m.minimal(), alert)
	}
	return err
}

func (n *Notifier) postOnce(ctx context.Context, op string, m message, alert *schemas.Alert) error {
	body, err := httpsend.EncodeBody(op, m)
	if err != nil {
		return err
	}
	id, at := webhookID(&m, alert, body), n.now()
	header := http.Header{}
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	if signature := n.signer.sign(id, at, body); signature != "" {
		header.Set("Webhook-Signature", signature)
	}
	return n.send.Do(ctx, httpsend.Request{Op: op, URL: n.url(), Header: header, Body: body, Limit: httpsend.Limit{Key: alert.Channel}})
}

// webhookID is the same for every attempt at a message. An update is another message if its content differs.
func webhookID(m *message, alert *schemas.Alert, body []byte) string {
	h := sha256.New()
	h.Write([]byte(m.Type + "\x00" + alert.Message + "\x00" + alert.Group))
	if m.Type == typeUpdated {
		h.Write(body)
	}
	return "msg_" + hex.EncodeToString(h.Sum(nil)[:16])
}
