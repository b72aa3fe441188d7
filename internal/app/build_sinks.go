package app

import (
	"io"
	"time"

	"confab/alerting"
	"confab/alerting/buttons"
)

// sinkOptions are what a sink takes from its process.
type sinkOptions struct {
	console io.Writer // where the console sink prints
	color   bool      // the console is a terminal
	now     func() time.Time
}

// newSink is the configured sink, its name, and what closes it.
func newSink(a *Alerting, o sinkOptions) (n alerting.Notifier, name string, closeIt func(), err error) {
	switch {
	case a.Slack.WebhookURL != "":
		hook, err := alerting.NewWebhook(alerting.WebhookOptions{URL: a.Slack.WebhookURL, SendOptions: sendOptions(a), RenderOptions: renderOptions(a)})
		if err != nil {
			return nil, "", nil, err
		}
		return hook, "webhook", hook.Close, nil
	case a.Slack.BotToken != "":
		bot, err := newBot(a)
		if err != nil {
			return nil, "", nil, err
		}
		return bot, "bot", bot.Close, nil
	case a.Alertmanager.URL != "":
		am, err := newAlertmanager(a, o.now)
		if err != nil {
			return nil, "", nil, err
		}
		return am, "alertmanager", am.Close, nil
	default:
		return alerting.NewConsole(alerting.ConsoleOptions{
			Writer: o.console, Color: o.color, RenderOptions: renderOptions(a),
		}), "console", func() {}, nil
	}
}

// newBot makes the client that posts as a bot.
func newBot(a *Alerting) (*alerting.Bot, error) {
	return alerting.NewBot(alerting.BotOptions{
		Token: a.Slack.BotToken, Channel: a.Slack.Channel, APIURL: a.Slack.APIURL, SendOptions: sendOptions(a), RenderOptions: renderOptions(a),
	})
}

// newAlertmanager makes the client of the configured Alertmanager.
func newAlertmanager(a *Alerting, now func() time.Time) (*alerting.Alertmanager, error) {
	m := &a.Alertmanager
	return alerting.NewAlertmanager(alerting.AlertmanagerOptions{
		URL: m.URL, Username: m.Username, Password: m.Password, BearerToken: m.BearerToken, Resolve: a.Resolve, Now: now,
		SendOptions: alerting.SendOptions{Timeout: m.Timeout}, RenderOptions: renderOptions(a),
	})
}

func sendOptions(a *Alerting) alerting.SendOptions {
	return alerting.SendOptions{Timeout: a.Slack.Timeout, Interval: a.Slack.Interval}
}

// renderOptions are what messages show.
func renderOptions(a *Alerting) alerting.RenderOptions {
	return alerting.RenderOptions{
		HideExcerpts: !a.Excerpts, Buttons: a.Slack.Buttons(), TraceURL: a.TraceURL, RunbookURL: a.RunbookURL,
	}
}

// newSocket receives clicks over a connection to Slack, with the configured token.
func newSocket(s *Slack, o buttons.SocketOptions) (*buttons.Socket, error) {
	o.AppToken, o.APIURL = s.AppToken, s.APIURL
	return buttons.NewSocket(o)
}
