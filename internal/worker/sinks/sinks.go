package sinks

import (
	"fmt"
	"io"
	"time"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/card"
	"confab/alerting/console"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/alerting/slack/interactions"
	"confab/internal/httpclient"
	"confab/internal/worker/config"
	"confab/internal/worker/config/routing"
)

// Options are the dependencies of a sink.
type Options struct {
	Console io.Writer // where the console sink prints
	Color   bool      // the console is a terminal
	Now     func() time.Time
}

// New makes the configured sink and returns its name. The caller calls closeIt.
func New(a *config.Alerting, o Options) (n alerting.Notifier, name string, closeIt func(), err error) {
	switch {
	case a.Slack.WebhookURL != "":
		hook, err := slacksink.NewWebhook(slacksink.WebhookOptions{URL: a.Slack.WebhookURL, Options: sendOptions(a, "webhook_url", a.Slack.WebhookURLFile), RenderOptions: renderOptions(a)})
		if err != nil {
			return nil, "", nil, err
		}
		return hook, "webhook", hook.Close, nil
	case a.Slack.BotToken != "":
		bot, err := NewBot(a)
		if err != nil {
			return nil, "", nil, err
		}
		return bot, "bot", bot.Close, nil
	case a.Alertmanager.URL != "":
		am, err := NewAlertmanager(a, o.Now)
		if err != nil {
			return nil, "", nil, err
		}
		return am, "alertmanager", am.Close, nil
	default:
		return console.New(console.Options{
			Writer: o.Console, Color: o.Color, RenderOptions: renderOptions(a),
		}), "console", func() {}, nil
	}
}

// NewBot makes the sink that posts to Slack as a bot.
func NewBot(a *config.Alerting) (*slacksink.Bot, error) {
	return slacksink.NewBot(slacksink.BotOptions{
		Token: a.Slack.BotToken, Channel: a.Slack.Channel, APIURL: a.Slack.APIURL,
		Options: sendOptions(a, "bot_token", a.Slack.BotTokenFile), RenderOptions: renderOptions(a),
	})
}

// NewAlertmanager makes the sink that posts to an Alertmanager.
func NewAlertmanager(a *config.Alerting, now func() time.Time) (*alertmanager.Notifier, error) {
	m := &a.Alertmanager
	transport, err := httpclient.Wrap(m.HTTPOptions(), httpsend.NewTransport(m.Timeout))
	if err != nil {
		return nil, fmt.Errorf("alerting.alertmanager.http_config: %w", err)
	}
	login := ""
	switch {
	case m.BearerToken != "":
		login = routing.CredentialSource("alerting.alertmanager.bearer_token", m.BearerTokenFile)
	case m.Username != "":
		login = "alerting.alertmanager.username and " + routing.CredentialSource("password", m.PasswordFile)
	}
	return alertmanager.New(alertmanager.Options{
		URL: m.URL, Username: m.Username, Password: m.Password, BearerToken: m.BearerToken, Resolve: a.Resolve, Now: now,
		Options: httpsend.Options{Timeout: m.Timeout, Transport: transport, Credential: login}, RenderOptions: renderOptions(a),
	})
}

// sendOptions are the options of a Slack sink, whose credential is at a key or in a file.
func sendOptions(a *config.Alerting, key, file string) httpsend.Options {
	return httpsend.Options{
		Timeout: a.Slack.Timeout, Interval: a.Slack.Interval, Credential: routing.CredentialSource("alerting.slack."+key, file),
	}
}

func renderOptions(a *config.Alerting) card.RenderOptions {
	return card.RenderOptions{
		HideExcerpts: !a.Excerpts, Buttons: a.Slack.Buttons(), TraceURL: a.TraceURL, RunbookURL: a.RunbookURL, PageURL: a.PageURL,
	}
}

// NewSocket makes the receiver of clicks over Slack's Socket Mode, with the configured token.
func NewSocket(s *config.Slack, o interactions.SocketOptions) (*interactions.Socket, error) {
	o.AppToken, o.APIURL = s.AppToken, s.APIURL
	return interactions.NewSocket(o)
}
