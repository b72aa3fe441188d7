package config

import (
	"fmt"
	"io"
	"time"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/card"
	"confab/alerting/console"
	"confab/alerting/httpsend"
	"confab/alerting/slack"
	"confab/alerting/webhook"
	"confab/internal/httpclient"
)

// SinkOptions are what a sink needs besides its settings.
type SinkOptions struct {
	Console io.Writer // where the console sink prints
	Color   bool      // the console is a terminal
	Now     func() time.Time
}

// Sink is the configured sink.
type Sink struct {
	Notifier alerting.Notifier
	Kind     string // a metric label
	Close    func() // of its connections
}

// NewSink makes the configured sink. It makes no request. Errors name the setting of a credential, never the credential.
func (a *Alerting) NewSink(o SinkOptions) (Sink, error) {
	render := card.RenderOptions{HideExcerpts: !a.Excerpts, TraceURL: a.TraceURL, RunbookURL: a.RunbookURL, PageURL: a.PageURL, Buttons: a.Slack.Buttons()}
	switch s := &a.Slack; {
	case s.BotToken != "":
		n, err := slack.NewBot(slack.BotOptions{
			Token: s.BotToken, Channel: s.Channel, APIURL: s.APIURL, RenderOptions: render, Options: s.send("bot_token", s.BotTokenFile),
		})
		return newSink(n, "bot", err)
	case s.WebhookURL != "":
		n, err := slack.NewWebhook(slack.WebhookOptions{URL: s.WebhookURL, RenderOptions: render, Options: s.send("webhook_url", s.WebhookURLFile)})
		return newSink(n, "webhook", err)
	case a.Webhook.URL != "":
		w := &a.Webhook
		send, err := sendOptions("alerting.webhook", "secrets", w.SecretsFile, w.HTTPOptions())
		if err != nil {
			return Sink{}, err
		}
		n, err := webhook.New(webhook.Options{URL: w.URL, Secrets: w.Secrets, Now: o.Now, RenderOptions: render, Options: send})
		return newSink(n, "signed_webhook", err)
	case a.Alertmanager.URL != "":
		return a.newAlertmanager(render, o.Now)
	default:
		return Sink{console.New(console.Options{Writer: o.Console, Color: o.Color, RenderOptions: render}), "console", func() {}}, nil
	}
}

func (a *Alerting) newAlertmanager(render card.RenderOptions, now func() time.Time) (Sink, error) {
	m := &a.Alertmanager
	key, file := "username and password", m.PasswordFile
	if m.BearerToken != "" {
		key, file = "bearer_token", m.BearerTokenFile
	}
	send, err := sendOptions("alerting.alertmanager", key, file, m.HTTPOptions())
	if err != nil {
		return Sink{}, err
	}
	n := alertmanager.New(alertmanager.Options{
		URL: m.URL, Username: m.Username, Password: m.Password, BearerToken: m.BearerToken, Resolve: a.Resolve, Now: now,
		Options: send, RenderOptions: render,
	})
	return Sink{n, "alertmanager", n.Close}, nil
}

func newSink[N interface {
	alerting.Notifier
	Close()
}](n N, kind string, err error) (Sink, error) {
	if err != nil {
		return Sink{}, err
	}
	return Sink{n, kind, n.Close}, nil
}

// send are the options of requests with the credential of that key, whose file may be empty.
func (s *Slack) send(key, file string) httpsend.Options {
	return httpsend.Options{Interval: s.Interval, Credential: credentialSource("alerting.slack."+key, file)}
}

func sendOptions(section, key, file string, client httpclient.Options) (httpsend.Options, error) {
	transport, err := httpclient.Wrap(client, httpsend.NewTransport(0))
	if err != nil {
		return httpsend.Options{}, fmt.Errorf("%s.http_config: %w", section, err)
	}
	return httpsend.Options{Credential: credentialSource(section+"."+key, file), Transport: transport}, nil
}

// credentialSource names where a credential comes from: its key, or the key of the file with the file.
func credentialSource(key, file string) string {
	if file == "" {
		return key
	}
	return key + "_file (" + file + ")"
}
