package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting"
	slacksink "confab/alerting/slack"
	"confab/alerting/slack/interactions"
	"confab/internal/finding"
	"confab/internal/worker/config"
)

// postScope is what a bot token needs in order to post.
const postScope = "chat:write"

// Sink checks the configured sink. It posts nothing; it asks Slack about the bot token.
func Sink(ctx context.Context, c *config.Config, now func() time.Time) []finding.Finding {
	r := finding.Report{Check: "slack"}
	a := &c.Alerting
	switch {
	case !slices.Contains(c.ActiveRoles(), config.RoleAlert):
		if a.HasSink() {
			r.OK("not needed: the role alert is not active here")
		} else {
			r.Warn("no sink: flags are written, but no alerts are sent",
				"set alerting.slack or alerting.alertmanager, or run the role alert in another process")
		}
	default:
		return defaultSink(ctx, a, now)
	}
	return r.Findings
}

// defaultSink checks the configured sink.
func defaultSink(ctx context.Context, a *config.Alerting, now func() time.Time) []finding.Finding {
	r := finding.Report{Check: "slack"}
	switch {
	case a.Slack.WebhookURL != "":
		r.Skip("a webhook cannot be checked without posting", "post to it once by hand: a deleted webhook answers 404")
	case a.Slack.BotToken != "":
		return examineBot(ctx, a, now)
	case a.Alertmanager.URL != "":
		return examineAlertmanager(ctx, a, now)
	case a.Console:
		r.OK("alerts are printed on standard output")
	case a.Webhook.URL != "":
		r.Skip("a webhook cannot be checked without posting", "post to it once by hand")
	default:
		r.Fail("the role alert is active, but no sink is configured", "set alerting.slack or alerting.alertmanager, or alerting.console: true")
	}
	return r.Findings
}

// checkable is a sink that can be checked without posting.
type checkable interface {
	Check(ctx context.Context) (version string, err error)
}

func examineBot(ctx context.Context, a *config.Alerting, now func() time.Time) []finding.Finding {
	r := finding.Report{Check: "slack", Subject: a.Slack.Channel}
	const correct = "correct alerting.slack"
	made, err := a.NewSink(config.SinkOptions{Now: now})
	if err != nil {
		r.Fail(err.Error(), correct)
		return r.Findings
	}
	defer made.Close()
	bot, ok := made.Notifier.(*slacksink.Bot)
	if !ok {
		return r.Findings
	}
	id, err := bot.Check(ctx)
	if err != nil {
		r.Fail(sinkError(err, correct))
		return r.Findings
	}
	who := fmt.Sprintf("the token is valid: %q in %q", id.User, id.Team)
	if id.Scopes != nil && !slices.Contains(id.Scopes, postScope) {
		r.Fail(who+", without the scope "+postScope, "give the Slack app the scope "+postScope+" and install it again")
	} else {
		r.OK(who + "; the first message shows whether the app is in its channel")
	}
	r.Findings = append(r.Findings, examineClicks(ctx, &a.Slack)...)
	clock := finding.Report{Check: "clock", Subject: "Slack"}
	if id.Clock.IsZero() {
		return r.Findings
	}
	if off := now().Sub(id.Clock).Round(time.Second); off.Abs() > MaxClockSkew {
		clock.Warn(fmt.Sprintf("this machine's clock and Slack's differ by %s", off.Abs()), "synchronize this machine's clock by NTP")
	} else {
		clock.OK("this machine's clock agrees with Slack's")
	}
	return append(r.Findings, clock.Findings...)
}

// examineClicks checks whether clicks can be received. Over HTTP this cannot be checked from here.
func examineClicks(ctx context.Context, s *config.Slack) []finding.Finding {
	r := finding.Report{Check: "buttons"}
	switch {
	case s.UsesListener():
		r.Skip("Slack sends clicks to "+s.InteractionsListen+", which cannot be checked from here",
			"click a button once: confab_clicks_total counts it")
	case s.UsesSocket():
		const correct = "correct alerting.slack.app_token"
		socket, err := interactions.NewSocket(interactions.SocketOptions{
			AppToken: s.AppToken, APIURL: s.APIURL,
			Metrics: interactions.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			r.Fail(err.Error(), correct)
		} else if err := socket.Check(ctx); err != nil {
			r.Fail(sinkError(err, correct))
		} else {
			r.OK("Slack lets the app open a connection for clicks")
		}
	default:
		r.OK("none: set alerting.slack.app_token_file to label alerts by buttons")
	}
	return r.Findings
}

func examineAlertmanager(ctx context.Context, a *config.Alerting, now func() time.Time) []finding.Finding {
	r := finding.Report{Check: "alertmanager"}
	const correct = "correct alerting.alertmanager"
	made, err := a.NewSink(config.SinkOptions{Now: now})
	if err != nil {
		r.Fail(err.Error(), correct)
		return r.Findings
	}
	defer made.Close()
	am, ok := made.Notifier.(checkable)
	if !ok {
		return r.Findings
	}
	version, err := am.Check(ctx)
	if err != nil {
		r.Fail(sinkError(err, correct))
	} else {
		r.OK("it answers, version " + version + "; its own configuration routes the alerts")
	}
	return r.Findings
}

// sinkError returns the text and the remedy of a sink's error.
func sinkError(err error, otherwise string) (detail, remedy string) {
	e, ok := errors.AsType[*alerting.Error](err)
	switch {
	case !ok:
		return err.Error(), otherwise
	case e.Remedy != "":
		return e.Op + ": " + e.Detail, e.Remedy
	default:
		return e.Op + ": " + e.Detail, "try again later"
	}
}
