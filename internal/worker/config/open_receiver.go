package config

import (
	"fmt"
	"time"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/alerting/webhook"
	"confab/internal/httpclient"
)

// Notifier is a sink that holds connections.
type Notifier interface {
	alerting.Notifier
	Close()
}

// OpenOptions are what sinks need besides their settings.
type OpenOptions struct {
	Path    string             // of the receiver in the configuration
	Render  card.RenderOptions // with buttons where clicks are received
	HTTP    httpclient.Options // connections to an Alertmanager
	Pace    time.Duration      // between two messages to a Slack channel; 0: a second
	Resolve time.Duration      // after which an alert without updates ends
	Now     func() time.Time   // the clock
}

// Open makes the receiver's sink, and returns its kind. It makes no request. Errors name the setting of a credential, never
// the credential.
func (r *Receiver) Open(o OpenOptions) (Notifier, string, error) {
	send := func(section, key, file string) httpsend.Options {
		section = o.Path + "." + section
		return httpsend.Options{Interval: o.Pace, Section: section, Credential: CredentialSource(section+"."+key, file)}
	}
	switch {
	case r.Webhook != Webhook{}:
		n, err := webhook.New(webhook.Options{
			URL: r.Webhook.URL, Secrets: r.Webhook.Secrets, Now: o.Now, RenderOptions: o.Render,
			Options: send("webhook", "secrets", r.Webhook.SecretsFile),
		})
		return n, "signed_webhook", err
	case r.Slack.BotToken != "":
		n, err := slacksink.NewBot(slacksink.BotOptions{
			Token: r.Slack.BotToken, Channel: r.Slack.Channel, APIURL: r.Slack.APIURL, RenderOptions: o.Render,
			Options: send("slack", "bot_token", r.Slack.BotTokenFile),
		})
		return n, "bot", err
	case r.Slack != SlackSink{}:
		n, err := slacksink.NewWebhook(slacksink.WebhookOptions{
			URL: r.Slack.WebhookURL, RenderOptions: o.Render, Options: send("slack", "webhook_url", r.Slack.WebhookURLFile),
		})
		return n, "webhook", err
	default:
		return r.openAlertmanager(o, send)
	}
}

func (r *Receiver) openAlertmanager(o OpenOptions, send func(section, key, file string) httpsend.Options) (Notifier, string, error) {
	m := &r.Alertmanager
	options := send("alertmanager", "username and password", m.PasswordFile)
	if m.BearerToken != "" {
		options = send("alertmanager", "bearer_token", m.BearerTokenFile)
	}
	transport, err := httpclient.Wrap(o.HTTP, httpsend.NewTransport(0))
	if err != nil {
		return nil, "", fmt.Errorf("%s.alertmanager.http_config: %w", o.Path, err)
	}
	options.Transport, options.Interval = transport, 0
	n, err := alertmanager.New(alertmanager.Options{
		URL: m.URL, Username: m.Username, Password: m.Password, BearerToken: m.BearerToken, Resolve: o.Resolve, Now: o.Now,
		Options: options, RenderOptions: o.Render,
	})
	return n, "alertmanager", err
}

// CredentialSource names where a credential comes from: its key, or the key of the file with the file.
func CredentialSource(key, file string) string {
	if file == "" {
		return key
	}
	return key + "_file (" + file + ")"
}
