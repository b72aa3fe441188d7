package app

import (
	"time"

	"confab/alerting"
)

// notifier is the configured sink and its name.
func (w *worker) notifier() (n alerting.Notifier, sink string, err error) {
	a := &w.Config.Alerting
	switch {
	case a.Slack.WebhookURL != "":
		hook, err := alerting.NewWebhook(alerting.WebhookOptions{URL: a.Slack.WebhookURL, SendOptions: a.sendOptions(), RenderOptions: a.look()})
		if err != nil {
			return nil, "", err
		}
		w.closers = append(w.closers, hook.Close)
		return hook, "webhook", nil
	case a.Slack.BotToken != "":
		bot, err := a.newBot()
		if err != nil {
			return nil, "", err
		}
		w.closers = append(w.closers, bot.Close)
		return bot, "bot", nil
	case a.Alertmanager.URL != "":
		am, err := a.newAlertmanager(w.Now)
		if err != nil {
			return nil, "", err
		}
		w.closers = append(w.closers, am.Close)
		return am, "alertmanager", nil
	default:
		return alerting.NewConsole(alerting.ConsoleOptions{
			Writer: w.Console, Color: w.Color, RenderOptions: a.look(),
		}), "console", nil
	}
}

func (a *Alerting) newBot() (*alerting.Bot, error) {
	return alerting.NewBot(alerting.BotOptions{
		Token: a.Slack.BotToken, Channel: a.Slack.Channel, APIURL: a.Slack.APIURL, SendOptions: a.sendOptions(), RenderOptions: a.look(),
	})
}

func (a *Alerting) newAlertmanager(now func() time.Time) (*alerting.Alertmanager, error) {
	m := &a.Alertmanager
	return alerting.NewAlertmanager(alerting.AlertmanagerOptions{
		URL: m.URL, Username: m.Username, Password: m.Password, BearerToken: m.BearerToken, Resolve: a.Resolve, Now: now,
		SendOptions: alerting.SendOptions{Timeout: m.Timeout}, RenderOptions: a.look(),
	})
}

func (a *Alerting) sendOptions() alerting.SendOptions {
	return alerting.SendOptions{Timeout: a.Slack.Timeout, Interval: a.Slack.Interval}
}

// look is what messages show.
func (a *Alerting) look() alerting.RenderOptions {
	return alerting.RenderOptions{
		HideExcerpts: !a.Excerpts, Buttons: a.Slack.Buttons(), TraceURL: a.TraceURL, RunbookURL: a.RunbookURL,
	}
}
