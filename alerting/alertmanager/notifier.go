package alertmanager

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const (
	opNotify       = "post to Alertmanager"
	defaultResolve = time.Hour
)

// Options configure a Notifier.
type Options struct {
	// URL of Alertmanager, without /api/v2. A credential over a network requires HTTPS.
	URL string
	// Username and Password are for basic authentication, BearerToken is for a proxy; not both.
	Username    string
	Password    redact.Secret
	BearerToken redact.Secret
	// Resolve is how long an alert fires after the last message about it. Default: 1 h.
	Resolve time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	httpsend.Options
	// RenderOptions say what alerts show.
	card.RenderOptions
}

// Notifier sends alerts to Prometheus' Alertmanager (API v2). One message is one alert there, identified by its labels, so
// edits and repeated attempts are idempotent.
type Notifier struct {
	url     string
	login   func() http.Header // a function, so that printing the value shows no secret
	resolve time.Duration
	now     func() time.Time
	send    *httpsend.Sender
	render  card.RenderOptions
}

// New makes no request. The configuration has checked the address and the login.
func New(opts Options) *Notifier {
	if opts.Interval == 0 {
		opts.Interval = -1 // Alertmanager groups and limits
	}
	a := &Notifier{
		url: strings.TrimRight(opts.URL, "/"), resolve: cmp.Or(opts.Resolve, defaultResolve), now: opts.Now,
		send: httpsend.New(opts.Options, statusAdvice(&opts.Options)), render: opts.RenderOptions,
		login: func() http.Header {
			r := http.Request{Header: http.Header{}}
			if t := opts.BearerToken.Reveal(); t != "" {
				r.Header.Set("Authorization", "Bearer "+t)
			} else if opts.Username != "" {
				r.SetBasicAuth(opts.Username, opts.Password.Reveal())
			}
			return r.Header
		},
	}
	if a.now == nil {
		a.now = time.Now
	}
	return a
}

// section is the configuration path of the sink.
const section = "alerting.alertmanager"

func statusAdvice(o *httpsend.Options) httpsend.Advice {
	return httpsend.Advice{
		Auth:     "correct " + cmp.Or(o.Credential, "username and password, or bearer_token, under "+section),
		Missing:  "not an Alertmanager: set " + section + ".url to the URL of its web page, without /api/v2",
		Refused:  httpsend.ReportRemedy,
		Redirect: "redirects are not followed: set " + section + ".url to where they lead",
	}
}

// Notify posts the alert. The receipt holds the message id only. A message that Alertmanager rejects is posted again in a
// minimal form.
func (a *Notifier) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	if err := a.post(ctx, &alert); err != nil {
		return schemas.Receipt{}, err
	}
	return schemas.Receipt{Timestamp: alert.Message}, nil
}

// Edit posts the alert again, which replaces its content and extends its end.
func (a *Notifier) Edit(ctx context.Context, alert schemas.Alert, _ schemas.Receipt) error {
	return a.post(ctx, &alert)
}

// Close ends idle connections.
func (a *Notifier) Close() { a.send.Close() }

func (a *Notifier) post(ctx context.Context, alert *schemas.Alert) error {
	p := a.postable(alert)
	err := a.postOnce(ctx, alert.Channel, p)
	if httpsend.IsRefused(err) {
		err = a.postOnce(ctx, alert.Channel, p.minimal())
	}
	return httpsend.Unambiguous(err)
}

func (a *Notifier) postOnce(ctx context.Context, channel string, p postableAlert) error {
	body, err := httpsend.EncodeBody(opNotify, []postableAlert{p})
	if err != nil {
		return err
	}
	return a.send.Do(ctx, httpsend.Request{
		Op: opNotify, URL: a.url + "/api/v2/alerts", Header: a.login(), Body: body, Limit: httpsend.Limit{Key: channel},
	})
}

const opStatus = "get the status of Alertmanager"

// Check returns Alertmanager's version, which also checks URL and credential. It sends no alert.
func (a *Notifier) Check(ctx context.Context) (version string, err error) {
	err = a.send.Do(ctx, httpsend.Request{
		Op: opStatus, Method: http.MethodGet, URL: a.url + "/api/v2/status", Header: a.login(), Limit: httpsend.Limit{Key: opStatus},
		Read: func(r io.Reader) error {
			var status struct {
				Version struct {
					Version string `json:"version"`
				} `json:"versionInfo"`
			}
			if err := json.NewDecoder(r).Decode(&status); err != nil {
				return fmt.Errorf("read the status: %w", err)
			}
			version = card.Clean(status.Version.Version, maxVersion)
			return nil
		},
	})
	if err != nil {
		return "", httpsend.Unambiguous(err)
	}
	return version, nil
}
