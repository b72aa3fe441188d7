package pagerduty

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

// DefaultURL is the Events API of PagerDuty's service region in the United States.
const DefaultURL = "https://events.pagerduty.com"

const (
	section     = "alerting.receivers[].pagerduty"
	eventsPath  = "/v2/enqueue"
	minInterval = 500 * time.Millisecond // PagerDuty accepts 120 events a minute and key, with bursts
)

// Options configure a Notifier.
type Options struct {
	// RoutingKey is the integration key of a service or of event orchestration.
	RoutingKey redact.Secret
	// URL of the Events API. Default: [DefaultURL].
	URL string
	httpsend.Options
	// RenderOptions say what alerts show.
	card.RenderOptions
}

// Notifier sends events to PagerDuty. The dedup_key identifies the incident, so edits and repeated attempts are idempotent.
type Notifier struct {
	url    string
	key    func() string // a function, so that printing the value shows no secret
	send   *httpsend.Sender
	render card.RenderOptions
}

// New checks the options; it makes no request.
func New(opts Options) (*Notifier, error) {
	opts.Section = cmp.Or(opts.Section, section)
	opts.URL = cmp.Or(opts.URL, DefaultURL)
	if err := httpsend.CheckURL(opts.Section+".url", redact.Secret(opts.URL)); err != nil {
		return nil, err
	}
	source := cmp.Or(opts.Credential, opts.Section+".routing_key")
	if opts.RoutingKey == "" || strings.ContainsAny(opts.RoutingKey.Reveal(), " \t\r\n") {
		return nil, errors.New(source + " is missing or has white space in it; set the integration key of Events API v2 alone")
	}
	if opts.Interval == 0 {
		opts.Interval = minInterval
	}
	return &Notifier{
		url: strings.TrimRight(opts.URL, "/") + eventsPath, key: opts.RoutingKey.Reveal,
		send: httpsend.New(opts.Options, advice(opts.Section, source)), render: opts.RenderOptions,
	}, nil
}

func advice(section, source string) httpsend.Advice {
	return httpsend.Advice{
		Auth:     "PagerDuty does not accept the integration key: correct " + source,
		Missing:  "not PagerDuty's Events API: correct " + section + ".url",
		Refused:  "PagerDuty answers so for an unknown integration key: correct " + source + "; otherwise report it with this line",
		Redirect: "redirects are not followed: correct " + section + ".url",
	}
}

// Notify opens the incident of the alert's group, or continues it. The receipt holds the dedup_key only. An event that
// PagerDuty rejects is sent again in a minimal form.
func (n *Notifier) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	if err := n.post(ctx, "trigger PagerDuty incident", trigger(&alert, n.render)); err != nil {
		return schemas.Receipt{}, err
	}
	return schemas.Receipt{Timestamp: dedupKey(&alert)}, nil
}

// Edit continues the incident with new counts. Once a person has labelled it, Edit acknowledges it instead: somebody works
// on it, and a trigger would open a resolved incident again.
func (n *Notifier) Edit(ctx context.Context, alert schemas.Alert, _ schemas.Receipt) error {
	if len(alert.Feedback) > 0 {
		return n.post(ctx, "acknowledge PagerDuty incident", event{Action: actionAcknowledge, DedupKey: dedupKey(&alert)})
	}
	return n.post(ctx, "continue PagerDuty incident", trigger(&alert, n.render))
}

// Resolve ends the incident of the alert's group. PagerDuty ignores it without an open incident.
func (n *Notifier) Resolve(ctx context.Context, alert schemas.Alert) error {
	return n.post(ctx, "resolve PagerDuty incident", event{Action: actionResolve, DedupKey: dedupKey(&alert)})
}

// Close ends idle connections.
func (n *Notifier) Close() { n.send.Close() }

func (n *Notifier) post(ctx context.Context, op string, e event) error {
	err := n.postOnce(ctx, op, e)
	if httpsend.IsRefused(err) {
		err = n.postOnce(ctx, op, e.minimal())
	}
	return httpsend.Unambiguous(err)
}

func (n *Notifier) postOnce(ctx context.Context, op string, e event) error {
	e.RoutingKey = n.key()
	body, err := httpsend.EncodeBody(op, e)
	if err != nil {
		return err
	}
	return n.send.Post(ctx, httpsend.Post{Op: op, URL: n.url, Body: body})
}
